/** A gateway in front of the emulator, which can answer instead of the service, or change what the service answers. */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface GatewayRequest {
  method: string;
  path: string;
  body: string;
}

export interface GatewayResponse {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

type Handler = (request: GatewayRequest, forward: () => Promise<GatewayResponse>) => Promise<GatewayResponse>;

const gateways: Server[] = [];
afterAll(() => {
  for (const server of gateways.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a gateway, which forwards requests to a port of this machine as long as `handle` does not say otherwise. */
export async function startGateway(port: number) {
  const gateway = { url: "", handle: ((_, forward) => forward()) as Handler };
  const server = createServer(async (incoming, outgoing) => {
    const body = await readText(incoming);
    const received = { method: incoming.method!, path: incoming.url!, body };
    const { status, headers, body: text } = await gateway.handle(received, () => forward(port, incoming, body));
    outgoing.writeHead(status, headers).end(status === 204 ? undefined : text);
  });
  gateways.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  gateway.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return gateway;
}

const forward = (port: number, { method, url, headers }: IncomingMessage, body: string): Promise<GatewayResponse> =>
  new Promise((done, fail) => {
    const sent = request({ host: "127.0.0.1", port, path: url, method, headers }, async (response) =>
      done({
        status: response.statusCode!,
        headers: { "content-type": response.headers["content-type"] ?? "" },
        body: await readText(response),
      }),
    );
    sent.on("error", fail).end(body);
  });

async function readText(message: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of message.setEncoding("utf8")) text += part;
  return text;
}

/** A response whose JSON is changed. */
export const withJson = (
  response: GatewayResponse,
  change: (json: Record<string, unknown>) => unknown,
): GatewayResponse => ({ ...response, body: JSON.stringify(change(JSON.parse(response.body))) });
