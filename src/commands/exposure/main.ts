/** The command `exposure`, which prints which public addresses a change opens. */

import { type Output, parseFile, processIo, run, UsageError } from "../io";
import { findOpenedAddresses } from "./index";
import { listLostModules } from "./lostModules";
import { knownOfRoutes } from "./messages";
import { command, parsePreview } from "./preview";

/** What no preview shows, because the API does not. */
const unreadable = `The API cannot read IP policies and certificate authorities. An address that was
restricted, and gets another one, might be open to anyone.
${knownOfRoutes}`;

const help = `Usage: pulumi-tunnel-edge exposure [options] FILE...

Prints a line for each public address, a hostport or a route of an HTTPS edge,
to which anyone can connect after a change, or might be able to, and could not
before. Prints nothing if there is none.

Each FILE has what this command prints:

  ${command}

Give several previews of the same change, such as one with --refresh, to get one
answer: a line of any of them is a line.

A module that keeps the id of an edge which the change deletes is a warning, on
stderr.

  --fail  exit with code 1 if there is a line
  --json  print the lines as JSON, with who can connect before and after
  --help  show this help

${unreadable}

Exits with code 2 if a FILE is not such a preview, or if the preview failed.
`;

const options = { fail: { type: "boolean" }, json: { type: "boolean" }, help: { type: "boolean" } } as const;

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Output = processIo): Promise<number> =>
  run(argv, io, { help, options, takesFiles: true }, ({ fail, json }, files) => {
    if (files.length === 0) throw new UsageError("Name at least one file; see --help.");
    const previews = files.map((file) => parseFile(file, command));
    const opened = findOpenedAddresses(...previews);
    for (const message of listLostModules(previews.map(parsePreview))) io.err(`${message}\n`);
    io.out(json ? `${JSON.stringify(opened, null, 2)}\n` : opened.map(({ message }) => `${message}\n`).join(""));
    return fail && opened.length > 0 ? 1 : 0;
  });
