/** `pulumi do`, which calls the plugin without a program. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { read } from "../docs/pages";
import type { Stack } from "../support/cli/pulumi";
import { createYamlStack } from "../support/cli/yamlStack";
import { normalize, sampleOf } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";
import { root } from "../support/root";

const plugin = join(root, "plugin/pulumi-resource-tunnel-edge");

let emulator: Emulator;
let stack: Stack;
beforeAll(async () => {
  ({ emulator, stack } = await createYamlStack({ resources: {} }));
});
beforeEach(() => emulator.reset());

/** Runs an operation, with inputs from a file: nested ones have no flags. */
async function run(token: string, args: string[], inputs?: Properties): Promise<string> {
  const file = join(stack.dir, "inputs.pp");
  const lines = Object.entries(inputs ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  writeFileSync(file, lines.join("\n"));
  const input = inputs ? ["--input", "pcl", "--input-file", file] : [];
  const { stdout } = await stack.run(["do", "--package", plugin, `tunnel-edge:${token}`, ...args, ...input]);
  return stdout;
}
const change = (type: string, args: string[], inputs?: Properties) =>
  run(type, [...args, "--stateless", "--output=json", "--yes"], inputs);

/** One of each kind: test/resources calls the plugin for all of them. */
const kinds = ["ApiKey", "TlsEdge", "TcpEdgeIpRestriction", "HttpsEdgeRouteOidc"].map(sampleOf);

test.each(kinds)("$type is created, read, patched and deleted", async ({ type, parents, programs, findObjects }) => {
  const references = parents?.(emulator) ?? {};
  const [first, second] = programs("one");
  const find = () => findObjects(emulator.account, "one", references);
  const created = await change(type, ["create"], { ...references, ...first });
  const [{ id, object }] = find() as [{ id: string; object: Properties }];
  expect(normalize(object)).toEqual(normalize(first));
  for (const secret of ["client-hush", String(object["token"])]) expect(created).not.toContain(secret);
  const outputs = JSON.parse(await run(type, ["read", id, "--output=json"]));
  expect(outputs).toMatchObject({ id });
  // What the patch does not name stays. With what terminates upstream it could not.
  const { hostports: _, keepers: __, tlsTermination: ___, terminateAt: ____, ...named } = second as Properties;
  await change(type, ["patch", id], named);
  expect(normalize(find()[0]!.object)).toEqual(normalize({ ...first, ...named }));
  await change(type, ["delete", id]);
  expect(find()).toEqual([]);
});

test("a command is sent, and the service keeps nothing of it", async () => {
  const { sessions } = emulator.seed({ sessions: [{}] });
  await change("TunnelSessionCommand", ["create"], { sessionId: sessions[0]!.id, commands: ["update"] });
  expect(emulator.calls()).toContain("POST /tunnel_sessions/{id}/update");
  await expect(run("TunnelSessionCommand", ["read", "x"])).rejects.toThrow("the service does not store commands");
});

test("a function reads, with flags for its arguments", async () => {
  expect(JSON.parse(await run("getTunnels", []))).toEqual({ tunnels: [] });
  const { httpsEdges } = emulator.seed({ httpsEdges: [{ routes: [{}] }] });
  const flags = ["--edge-id", httpsEdges[0]!.id, "--route-id", httpsEdges[0]!.routes[0]!.id];
  await expect(run("getHttpsEdgeRouteOidc", flags)).rejects.toThrow("there is no OIDC module ");
});

test("list prints all pages of the account, or what the filters and --count select", async () => {
  emulator.seed({
    tcpEdges: Array.from({ length: 120 }, (_, index) => ({
      id: `edgtcp_${index}`,
      description: `edge ${index}`,
      hostports: [`a.example.com:${index + 1}`],
    })),
  });
  const list = async (...args: string[]) => JSON.parse(await run("TcpEdge", ["list", ...args]));
  expect(await list()).toHaveLength(120);
  expect(await list("--hostport", "A.example.com:8")).toEqual([{ id: "edgtcp_7", name: "edge 7" }]);
  expect(await list("--count", "110")).toHaveLength(110);
  expect(await run("TcpEdgeIpRestriction", ["--help"])).not.toMatch(/^ +list /m);
});

test("a provider without a name requires the key in the environment", async () => {
  const withoutKey = { env: { TUNNEL_EDGE_API_KEY: undefined }, fails: true };
  const { stderr } = await stack.run(["do", "--package", plugin, "tunnel-edge:getTcpEdges"], withoutKey);
  expect(stderr).toContain("tunnel-edge:apiKey is not set");
});

test("the commands of docs/languages.md print the output on the page", async () => {
  emulator.seed({
    tcpEdges: [
      {
        id: "edgtcp_2QSDTgHjw",
        description: "ssh of the office",
        hostports: ["1.tcp.example.com:20022"],
        ip_restriction: { enabled: false, ip_policy_ids: ["ipp_2QSCuVhCw"] },
      },
    ],
  });
  const [, section = ""] = /^## Act without a program$(.*?)^## /ms.exec(read("docs/languages.md")) ?? [];
  const shown = [...section.matchAll(/```sh\npulumi (.*)\n```\n\n```text\n([^`]*)```/g)];
  expect(shown).toHaveLength(2);
  const linesOf = (text: string) => text.split("\n").map((line) => line.trimEnd().replace(/\d[\d.]*s\b/, "…s"));
  for (const [, command = "", output = ""] of shown) {
    const { stdout, stderr } = await stack.run(command.replace(/<folder>.*?(?= )/, plugin).split(" "));
    expect(
      linesOf(stdout + stderr)
        .filter(Boolean)
        .sort(),
    ).toEqual(linesOf(output).filter(Boolean).sort());
  }
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true } }]);
});
