/** An `onError` hook asks for a create again: only one that has left nothing is sent again. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService, wrapProgram } from "../support/cli/cliStack";
import { runProcess } from "../support/cli/example";
import { Stack } from "../support/cli/pulumi";
import { curlDelete } from "../support/curl";
import { publicKey } from "../support/data/publicKey";
import { startGateway } from "../support/gateway";
import { lazySdk } from "../support/preload/preload";
import { root } from "../support/root";

/** Deploys with the Automation API: the Node language host that the set-up builds knows no hooks. */
const program = (provider: "dynamic" | "plugin") => `${wrapProgram("", provider)}
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const again = () => ({ hooks: { onError: [new pulumi.ErrorHook("again", ({ errors }) => errors.length < 3)] } });
const program = async () => {
  const opts = again();
  new tunnel.SshCredential("rejected", { publicKey: ${JSON.stringify(publicKey("rejected"))} }, opts);
  new tunnel.ApiKey("key", { description: "ci" }, opts);
  new tunnel.TcpEdge("halfway", { ipRestriction: { ipPolicyIds: ["ipp_a"] } }, opts);
  new tunnel.TlsEdge("unlisted", { hostports: ["tls.example.com:443"] }, opts);
};
(async () => {
  const projectSettings = { name: "inline", runtime: "nodejs", main: __dirname, plugins: ${JSON.stringify({
    providers: [{ name: "tunnel-edge", path: join(root, "plugin") }],
  })} };
  const stack = await LocalWorkspace.createStack({ stackName: "dev", projectName: "inline", program }, { projectSettings });
  await stack.up({ continueOnError: true }).catch(({ message }) => console.log(message));
  const { deployment } = await stack.exportStack();
  console.log("IDS " + JSON.stringify(deployment.resources.map(({ id }) => id).filter(Boolean)));
})();`;

test.each(["dynamic", "plugin"] as const)(
  "%s: a create that may have left something fails again, and what it left is in the state or named",
  async (kind) => {
    const emulator = await startService();
    const gateway = await startGateway(emulator.port);
    emulator.fail({ method: "POST", path: "/ssh_credentials", status: 403 });
    gateway.handle = async ({ method, path }, forward) => {
      const call = `${method} ${path.split("?")[0]}`;
      const response = await forward();
      if (/^(POST \/(api_keys|edges\/tls)|GET \/edges\/tls)$/.test(call)) return { status: 504, body: "" };
      if (call !== "POST /edges/tcp") return response;
      // The service does not apply the restriction.
      const edge = JSON.parse(response.body) as { id: string };
      emulator.api("DELETE", `/edges/tcp/${edge.id}/ip_restriction`);
      return { ...response, body: JSON.stringify({ ...edge, ip_restriction: null }) };
    };
    const env = { NODE_OPTIONS: lazySdk, PULUMI_STACK: undefined, TUNNEL_EDGE_MAX_RETRIES: "0" };
    const stack = await Stack.create({ program: "", emulator: { url: gateway.url, apiKey: emulator.apiKey }, env });
    writeFileSync(join(stack.dir, "inline.js"), program(kind));
    const { printed } = await runProcess(process.execPath, ["inline.js"], stack.dir, stack.env);
    const ids = JSON.parse(/^IDS (.*)$/m.exec(printed)![1]!) as string[];
    const posts = emulator.requests.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(posts.sort()).toEqual(["/api_keys", "/edges/tcp", "/edges/tls", "/ssh_credentials", "/ssh_credentials"]);
    const { apiKeys, sshCredentials, tcpEdges } = emulator.account;
    const [edge, credential] = [tcpEdges[0]!, sshCredentials[0]!];
    expect(ids).toEqual(expect.arrayContaining([edge.id, credential.id]));
    const again = "was not created again, because it may exist.";
    expect(printed).toContain(`TCP edge ${again} TCP edge could not be created: `);
    expect(printed).toContain(`did not apply the ipRestriction of TCP edge ${edge.id}`);
    expect(printed).toContain(`TLS edge ${again} TLS edge could not be created: `);
    const { id, created_at } = apiKeys.find(({ description }) => description === "ci")!;
    expect(printed).toContain(`API key ${again} API key could not be created: POST /api_keys returned 504`);
    expect(printed).toContain(`It may have been created anyway, as ${id} (created ${created_at}). Its token was in`);
    expect(printed).toContain(
      `Then delete it with ${curlDelete(gateway.url, `/api_keys/${id}`)} and run \`pulumi up\``,
    );
  },
);
