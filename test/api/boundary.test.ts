/**
 * Untrusted input and where the key is sent: malicious ids, addresses, responses, names and strings.
 * Promise: "The key goes only to the service".
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Server as NetServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as tlsServer } from "node:tls";
import * as tunnel from "pulumi-tunnel-edge";
import type { Emulator, LoggedRequest } from "pulumi-tunnel-edge/emulator";
import { RequestTime } from "../support/clock";
import { createCertificate, serviceName } from "../support/data/certificate";
import { publicKey as createKey } from "../support/data/publicKey";
import { objectSamples } from "../support/data/samples";
import { startService } from "../support/emulators";
import { Processes } from "../support/engine/processes";
import type { Properties, TestedProvider } from "../support/engine/provider";
import { RemoteProvider } from "../support/engine/remote";
import { Stack } from "../support/engine/stack";
import { errorOf } from "../support/errorOf";
import { root } from "../support/root";

const time = new RequestTime();
let emulator: Emulator;
let stack: Stack;
beforeAll(async () => {
  emulator = await startService({ allowedHosts: [serviceName], clock: time.now });
});
beforeEach(async () => {
  for (const name of Object.keys(process.env)) if (/^TUNNEL_EDGE_|_PROXY$/i.test(name)) delete process.env[name];
  emulator.reset();
  stack = await Stack.start({ emulator, time, config: { "tunnel-edge:maxRetries": "0" } });
});

const listening: NetServer[] = [];
afterEach(() => {
  for (const server of listening.splice(0)) {
    (server as Server).closeAllConnections?.();
    server.close();
  }
});

async function listen<T extends NetServer>(server: T): Promise<number> {
  listening.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

/** Settings for functions, which run in the program; here, in the test. */
function configureFunctions({ url, apiKey }: { url: string; apiKey: string }): void {
  Object.assign(process.env, { TUNNEL_EDGE_BASE_URL: url, TUNNEL_EDGE_API_KEY: apiKey, TUNNEL_EDGE_MAX_RETRIES: "0" });
}

describe.each([
  "x/y",
  "../api_keys",
  "..",
  ".",
  "a/../../api_keys",
  "x?limit=1",
  "x#y",
  "%2e%2e%2fapi_keys",
  "x%2fy",
  "x\r\nX-Evil: y",
  "x\ny",
  "\u0000",
  "x y",
  "é",
  "\\..\\x",
])("the id %j stays in its path segment", (id) => {
  /** The requests without those that prove that the address is the service's. */
  const withoutProof = (requests: readonly LoggedRequest[]) => requests.filter(({ path }) => path !== "/api_keys");

  /** Expects that every request since the last call was for this id, or for the list that it might be in. */
  function expectContained(list: string): void {
    for (const { path, headers } of withoutProof(emulator.requests)) {
      expect([list, `${list}/${encodeURIComponent(id)}`]).toContain(path);
      expect(headers).not.toHaveProperty("x-evil");
    }
    emulator.clearRequests();
  }

  test("when it is read and imported", async () => {
    for (const { type, programs, definition } of objectSamples) {
      const [args] = programs("mine");
      expect(await errorOf(stack.resource(type).get(id))).not.toMatch(/\n\s+at |undefined/);
      expect(await errorOf(stack.resource(type).up(args, { import: id }))).not.toMatch(/\n\s+at |undefined/);
      expectContained(definition.list.route.replace("GET ", ""));
    }
  });

  test("as part of a module's id, or with too many parts", async () => {
    emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a", oidc: {} }] }] });
    for (const whole of [id, `edghts_a/${id}`, `${id}/edghtsrt_a`, `edghts_a/edghtsrt_a/${id}`]) {
      expect(await errorOf(stack.resource("HttpsEdgeRouteOidc").get(whole))).not.toMatch(/\n\s+at |undefined/);
      for (const { path } of withoutProof(emulator.requests))
        expect(path).toMatch(/^\/edges\/https\/[^/?#]+\/routes\/[^/?#]+\/oidc$/);
      emulator.clearRequests();
    }
  });

  test("as an argument, which the preview rejects if it has white space", async () => {
    const args = { edgeId: `edghts_${id}`, routeId: `edghtsrt_${id}` };
    const message = await errorOf(stack.resource("HttpsEdgeRouteUserAgentFilter").up(args));
    for (const { path } of withoutProof(emulator.requests)) {
      expect(path).toBe(
        `/edges/https/${encodeURIComponent(args.edgeId)}/routes/${encodeURIComponent(args.routeId)}/user_agent_filter`,
      );
    }
    if (/[\s/\0]/.test(id)) {
      expect(message).toMatch(/^edgeId must be .*\nrouteId must be /);
      expect(emulator.requests).toEqual([]);
    }
  });

  test("in a function", async () => {
    configureFunctions(emulator);
    expect(await errorOf(tunnel.getTcpEdge({ id }))).toMatch(/^getTcpEdge: /);
    expectContained("/edges/tcp");
    expect(await errorOf(tunnel.getTunnelSession({ id }))).toMatch(/^getTunnelSession: /);
    expectContained("/tunnel_sessions");
  });
});

describe("the key is sent only to the service", () => {
  const otherRequests: string[] = [];
  const startOtherServer = () =>
    listen(
      createServer((request, response) => {
        otherRequests.push(`${request.method} ${request.url}`);
        response.end("{}");
      }),
    );
  beforeEach(() => {
    otherRequests.length = 0;
  });

  test.each([301, 302, 303, 307, 308])("not to the target of a %s redirect", async (status) => {
    const location = `http://127.0.0.1:${await startOtherServer()}/edges/tcp`;
    for (const method of ["POST", "GET"]) {
      emulator.fail({ method, status, body: {}, headers: { Location: `${location}?token=x` }, times: Infinity });
    }
    expect(await errorOf(stack.resource("TcpEdge").up({}))).toContain(
      `POST /edges/tcp returned ${status}, a redirect to ${location}. Check tunnel-edge:baseUrl`,
    );
    expect(await errorOf(stack.resource("TcpEdge").get("edgtcp_x"))).toMatch(new RegExp(`returned ${status}`));
    expect(otherRequests).toEqual([]);
  });

  test.each([
    (port: number) => `http://127.0.0.1:${port}/tunnels`,
    (port: number) => `//127.0.0.1:${port}/tunnels`,
    (port: number) => `\\\\127.0.0.1:${port}\\tunnels`,
    (port: number) => `http://localhost:${port}/tunnels`,
    () => "https://elsewhere.example/tunnels",
    () => "javascript:alert(1)",
    () => "http://",
  ])("not to the next page of a list at %s", async (next) => {
    configureFunctions(emulator);
    const port = await startOtherServer();
    emulator.fail({ method: "GET", path: "/tunnels", status: 200, body: { tunnels: [], next_page_uri: next(port) } });
    expect(await errorOf(tunnel.getTunnels())).toMatch(
      /^getTunnels: GET \/tunnels returned a next_page_uri that is not on http.*; the API key is never sent elsewhere\./,
    );
    expect(otherRequests).toEqual([]);
    expect(emulator.calls()).toEqual(["GET /tunnels"]);
  });
});

test("sends and reads names of inherited properties, such as constructor, like any other name", async () => {
  const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
  const map = Object.fromEntries(names.map((name) => [name, `${name} of mine`]));
  const key = stack.resource("ApiKey");
  await key.up({ keepers: map });
  expect(key.outputs.keepers).toEqual(map);
  expect(await key.preview({ keepers: map })).toMatchObject({ step: "same" });
  expect(await key.preview({ keepers: {} })).toMatchObject({ step: "replace" });
  const edge = stack.resource("TcpEdge");
  const policy = { inbound: [{ actions: [{ type: "log", config: map }] }] };
  await edge.up({ policy });
  expect(emulator.account.tcpEdges[0]!.policy!.inbound[0]!.actions[0]!.config).toEqual(map);
  expect(await edge.refresh()).toBe("same");
  const [httpsEdge] = emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }] }).httpsEdges;
  const headers = stack.resource("HttpsEdgeRouteRequestHeaders");
  await headers.up({ edgeId: httpsEdge!.id, routeId: "edghtsrt_a", add: map });
  expect(await headers.refresh()).toBe("same");
  expect(headers.outputs.add).toEqual(map);
});

test("reads __proto__ in a response as a name like any other", async () => {
  configureFunctions(emulator);
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}');
  const body = JSON.parse(
    `{"tunnels":[{"id":"tn_a","labels":${JSON.stringify(labels)},"__proto__":{"polluted":true}}]}`,
  );
  emulator.fail({ method: "GET", path: "/tunnels", status: 200, body, times: 2 });
  const { tunnels } = await tunnel.getTunnels();
  expect(Object.entries(tunnels[0]!.labels!)).toEqual(Object.entries(labels));
  expect((await tunnel.getTunnels({ labels: JSON.parse('{"__proto__":"x"}') })).tunnels).toHaveLength(1);
  expect(({} as Properties)["polluted"]).toBeUndefined();

  const edge = stack.resource("TcpEdge");
  await edge.up({ policy: { inbound: [{ actions: [{ type: "log", config: { a: 1 } }] }] } });
  const held = JSON.stringify(emulator.account.tcpEdges[0]).replace('{"a":1}', '{"a":1,"__proto__":{"enabled":false}}');
  emulator.fail({ method: "GET", status: 200, body: `${held.slice(0, -1)},"__proto__":{"metadata":"evil"}}` });
  await edge.refresh();
  expect(edge.outputs).not.toHaveProperty("metadata");
  expect(edge.outputs.policy.enabled).not.toBe(false);
  expect(await stack.resource("TcpEdge").preview({ description: "as before" })).toMatchObject({ step: "create" });
});

test("control characters from the service are escaped on the terminal", async () => {
  const evil = "\u001b[2J\u001b]0;title\u0007\u009b31m\u202egnp.exe\u2066x\u200bx\r\nerror: all is lost";
  const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;
  const said: string[] = [];
  emulator.fail({
    method: "POST",
    status: 400,
    body: { error_code: evil, msg: evil, details: { operation_id: evil } },
  });
  said.push(await errorOf(stack.resource("TcpEdge").up({})));
  expect(said[0]).toContain("[2J");
  expect(said[0]).not.toContain("\n");
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { backend: { backend_id: evil } });
  const backend = { backendId: "bkdhr_a" };
  said.push(await errorOf(stack.resource("TcpEdge").preview({ backend }, { import: id })));
  expect(said[1]).toMatch(/^backend\.backendId is "bkdhr_a" in the program, but .*all is lost/);
  const publicKey = createKey("evil");
  emulator.fail({ method: "POST", status: 400, times: 4, body: { status_code: 400, msg: "taken" } });
  const holder = { id: evil, public_key: publicKey };
  emulator.fail({ method: "GET", path: "/ssh_credentials", status: 200, body: { ssh_credentials: [holder] } });
  said.push(await errorOf(stack.resource("SshCredential").up({ publicKey })));
  expect(said[2]).toMatch(/publicKey is already used by [\s\S]*title/);
  configureFunctions(emulator);
  emulator.fail({ method: "GET", status: 400, body: { status_code: 400, msg: evil } });
  said.push(await errorOf(tunnel.getTunnels()));
  for (const text of said) expect(text).not.toMatch(obeyed);
});

describe("network settings", () => {
  /** A proxy that resolves every name to this machine and records its requests. */
  async function startProxy(): Promise<{ url: string; requests: string[] }> {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(502).end();
    });
    server.on("connect", (request, socket) => {
      requests.push(`CONNECT ${request.url}`);
      const [, port] = request.url!.split(":");
      const onward = connect(Number(port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on("error", () => undefined);
    });
    return { url: `http://127.0.0.1:${await listen(server)}`, requests };
  }

  /** The service behind a TLS server with this certificate. */
  async function startTlsServer(port: number, { key, cert }: { key: string; cert: string }): Promise<number> {
    const server = tlsServer({ key, cert }, (socket) => {
      const onward = connect(port, "127.0.0.1");
      socket.pipe(onward).pipe(socket);
      for (const end of [onward, socket]) end.on("error", () => undefined);
    });
    server.on("tlsClientError", () => undefined);
    return listen(server);
  }

  /** The file of a certificate authority, and the port of the service behind its certificate. */
  async function startCertifiedService(
    { port }: { port: number },
    options: { isExpired?: boolean } = {},
  ): Promise<{ file: string; port: number }> {
    const folder = mkdtempSync(join(tmpdir(), "tunnel-edge-"));
    folders.push(folder);
    const certificate = createCertificate(options);
    const file = join(folder, "ca.pem");
    writeFileSync(file, certificate.cert);
    return { file, port: await startTlsServer(port, certificate) };
  }
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  const configure = (baseUrl: string) => ({
    "tunnel-edge:baseUrl": baseUrl,
    "tunnel-edge:apiKey": emulator.apiKey,
    "tunnel-edge:maxRetries": "0",
  });
  const up = (provider: TestedProvider) => provider.resource("TcpEdge").up({});

  /** In this process, with these variables of the environment. */
  function upWith(baseUrl: string, env: Record<string, string> = {}): Promise<string> {
    Object.assign(process.env, env);
    return up(new Processes(time).start("dynamic", configure(baseUrl), env));
  }

  /** In the process of the bundled plugin: Node reads the authorities that it trusts when it starts. */
  async function upTrusting(file: string, baseUrl: string, env: Record<string, string> = {}): Promise<string> {
    const script = join(root, "plugin/pulumi-resource-tunnel-edge");
    const options = { config: configure(baseUrl), env: { NODE_EXTRA_CA_CERTS: file, ...env }, script };
    return up((await RemoteProvider.start("plugin", options)).tested);
  }

  test("a certificate authority in NODE_EXTRA_CA_CERTS is trusted, others are not", async () => {
    const { file, port } = await startCertifiedService(emulator);
    const url = `https://127.0.0.1:${port}`;
    expect(await errorOf(upWith(url))).toMatch(
      /certificate is not trusted \(\w+\); add its authority with NODE_EXTRA_CA_CERTS\./,
    );
    expect(emulator.account.tcpEdges).toEqual([]);
    expect(await upTrusting(file, url)).toBe("create");
  });

  test.each([
    ["of another host", "localhost", false, "for another host name; check the host of tunnel-edge:baseUrl."],
    ["that has expired", "127.0.0.1", true, "the certificate has expired; renew it on the server."],
  ])("a certificate %s is rejected, and the message says why", async (_, host, isExpired, reason) => {
    const { file, port } = await startCertifiedService(emulator, { isExpired });
    expect(await errorOf(upTrusting(file, `https://${host}:${port}`))).toContain(reason);
    expect(emulator.account.tcpEdges).toEqual([]);
  });

  test("HTTPS_PROXY and NO_PROXY are respected", async () => {
    const { file, port } = await startCertifiedService(emulator);
    const { url, requests } = await startProxy();
    const service = `https://${serviceName}:${port}`;
    expect(await upTrusting(file, service, { HTTPS_PROXY: url })).toBe("create");
    expect(requests.splice(0)).toEqual([`CONNECT ${serviceName}:${port}`]);
    const direct = upWith(service, { HTTPS_PROXY: url, NO_PROXY: serviceName });
    expect(await errorOf(direct)).toMatch(/host name/);
    expect(requests).toEqual([]);
  });

  test("messages name the proxy that rejects or does not run", async () => {
    const rejecting = createServer();
    rejecting.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    const url = `http://user:hush-hush@127.0.0.1:${await listen(rejecting)}`;
    const attempt = (env: Record<string, string>) => errorOf(upWith(`https://${serviceName}`, env));
    const failed = `POST /edges/tcp failed to connect to https://${serviceName}: `;
    expect(await attempt({ HTTPS_PROXY: url })).toContain(
      `${failed}the proxy returned 407: it requires a user name and a password. ` +
        "Check HTTPS_PROXY, which names the proxy, and NO_PROXY.",
    );
    rejecting.close();
    delete process.env["HTTPS_PROXY"];
    // Without one of its own, HTTPS goes through the proxy for HTTP.
    expect(await attempt({ HTTP_PROXY: url })).toContain(
      `${failed}the connection was refused. Check HTTP_PROXY, which names the proxy, and NO_PROXY.`,
    );
  });

  test.each(["127.0.0.1", "127.1.2.3", "localhost", "[::1]"])("requests to %s bypass the proxy", async (host) => {
    const { port } = await startCertifiedService(emulator);
    const { url, requests } = await startProxy();
    const env = { HTTP_PROXY: url, HTTPS_PROXY: url };
    const plain = upWith(`http://${host}:${emulator.port}`, env);
    if (/^(localhost|127.0.0.1)$/.test(host)) expect(await plain).toBe("create");
    await Promise.allSettled([plain, upWith(`https://${host}:${port}`, env)]);
    expect(requests).toEqual([]);
  });
});

test("the emulator listens only on this machine", async () => {
  const outer = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === "IPv4");
  const reaches = (address: string) =>
    new Promise<boolean>((done) => {
      const socket = connect(emulator.port, address, () => done(true));
      socket.on("error", () => done(false)).on("close", () => socket.destroy());
    });
  expect(await reaches("127.0.0.1")).toBe(true);
  if (outer) expect(await reaches(outer.address)).toBe(false);
});
