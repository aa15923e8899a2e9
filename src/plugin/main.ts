/** The plugin's process: what the engine starts, and the command `exposure` for projects without Node. */

import { main } from "../exposure/main";
import { serve } from "./server";

const [first, ...rest] = process.argv.slice(2);

if (first === "exposure") {
  main(rest).then((code) => {
    process.exitCode = code;
  });
} else {
  serve(first);
}
