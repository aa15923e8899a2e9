/** Deploys the program with the Pulumi CLI on an emulator, and checks what it creates and changes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";

jest.setTimeout(300_000);

let emulator: Emulator;
let stack: Stack;
const state = mkdtempSync(join(tmpdir(), "state-"));

beforeAll(async () => {
  const pulumiCommand = await PulumiCommand.get().catch((cause) => {
    const missing = "These tests need the Pulumi CLI on PATH (https://www.pulumi.com/docs/install/).";
    throw new Error(`${missing} \`npx jest mocks\` runs the tests that do not.`, { cause });
  });
  emulator = await startEmulator();
  const envVars = {
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    TUNNEL_EDGE_BASE_URL: emulator.url,
    TUNNEL_EDGE_API_KEY: emulator.apiKey,
  };
  stack = await LocalWorkspace.createStack({ stackName: "test", workDir: __dirname }, { envVars, pulumiCommand });
  await stack.setConfig("partnerKey", { value: emulator.apiKey, secret: true });
  await stack.up();
});

// One hook each, so that after a failure the others still run and jest can exit.
afterAll(() => stack?.destroy({ remove: true }));
afterAll(() => emulator?.close());
afterAll(() => rmSync(state, { recursive: true }));

test("an unchanged program sends only the requests of the audit", async () => {
  emulator.clearRequests();
  const { changeSummary } = await stack.preview();
  expect(changeSummary).toEqual({ same: 8 });
  expect(emulator.calls().sort()).toEqual(["GET /edges/tcp", "GET /edges/tls"]);
});

test("the audit lists an open edge of somebody else, and none of the program's", async () => {
  expect(emulator.account.tcpEdges).toHaveLength(2);
  emulator.seed({ tcpEdges: [{ id: "edgtcp_open", hostports: ["1.tcp.tunnel.example:1"] }] });
  const { outputs } = await stack.up();
  expect(outputs["open"]?.value).toEqual(["edgtcp_open"]);
});

test("ipPolicyIds that somebody else sets are left alone, and a changed backend is restored", async () => {
  const [edge] = emulator.account.tcpEdges;
  const path = `/edges/tcp/${edge!.id}`;
  emulator.api("PUT", `${path}/ip_restriction`, { ip_policy_ids: ["ipp_home"] });
  emulator.api("PATCH", path, { backend: { backend_id: "bkdtg_other" } });
  await stack.up({ refresh: true });
  expect(emulator.api("GET", path)).toMatchObject({
    backend: { backend: { id: edge!.backend!.backend.id } },
    ip_restriction: { ip_policies: [{ id: "ipp_home" }] },
  });
});
