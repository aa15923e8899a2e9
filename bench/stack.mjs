// A stack of one subject on the real CLI, with a file backend of its own.
import fs from "node:fs";
import path from "node:path";
import { run, work } from "../scripts/lib.mjs";

let stacks = 0;

export class Stack {
  constructor(program, service, directories) {
    this.dir = path.join(work, "bench", `stack-${process.pid}-${++stacks}`);
    const state = path.join(this.dir, "state");
    fs.mkdirSync(state, { recursive: true });
    const runtime = "{ name: nodejs, options: { typescript: false } }";
    fs.writeFileSync(path.join(this.dir, "Pulumi.yaml"), `name: bench\nruntime: ${runtime}\nmain: index.js\n`);
    this.write(program);
    this.env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|TUNNEL_EDGE)_/.test(name))),
      PATH: [...directories, process.env.PATH].join(path.delimiter),
      PULUMI_HOME: path.join(work, "bench/home"),
      PULUMI_BACKEND_URL: `file://${state}`,
      PULUMI_CONFIG_PASSPHRASE: "bench",
      PULUMI_STACK: "dev",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      TUNNEL_EDGE_BASE_URL: service.url,
      TUNNEL_EDGE_API_KEY: service.apiKey,
    };
  }

  write(program) {
    fs.writeFileSync(path.join(this.dir, "index.js"), program);
  }

  async init() {
    await this.pulumi("stack", "init", "dev");
    return this;
  }

  pulumi(...args) {
    return run("pulumi", [...args, "--non-interactive", "--color=never"], { cwd: this.dir, env: this.env });
  }

  /** Seconds that an operation takes, in all and of each process's own; and the most memory of a provider host, in MB. */
  async time(operation) {
    const flags = operation === "preview" ? [] : ["--yes", "--skip-preview"];
    const processes = watchProcesses(this.dir);
    const began = performance.now();
    try {
      await this.pulumi(operation, ...flags, "--suppress-progress", "--suppress-outputs");
    } finally {
      processes.stop();
    }
    return { seconds: (performance.now() - began) / 1000, ...processes };
  }

  /** The exported state's resources. */
  async resources() {
    const { stdout } = await this.pulumi("stack", "export");
    return JSON.parse(stdout).deployment.resources ?? [];
  }

  remove() {
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

const kinds = { engine: /^pulumi /, program: /cmd\/run\b/, host: /^node .*cmd\/dynamic-provider/ };

/** Looks at the processes that work in a folder: the engine, the program and the provider hosts. */
function watchProcesses(dir) {
  const worked = new Map();
  let most = 0;
  const look = () => {
    for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (!fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)) continue;
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const kind = Object.keys(kinds).find((name) => kinds[name].test(command));
        const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        // The 14th and 15th fields of the whole, in hundredths of a second; the second one may have spaces in it.
        const [user, system] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ").slice(11);
        if (kind) worked.set(pid, { kind, seconds: (Number(user) + Number(system)) / 100 });
        if (kind === "host") most = Math.max(most, Number(kilobytes) / 1024);
      } catch {
        // It ended in the meantime.
      }
    }
  };
  const timer = fs.existsSync("/proc") ? setInterval(look, 100) : undefined;
  const secondsOf = (wanted) =>
    [...worked.values()].filter(({ kind }) => kind === wanted).reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    stop: () => clearInterval(timer),
    hostMegabytes: () => most,
    own: () => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, secondsOf(kind)])),
  };
}
