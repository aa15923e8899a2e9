/** The plugin's process: what the engine starts, and the command `exposure` for projects without Node. */

import { type AddressInfo, createServer } from "node:net";

const [first, ...rest] = process.argv.slice(2);

/** Listens on this machine and prints the port. All else is loaded while the engine connects. */
function listen(engine: string | undefined): void {
  // From the start: the engine may end the process while it loads.
  process.on("SIGINT", async () => (await serving).interrupt());
  const listener = createServer(async (connection) => (await serving).accept(connection));
  const printed = new Promise<void>((done) => {
    listener.listen(0, "127.0.0.1", () => {
      // The engine reads this line.
      process.stdout.write(`${(listener.address() as AddressInfo).port}\n`, () => done());
    });
  });
  const serving = printed.then(() => (require("./server") as typeof import("./server")).serve(engine));
}

if (first === "exposure") {
  const { main } = require("../exposure/main") as typeof import("../exposure/main");
  main(rest).then((code) => {
    process.exitCode = code;
  });
} else {
  listen(first);
}
