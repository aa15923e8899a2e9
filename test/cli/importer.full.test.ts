/** Accounts imported by the program that the command writes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { emulator as emulated, folder, runCommand, runFromReadme } from "../importer/support";
import { transpileOnly } from "../support/preload";
import { Stack } from "../support/pulumi";

test("300 edges, and a login whose secret the service masks, are imported without a write and without a difference", async () => {
  const emulator = await emulated({ oidcSecrets: "masked" });
  emulator.seed({
    tcpEdges: Array.from({ length: 300 }, (_, at) => ({
      description: at % 3 === 0 ? `edge ${at}` : "one of many",
      hostports: [`1.tcp.example.com:${20_000 + at}`],
      backend: { backend_id: "bkdhr_1" },
      ...(at % 2 === 0 && { ip_restriction: { ip_policy_ids: ["ipp_office"], enabled: at % 4 === 0 } }),
    })),
    httpsEdges: [
      {
        id: "edghts_1",
        routes: [{ id: "edghtsrt_1", oidc: { issuer: "https://id.example.com", client_secret: "hush-hush" } }],
      },
    ],
  });
  const before = emulator.account;
  const dir = join(folder(), "project");
  const printed = await runCommand(emulator, "--out", dir, "--route", "edghts_1/edghtsrt_1");
  expect(printed).toContain("a Pulumi project for 301 existing objects");

  emulator.clearRequests();
  const config = { oidc1ClientSecret: { secret: "hush-hush" } };
  const stack = await Stack.create({ dir, emulator, config, env: transpileOnly });
  const up = await stack.up();
  expect(up.summary).toEqual({ create: 302 });
  expect(new Set(emulator.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(emulator.account).toEqual(before);

  emulator.clearRequests();
  await stack.preview({ expectNoChanges: true });
  runFromReadme(dir, "import");
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".ts"))) {
    expect(readFileSync(join(dir, file), "utf8")).not.toContain("import:");
  }
  await stack.preview({ expectNoChanges: true });
  expect(emulator.requests).toEqual([]);
}, 600_000);

test("the README's command removes the protection without a write, and then destroy deletes what was imported", async () => {
  const emulator = await emulated();
  emulator.seed({ tcpEdges: [{ description: "ssh" }], sshCredentials: [{ public_key: "ssh-ed25519 AAAA" }] });
  const dir = join(folder(), "project");
  await runCommand(emulator, "--out", dir);
  const stack = await Stack.create({ dir, emulator, env: transpileOnly });
  await stack.up();
  runFromReadme(dir, "protect");
  emulator.clearRequests();
  await stack.up();
  expect(emulator.calls()).toEqual([]);
  await stack.destroy();
  // The key in use was not imported.
  expect(emulator.account).toMatchObject({ tcpEdges: [], sshCredentials: [], apiKeys: [{}] });
}, 300_000);
