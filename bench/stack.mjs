// A stack of one program with the Pulumi CLI and its own file backend.
import fs from "node:fs";
import path from "node:path";
import { createEnvironment } from "../scripts/lib/environment.js";
import { root, run, work } from "../scripts/lib/index.mjs";

let stackCount = 0;

export class Stack {
  /** The program finds the packages of the clone in which it is. */
  constructor({ clone = root, ...program }, service, directories) {
    this.dir = path.join(clone, ".work/bench", `stack-${process.pid}-${++stackCount}`);
    const state = path.join(this.dir, "state");
    fs.mkdirSync(state, { recursive: true });
    this.write(program);
    this.env = createEnvironment({
      home: path.join(work, "bench/home"),
      state,
      stack: "dev",
      searchPath: [...directories, process.env.PATH],
      service,
    });
  }

  /** Writes a program: a Node script, or the resources of a YAML program; with the plugin that it uses, if any. */
  write({ index, resources, plugin }) {
    const project = {
      name: "bench",
      ...(resources
        ? { runtime: "yaml", resources }
        : { runtime: { name: "nodejs", options: { typescript: false } }, main: "index.js" }),
      ...(plugin && { plugins: { providers: [plugin] } }),
    };
    // JSON is YAML.
    fs.writeFileSync(path.join(this.dir, "Pulumi.yaml"), JSON.stringify(project));
    if (index) fs.writeFileSync(path.join(this.dir, "index.js"), index);
  }

  async init() {
    await this.pulumi("stack", "init", "dev");
    return this;
  }

  pulumi(...args) {
    return run("pulumi", [...args, "--non-interactive", "--color=never"], { cwd: this.dir, env: this.env });
  }

  /** Runs an operation; returns how long it took, the processor time of its processes, and the provider's peak memory. */
  async time(operation) {
    const flags = operation === "preview" ? [] : ["--yes", "--skip-preview"];
    const processes = watchProcesses(this.dir);
    const start = performance.now();
    try {
      await this.pulumi(operation, ...flags, "--suppress-progress", "--suppress-outputs");
    } finally {
      processes.stop();
    }
    return { wallSeconds: (performance.now() - start) / 1000, ...processes.measured() };
  }

  /** Returns the resources of the exported state. */
  async resources() {
    const { stdout } = await this.pulumi("stack", "export");
    return JSON.parse(stdout).deployment.resources ?? [];
  }

  remove() {
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

const kinds = {
  engine: /^pulumi /,
  program: /cmd\/run\b|pulumi-language-yaml/,
  host: /^\S*node .*(cmd\/dynamic-provider|pulumi-resource-(tunnel-edge|noop))/,
};

/** Watches the processes that run in a directory, which are those of one operation. What one does after the last look is lost. */
function watchProcesses(dir) {
  const processes = new Map();
  let hostMegabytes = 0;
  const look = () => {
    for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (!fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)) continue;
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        // A process that is ending has no command and no memory.
        const kind = Object.keys(kinds).find((name) => kinds[name].test(command)) ?? processes.get(pid)?.kind;
        const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        // Fields 14 and 15, in hundredths of a second, counted after field 2, which may contain spaces.
        const [user, system] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ").slice(11);
        processes.set(pid, { kind, seconds: (Number(user) + Number(system)) / 100 });
        if (kind === "host" && kilobytes) hostMegabytes = Math.max(hostMegabytes, Number(kilobytes) / 1024);
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = fs.existsSync("/proc") ? setInterval(look, 25) : undefined;
  const sumSeconds = (processKind) =>
    [...processes.values()]
      .filter(({ kind }) => processKind === undefined || kind === processKind)
      .reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    stop: () => clearInterval(timer),
    measured: () => ({
      hostMegabytes,
      /** Of all processes. */
      processorSeconds: sumSeconds(),
      processorSecondsOf: Object.fromEntries(Object.keys(kinds).map((kind) => [kind, sumSeconds(kind)])),
    }),
  };
}
