// A stack of one program with the Pulumi CLI and its own file backend.
import fs from "node:fs";
import path from "node:path";
import { createEnvironment } from "../scripts/lib/environment.js";
import { run, work } from "../scripts/lib/index.mjs";

let stackCount = 0;

export class Stack {
  constructor(program, service, directories) {
    this.dir = path.join(work, "bench", `stack-${process.pid}-${++stackCount}`);
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

  /** Runs an operation; returns its duration, the processor time of each process and the peak memory of the provider host. */
  async time(operation) {
    const flags = operation === "preview" ? [] : ["--yes", "--skip-preview"];
    const processes = watchProcesses(this.dir);
    const start = performance.now();
    try {
      await this.pulumi(operation, ...flags, "--suppress-progress", "--suppress-outputs");
    } finally {
      processes.stop();
    }
    return { seconds: (performance.now() - start) / 1000, ...processes };
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

/** Watches the processes in a directory: the engine, the program and the provider hosts. */
function watchProcesses(dir) {
  const processes = new Map();
  let peakMegabytes = 0;
  const sample = () => {
    for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (!fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)) continue;
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const kind = Object.keys(kinds).find((name) => kinds[name].test(command));
        const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        // Fields 14 and 15, in hundredths of a second, counted after field 2, which may contain spaces.
        const [user, system] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ").slice(11);
        if (kind) processes.set(pid, { kind, seconds: (Number(user) + Number(system)) / 100 });
        // A process that is ending has no memory.
        if (kind === "host" && kilobytes) peakMegabytes = Math.max(peakMegabytes, Number(kilobytes) / 1024);
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = fs.existsSync("/proc") ? setInterval(sample, 100) : undefined;
  const sumSeconds = (processKind) =>
    [...processes.values()].filter(({ kind }) => kind === processKind).reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    stop: () => clearInterval(timer),
    hostMegabytes: () => peakMegabytes,
    processorSeconds: () => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, sumSeconds(kind)])),
  };
}
