/** What recent versions of the CLI can do, and what it means here. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService, wrapProgram } from "../support/cli/cliStack";
import { Stack } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlResource } from "../support/cli/yamlStack";
import { root } from "../support/root";

/** Runs a command of the package. */
const runCommand = (cwd: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, "dist/bin.js"), ...args], { cwd, encoding: "utf8" });

test("an import file with outputs skips the read, and --ignore-protect decides what a preview shows", async () => {
  const { emulator, stack } = await createYamlStack({ resources: {} });
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    description: "theirs",
    hostports: ["a.example.com:1"],
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  emulator.clearRequests();
  const inputs = { description: "claimed", hostports: ["a.example.com:1"] };
  const resources = [{ type: "tunnel-edge:index:TcpEdge", name: "ssh", id, inputs, outputs: inputs }];
  writeFileSync(join(stack.dir, "import.json"), JSON.stringify({ resources }));
  await stack.run(["import", "--file", "import.json", "--yes", "--skip-preview", "--generate-code=false"]);
  const program = { resources: { ssh: yamlResource("TcpEdge", inputs, { protect: true }) } };
  writeYaml(stack, program);
  await stack.preview({ expectNoChanges: true });
  // Nothing was read so far: what the file claims is believed until a refresh.
  expect(emulator.calls()).toEqual([]);
  expect((await stack.preview({ args: ["--refresh"] })).summary).toMatchObject({ update: 1 });
  await stack.up({ args: ["--refresh"] });
  expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "claimed", ip_restriction: { enabled: true } }]);

  writeYaml(stack, { resources: {} });
  const comment = async (options: { fails?: boolean }, ...args: string[]) => {
    const preview = await stack.run(["preview", "--json", ...args], options);
    writeFileSync(join(stack.dir, "preview.json"), preview.stdout);
    return runCommand(stack.dir, "exposure", "--markdown", "preview.json").stdout;
  };
  const failed = await comment({ fails: true });
  expect(failed).toContain("Who can connect after this change is not known");
  expect(failed).toContain("cannot be deleted\nbecause it is protected");
  expect(runCommand(stack.dir, "exposure", "preview.json").status).toBe(2);
  const ignored = await comment({}, "--ignore-protect");
  expect(ignored).toContain(`delete TcpEdge "ssh" ${id}`);
  expect(runCommand(stack.dir, "exposure", "preview.json").status).toBe(0);
});

test.each(["dynamic", "plugin"] as const)("%s: envVarMappings do not replace a provider's own key", async (kind) => {
  const emulator = await startService();
  const source = (args: object) =>
    wrapProgram(
      `const mapped = { envVarMappings: { OTHER_KEY: "TUNNEL_EDGE_API_KEY", OTHER_URL: "TUNNEL_EDGE_BASE_URL" } };
       const provider = new tunnel.Provider("other", ${JSON.stringify(args)}, mapped);
       new tunnel.TcpEdge("edge", {}, { provider });`,
      kind,
    );
  const env = { OTHER_KEY: emulator.apiKey, OTHER_URL: emulator.url, TUNNEL_EDGE_BASE_URL: "http://127.0.0.1:1" };
  const stack = await Stack.create({ program: source({}), emulator, env });
  expect((await stack.preview({ fails: true })).stdout).toMatch(/apiKey is empty|has no apiKey/);
  stack.write(source({ apiKey: emulator.apiKey }));
  // Other settings come from the environment, which the mappings change.
  await stack.up();
  expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
});
