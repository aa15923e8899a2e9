/** An `onError` hook asks for a create again: what the first attempt has left is used or named. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService, wrapProgram } from "../support/cli/cliStack";
import { runProcess } from "../support/cli/example";
import { Stack } from "../support/cli/pulumi";
import { curlDelete } from "../support/curl";
import { startGateway } from "../support/gateway";
import { lazySdk } from "../support/preload/preload";
import { root } from "../support/root";

/** Deploys with the Automation API: the Node language host that the set-up builds knows no hooks. */
const program = (provider: "dynamic" | "plugin") => `${wrapProgram("", provider)}
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const again = () => ({ hooks: { onError: [new pulumi.ErrorHook("again", ({ errors }) => errors.length < 3)] } });
const program = async () => {
  const opts = again();
  const ipRestriction = { ipPolicyIds: ["ipp_a"] };
  new tunnel.ApiKey("key", { description: "ci" }, opts);
  new tunnel.TcpEdge("ignored", { hostports: ["1.tcp.example.com:1"], ipRestriction }, opts);
  new tunnel.TlsEdge("lost", { hostports: ["tls.example.com:443"] }, opts);
};
(async () => {
  const projectSettings = { name: "inline", runtime: "nodejs", main: __dirname, plugins: ${JSON.stringify({
    providers: [{ name: "tunnel-edge", path: join(root, "plugin") }],
  })} };
  const stack = await LocalWorkspace.createStack({ stackName: "dev", projectName: "inline", program }, { projectSettings });
  await stack.up({ onOutput: (text) => process.stdout.write(text) });
  const { deployment } = await stack.exportStack();
  console.log("IDS " + JSON.stringify(deployment.resources.map(({ id }) => id).filter(Boolean)));
})();`;

const startsWith = (prefix: string) => (id: string) => id.startsWith(prefix);

test.each(["dynamic", "plugin"] as const)(
  "%s: a retry forgets nothing that the failed create has left",
  async (kind) => {
    const emulator = await startService();
    const gateway = await startGateway(emulator.port);
    const met = new Set<string>();
    const isFirst = (call: string) => met.size < met.add(call).size;
    gateway.handle = async ({ method, path }, forward) => {
      const call = `${method} ${path.split("?")[0]}`;
      const response = await forward();
      const lost = { status: 504, body: "" };
      if (/^(POST \/(api_keys|edges\/tls)|GET \/edges\/tls)$/.test(call) && isFirst(call)) return lost;
      if (call !== "POST /edges/tcp" || !isFirst(call)) return response;
      // The service does not apply the restriction.
      const edge = JSON.parse(response.body) as { id: string };
      emulator.api("DELETE", `/edges/tcp/${edge.id}/ip_restriction`);
      return { ...response, body: JSON.stringify({ ...edge, ip_restriction: null }) };
    };
    const env = { NODE_OPTIONS: lazySdk, PULUMI_STACK: undefined, TUNNEL_EDGE_MAX_RETRIES: "0" };
    const stack = await Stack.create({ program: "", emulator: { url: gateway.url, apiKey: emulator.apiKey }, env });
    writeFileSync(join(stack.dir, "inline.js"), program(kind));
    const { code, printed } = await runProcess(process.execPath, ["inline.js"], stack.dir, stack.env);
    expect({ code, printed }).toMatchObject({ code: 0, printed: expect.stringMatching(/^IDS /m) });
    const ids = JSON.parse(/^IDS (.*)$/m.exec(printed)![1]!) as string[];
    const posts = emulator.requests.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(posts.sort()).toEqual(["/api_keys", "/api_keys", "/edges/tcp", "/edges/tls"]);
    // The edges of the first attempts are those of the state, and restricted.
    expect(emulator.account.tcpEdges).toMatchObject([{ id: ids.find(startsWith("edgtcp_")), ip_restriction: {} }]);
    expect(emulator.account.tlsEdges).toMatchObject([{ id: ids.find(startsWith("edgtls_")) }]);
    const [lost] = emulator.account.apiKeys.filter(({ id, description }) => description === "ci" && !ids.includes(id));
    expect(printed).toContain(
      `as ${lost!.id} (created ${lost!.created_at}). Its token was in the lost response and cannot be read again. A new ` +
        "one is created now. Make sure that it belongs to no other resource (`pulumi stack --show-ids`). Then delete it " +
        `with ${curlDelete(gateway.url, `/api_keys/${lost!.id}`)}.`,
    );
  },
);
