/**
 * The CLI is killed at every request of a deployment of all objects and two modules, after the service has processed it.
 * Each time the next step that `inventory` prints is followed. In the end nothing is doubled, and nothing that a
 * deployment created is unmanaged.
 */
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { run as runInventory } from "../commands/inventory/support";
import { createStack, declare, startService, wrapProgram } from "../support/cli/cliStack";
import { type Result, Stack } from "../support/cli/pulumi";
import { fastClock } from "../support/clock";
import { publicKey } from "../support/data/publicKey";
import type { Properties } from "../support/engine/provider";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

/** What is declared, and the request that creates it. */
type Declared = [type: string, name: string, args: Properties, method: string, path: string];

const objects: Declared[] = [
  ["TcpEdge", "tcp", { hostports: ["a.example.com:22"], description: "a" }, "POST", "/edges/tcp"],
  ["TlsEdge", "tls", { description: "b" }, "POST", "/edges/tls"],
  ["ApiKey", "key", { description: "c" }, "POST", "/api_keys"],
  ["SshCredential", "credential", { publicKey: publicKey("d") }, "POST", "/ssh_credentials"],
];

/** A module of an edge of the program, and one of a route that is not. */
const modulesOf = (edge: Emulator["account"]["httpsEdges"][number]): Declared[] => {
  const office = { edgeId: "=tcp.id", ipPolicyIds: ["ipp_a"] };
  const login = { edgeId: edge.id, routeId: edge.routes[0]!.id, issuer: "https://id.example.com", clientId: "a" };
  return [
    ["TcpEdgeIpRestriction", "office", office, "PUT", "/edges/tcp/*/ip_restriction"],
    ["HttpsEdgeRouteOidc", "login", { ...login, clientSecret: "b" }, "PUT", "/edges/https/*/routes/*/oidc"],
  ];
};

class Deployment {
  readonly imports: Record<string, string> = {};

  constructor(
    readonly stack: Stack,
    readonly emulator: Emulator,
    readonly resources: Declared[],
    private readonly provider: "dynamic" | "plugin",
  ) {}

  /** Writes the program, with the options that steps asked for. Each resource waits for the one before it. */
  write(): void {
    const statements = this.resources.map(([type, name, args], index) => {
      const dependsOn = this.resources[index - 1]?.[1];
      return declare(type, name, args, {
        import: this.imports[name],
        ...(dependsOn && { dependsOn: `=${dependsOn}` }),
      });
    });
    this.stack.write(statements.join("\n"));
  }

  async killAt([, , , method, path]: Declared): Promise<void> {
    const met = this.emulator.fail({ method, path, hang: "headers", processed: true });
    this.write();
    const running = this.stack.startOperation(["up", "--yes", "--skip-preview", "--parallel=1"]);
    let ended: Result | undefined;
    running.result.then((result) => {
      ended = result;
    });
    await waitUntil(() => met.hits > 0 || ended !== undefined);
    if (ended) throw new Error(`The deployment ended before ${method} ${path}:\n${ended.stdout}${ended.stderr}`);
    running.kill();
    await running.result;
    met.cancel();
    // What `pulumi cancel` does.
    rmSync(join(this.stack.dir, "../state/.pulumi/locks"), { recursive: true, force: true });
  }

  /** What `inventory` says of the stack. */
  async look(...args: string[]): Promise<string> {
    const file = join(this.stack.dir, "state.json");
    writeFileSync(file, JSON.stringify({ version: 3, deployment: await this.stack.export() }));
    const { code, out, err } = await runInventory(this.emulator, "--state", file, ...args);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  }

  /** Does what the line about a resource says. */
  async follow([type, name]: Declared): Promise<void> {
    const printed = await this.look();
    const lines = printed.split("\n").filter((line) => line.startsWith("- ") && line.includes(`${type} "${name}" of`));
    expect(lines).toHaveLength(1);
    const [line] = lines as [string];
    const [, id, command] =
      /^- (\w+) was probably created for .*(?:: |, )add import: "\1" to its options and run `pulumi up`(?:, or run `pulumi (.*)`)?\.$/.exec(
        line,
      ) ?? [];
    const [, path] =
      /^- \w+ was probably created for .* its token is lost\. If .*no other stack has it, delete it with `curl -X DELETE \w+:\/\/[^/]+(\/\S+) /.exec(
        line,
      ) ?? [];
    if (this.provider === "plugin" && command) {
      await this.stack.run([
        ...command.split(" "),
        "--yes",
        "--skip-preview",
        "--generate-code=false",
        "--protect=false",
      ]);
    } else if (id) this.imports[name] = id;
    else if (path) this.emulator.api("DELETE", path);
    else expect(line).toMatch(/was interrupted\. Run `pulumi up`, which repeats it\.$/);
  }
}

const counts = ({ account }: Emulator) => ({
  tcpEdges: account.tcpEdges.length,
  tlsEdges: account.tlsEdges.length,
  // One is the emulator's own.
  apiKeys: account.apiKeys.length,
  sshCredentials: account.sshCredentials.length,
});

test.each(["dynamic", "plugin"] as const)(
  "gives advice that repairs a deployment killed at each request, with the %s provider",
  async (provider) => {
    const emulator = await startService({});
    const { httpsEdges } = emulator.seed({ httpsEdges: [{ routes: [{}] }] });
    const { stack } = await createStack(emulator, "", { env: fastClock(20) });
    const write = Stack.prototype.write.bind(stack);
    stack.write = (statements) => write(wrapProgram(statements, provider));
    // What differs between the providers is how objects are imported.
    const modules = provider === "dynamic" ? modulesOf(httpsEdges[0]!) : [];
    const deployment = new Deployment(stack, emulator, [...objects, ...modules], provider);
    for (const declared of deployment.resources) {
      await deployment.killAt(declared);
      await deployment.follow(declared);
    }
    deployment.write();
    await stack.up();
    expect(counts(emulator)).toEqual({ tcpEdges: 1, tlsEdges: 1, apiKeys: 2, sshCredentials: 1 });
    // Only the emulator's own key is left.
    const left = (await deployment.look("--unmanaged")).split("\n").filter((line) => line.includes(" no stack "));
    expect(left).toEqual([expect.stringContaining("The key the emulator starts with")]);
    await stack.run(["refresh", "--yes", "--skip-preview", "--clear-pending-creates"]);
    expect((await stack.preview()).summary).toEqual({ same: deployment.resources.length + 1 });

    // The command itself, with the stack's own state.
    const command = [join(root, "dist/bin.js"), "inventory", "--stack", "dev"];
    const { stdout: printed } = await promisify(execFile)(process.execPath, command, {
      cwd: stack.dir,
      env: stack.env as NodeJS.ProcessEnv,
    });
    expect(printed).not.toContain("needs attention");
    expect(printed).toContain('TcpEdge "tcp" of test/dev');
  },
  600_000,
);
