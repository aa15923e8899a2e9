/** A door before a server: while it is closed, connections are refused, as by a machine that runs no such server. */
import { connect, createServer, type Server, type Socket } from "node:net";

export class Gate {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  /** A gate before a port of this machine, open. */
  static async before(port: number): Promise<Gate> {
    const gate = new Gate(port);
    gates.push(gate);
    await gate.open();
    return gate;
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
      this.join(incoming, outgoing);
      this.join(outgoing, incoming);
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(this.port, "127.0.0.1", done));
    this.port = (server.address() as { port: number }).port;
  }

  private join(socket: Socket, other: Socket): void {
    this.sockets.add(socket);
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      this.sockets.delete(socket);
      other.destroy();
    });
  }

  /** Refuses connections from now on, and cuts those there are; without `cut`, an answer on its way still arrives. */
  close({ cut = true } = {}): void {
    this.server?.close();
    this.server = undefined;
    if (cut) this.cut();
  }

  /** Cuts the connections there are; new ones are taken. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

const gates: Gate[] = [];
afterAll(() => {
  for (const gate of gates.splice(0)) gate.close();
});
