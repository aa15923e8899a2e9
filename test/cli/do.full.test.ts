/** `pulumi do`, which calls the plugin without a program: every function, and every operation of every resource. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { definitions, readOnly } from "../../src/definitions";
import { parentsOf } from "../../src/definitions/definition";
import { read } from "../docs/pages";
import type { Stack } from "../support/cli/pulumi";
import { createYamlStack } from "../support/cli/yamlStack";
import { normalize, samples } from "../support/data/samples";
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

describe.each(samples)("$type", ({ type, parents, programs, findObjects }) => {
  test("is created, read, patched and deleted", async () => {
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
});

test("a command is sent, and the service keeps nothing of it", async () => {
  const { sessions } = emulator.seed({ sessions: [{}] });
  await change("TunnelSessionCommand", ["create"], { sessionId: sessions[0]!.id, commands: ["update"] });
  expect(emulator.calls()).toContain("POST /tunnel_sessions/{id}/update");
  await expect(run("TunnelSessionCommand", ["read", "x"])).rejects.toThrow("the service does not store commands");
});

test("every function reads", async () => {
  for (const definition of [...definitions, ...readOnly]) {
    const { type } = definition;
    if (definition.kind !== "module") {
      const name = `get${definition.plural}`;
      expect(Object.values(JSON.parse(await run(name, [])))).toEqual([expect.any(Array)]);
    }
    const [edge] = emulator.seed({ httpsEdges: [{ routes: [{}] }] }).httpsEdges;
    const ids: Record<string, string> = { id: "none_1", edgeId: edge!.id, routeId: edge!.routes[0]!.id };
    const names = definition.kind === "module" ? parentsOf(definition) : ["id"];
    const flags = names.flatMap((name) => [
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      ids[name]!,
    ]);
    await expect(run(`get${type}`, flags)).rejects.toThrow(`there is no ${definition.displayName} `);
  }
});

test("the key is required, of a provider without a name from the environment", async () => {
  const withoutKey = { env: { TUNNEL_EDGE_API_KEY: undefined }, fails: true };
  const { stderr } = await stack.run(["do", "--package", plugin, "tunnel-edge:getTcpEdges"], withoutKey);
  expect(stderr).toContain("tunnel-edge:apiKey is not set");
});

test("the commands of docs/languages.md print what it shows", async () => {
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
