#!/usr/bin/env node
/** The command line, `npx pulumi-tunnel-edge <command>`. */

import { runCommand } from "./commands/index";

runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
