/** A TCP proxy that can be closed. While it is closed, connections are refused, as if nothing listened. */
import { connect, createServer, type Server, type Socket } from "node:net";

export class TcpProxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  /** Starts a proxy to a port of this machine. */
  static async start(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxies.push(proxy);
    await proxy.open();
    return proxy;
  }

  private constructor(private readonly target: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    if (this.server) return;
    const server = createServer((incoming) => {
      const outgoing = connect(this.target, "127.0.0.1");
      incoming.pipe(outgoing).pipe(incoming);
      this.track(incoming, outgoing);
      this.track(outgoing, incoming);
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(this.port, "127.0.0.1", done));
    this.port = (server.address() as { port: number }).port;
  }

  private track(socket: Socket, other: Socket): void {
    this.sockets.add(socket);
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      this.sockets.delete(socket);
      other.destroy();
    });
  }

  /** Refuses connections from now on. Open ones continue. */
  refuse(): void {
    this.server?.close();
    this.server = undefined;
  }

  close(): void {
    this.refuse();
    for (const socket of this.sockets) socket.destroy();
  }
}

const proxies: TcpProxy[] = [];
afterAll(() => {
  for (const proxy of proxies.splice(0)) proxy.close();
});
