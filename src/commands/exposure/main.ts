/** The command `exposure`, which prints which public addresses a change opens. */

import { escapeInvisible } from "../../base/quote";
import { type Output, processIo, readText, run, UsageError } from "../io";
import { type AcceptedList, adviseRejected, findUnused, parseAccepted, review } from "./accepted";
import { type CommentOptions, writeComment } from "./comment";
import { listLostModules } from "./lostModules";
import { routesNote } from "./messages";
import { listOpened } from "./opened";
import { command, parsePreview, readPreviewFile } from "./preview";

/** What no preview shows, because the API does not. */
const unreadable = `The API cannot read IP policies and certificate authorities. An address that was
restricted, and gets another one, might be open to anyone.
${routesNote}`;

const help = `Usage: pulumi-tunnel-edge exposure [options] FILE...

Prints a line for each public address, a hostport or a route of an HTTPS edge,
to which anyone can connect after a change, or might be able to, and could not
before. Prints nothing if there is none.

Each FILE is the output of this command:

  ${command}

Give several previews of the same change, such as one with --refresh, to get one
answer: it prints a line that any of them has.

Warns on stderr if a module still names an edge that the change deletes.

  --accept FILE    the public addresses that may be open to anyone, exactly as the
                   lines print them, one on each line; # begins a comment
  --fail           exit with code 1 if an address opens that FILE does not list, or
                   if FILE lists one that is not open after the change
  --json           print the lines as JSON, with who can connect before and after
  --markdown       print a comment for a pull request: who can connect before and
                   after, in a table and a picture, what is open now because of drift,
                   and the diff; a preview that failed is part of it
  --messages FILE  with --markdown, further messages to show with the errors, such as
                   a policy pack's; can be given several times
  --stack NAME     with --markdown, project/stack for the hidden mark by which the
                   comment is found again, if no preview could name them
  --help           show this help

${unreadable}

Exits with code 2 if a FILE cannot be read or, without --markdown, if a preview
failed.
`;

const options = {
  accept: { type: "string" },
  fail: { type: "boolean" },
  json: { type: "boolean" },
  markdown: { type: "boolean" },
  messages: { type: "string", multiple: true },
  stack: { type: "string" },
  help: { type: "boolean" },
} as const;

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Output = processIo): Promise<number> =>
  run(argv, io, { help, options, takesFiles: true }, ({ accept, fail, json, markdown, messages, stack }, files) => {
    if (files.length === 0) throw new UsageError("Name at least one file; see --help.");
    if (markdown && (fail || json)) throw new UsageError("--markdown goes with neither --fail nor --json; see --help.");
    if (!markdown && (messages || stack)) throw new UsageError("--messages and --stack need --markdown; see --help.");
    if (markdown) {
      io.out(writeComment(files, readCommentOptions(accept, messages, stack)));
      return 0;
    }
    const steps = files.map((file) => readPreviewFile(file, parsePreview));
    const list = accept === undefined ? undefined : readAccepted(accept);
    const opened = list ? review(listOpened(steps), list) : listOpened(steps);
    const unused = list ? findUnused(list, steps) : [];
    for (const message of [...listLostModules(steps), ...unused]) io.err(`${escapeInvisible(message)}\n`);
    io.out(json ? `${JSON.stringify(opened, null, 2)}\n` : opened.map(({ message }) => `${message}\n`).join(""));
    const rejected = fail ? opened.filter(({ isAccepted }) => !isAccepted) : [];
    for (const message of adviseRejected(rejected, accept)) io.err(`${message}\n`);
    return fail && rejected.length + unused.length > 0 ? 1 : 0;
  });

const readAccepted = (file: string): AcceptedList => parseAccepted(readText(file), file);

/** A list with a mistake is one of the comment's errors, so that the comment is not that of an older commit. */
function readCommentOptions(accept?: string, files: string[] = [], stack?: string): CommentOptions {
  const options = { messages: files.map((file) => readText(file)), ...(stack !== undefined && { stack }) };
  if (accept === undefined) return options;
  try {
    return { ...options, list: readAccepted(accept) };
  } catch (error) {
    return { ...options, messages: [(error as Error).message, ...options.messages] };
  }
}
