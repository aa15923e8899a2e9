/** The plugin's process: what the engine starts, and the commands, for projects without Node. */

import { type AddressInfo, createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runCommand } from "../commands/index";

const argv = process.argv.slice(2);

/** The engine gives its address last, after flags of its own. Without arguments, it attaches later. */
const isStartedByEngine =
  argv.length === 0 || (/.:\d+$/.test(argv.at(-1)!) && (argv.length === 1 || argv[0]!.startsWith("-")));

/** Listens on this machine and prints the port. All else is loaded while the engine connects. */
function listen(engine: string | undefined): void {
  // The parser of HTTP is WebAssembly. To optimize it takes longer than it ever runs.
  setFlagsFromString("--liftoff-only");
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

if (isStartedByEngine) {
  listen(argv.at(-1));
} else {
  runCommand(argv).then((code) => {
    process.exitCode = code;
  });
}
