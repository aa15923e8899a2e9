/** Gateways, login pages and wrong addresses between the real CLI and the service: nothing is lost, nothing is left open. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { type GatewayResponse, startGateway, withJson } from "../support/gateway";

const page = (status: number, body: string): GatewayResponse => ({
  status,
  headers: { "content-type": "text/html" },
  body: `<html>${body}</html>`,
});

async function start(source: string) {
  const emulator = await startService();
  const gateway = await startGateway(emulator.port);
  const env = { TUNNEL_EDGE_BASE_URL: gateway.url, TUNNEL_EDGE_MAX_RETRIES: "0" };
  const { stack } = await createStack(emulator, source, { env });
  const forwardAll = () => {
    gateway.handle = (_, forward) => forward();
  };
  /** What the state has of each resource. */
  const recorded = async () =>
    (await stack.export({ showSecrets: true })).resources!.map(({ urn, id, inputs, outputs }) => ({
      urn,
      id,
      inputs,
      outputs,
    }));
  return { emulator, gateway, stack, forwardAll, recorded };
}

const edge = declare("TcpEdge", "edge", { hostports: ["a.example.com:1"] });
const restriction = declare("TcpEdgeIpRestriction", "r", { edgeId: "=edge.id", ipPolicyIds: ["ipp_a"] });
const key = declare("ApiKey", "key", { description: "ci" });

test("a gateway's 404, a login page and a wrong path change no state, and delete nothing", async () => {
  const { emulator, gateway, stack, forwardAll, recorded } = await start([edge, key].join("\n"));
  await stack.up();
  const [tcpEdge] = emulator.account.tcpEdges;
  const before = await recorded();

  // The first response is the service's, all others are the gateway's own.
  let requests = 0;
  gateway.handle = async (_, forward) => (++requests === 1 ? forward() : page(404, "no such page"));
  const refreshed = await stack.refresh({ fails: true });
  expect(extractErrors(refreshed).join("\n")).toContain("Check tunnel-edge:baseUrl");
  expect(await recorded()).toEqual(before);

  gateway.handle = async () => page(200, "Please log in");
  const destroyed = await stack.destroy({ fails: true });
  expect(extractErrors(destroyed).join("\n")).toContain(
    "returned 200 with a body that is not JSON. Check tunnel-edge:baseUrl",
  );
  expect(await recorded()).toEqual(before);

  // The service's own 404, for every path below a wrong one.
  gateway.handle = async () => ({
    status: 404,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ error_code: "ERR_404", status_code: 404, msg: "There is no such path." }),
  });
  for (const command of ["refresh", "destroy"] as const) {
    const result = await stack[command]({ fails: true });
    expect(extractErrors(result).join("\n")).toContain("Check the path in tunnel-edge:baseUrl");
    expect(await recorded()).toEqual(before);
  }
  expect(emulator.account.tcpEdges).toEqual([tcpEdge]);

  forwardAll();
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a deletion that a gateway ends with 524 is found out, and the reverted program restricts the edge again", async () => {
  const program = [edge, restriction].join("\n");
  const { emulator, gateway, stack, forwardAll } = await start(program);
  await stack.up();
  gateway.handle = async ({ method, path }, forward) => {
    const response = await forward();
    return method === "DELETE" && path.endsWith("/ip_restriction") ? page(524, "A timeout occurred") : response;
  };
  stack.write(edge);
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  forwardAll();
  stack.write(program);
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true } }]);
  await stack.preview({ expectNoChanges: true });
});

test("a create that a gateway ends with 524 is adopted with a warning, or named", async () => {
  const { emulator, gateway, stack, forwardAll } = await start(edge);
  gateway.handle = async ({ method }, forward) => {
    const response = await forward();
    return method === "POST" ? page(524, "A timeout occurred") : response;
  };
  const { diagnostics } = await stack.up();
  const { id, created_at } = emulator.account.tcpEdges[0]!;
  expect(diagnostics.map(({ message }) => message).join("\n")).toContain(
    `TCP edge ${id} (created ${created_at}) has everything that is declared, so it is managed from now on. If somebody ` +
      "else created it at the same time, remove it from this stack with `pulumi state delete`",
  );
  stack.write([edge, key].join("\n"));
  const named = extractErrors(await stack.up({ fails: true })).join("\n");
  expect(named).toContain(`It may have been created anyway, as ${emulator.account.apiKeys.at(-1)!.id}`);
  forwardAll();
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a create that does not apply a declared protection fails, and the next `pulumi up` repairs it", async () => {
  const program = declare("TcpEdge", "edge", { ipRestriction: { ipPolicyIds: ["ipp_a"] } });
  const { emulator, gateway, stack, forwardAll } = await start(program);
  gateway.handle = async ({ method }, forward) => {
    const response = await forward();
    return method === "POST" ? withJson(response, (json) => ({ ...json, ip_restriction: null })) : response;
  };
  const failed = extractErrors(await stack.up({ fails: true })).join("\n");
  expect(failed).toContain("the service accepted POST /edges/tcp, but did not apply the ipRestriction of TCP edge");
  const { id } = emulator.account.tcpEdges[0]!;
  emulator.api("DELETE", `/edges/tcp/${id}/ip_restriction`);
  forwardAll();
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ id, ip_restriction: { enabled: true } }]);
  await stack.preview({ expectNoChanges: true });
});
