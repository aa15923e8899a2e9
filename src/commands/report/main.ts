/** The command `report`, which prints the comment of a pull request. */

import { knownOfRoutes } from "../exposure/messages";
import { command } from "../exposure/preview";
import { type Output, parseFile, processIo, readText, run, UsageError } from "../io";
import { type Source, writeReport } from "./index";

const help = `Usage: pulumi-tunnel-edge report [options] FILE...

Prints, as Markdown, a comment for a pull request: whether the change opens public
addresses, how many resources change, errors, a table and a picture of who can
connect before and after, and the diff. It posts nothing and needs no token.
With a preview that was made with --refresh and one that was not, it also says
what is open now because of drift, and whether merging closes it.

Each FILE has what this command prints, of the same change:

  ${command}

  --refreshed FILE a preview that was made with --refresh; can be given several times
  --drift          there is no change, only drift: a report for an issue
  --needs TEXT     what a change that opens an address needs, such as "the label x"
  --messages FILE  further messages to show with the errors, such as a policy
                   pack's; can be given several times
  --stack NAME     project/stack, for the hidden mark by which the comment is found
                   again; without it, that of the previews
  --commit SHA     the commit, named at the end
  --details URL    where the whole report is, if this one is shortened
  --full           shorten the report to a job's summary (1 MiB), and not to a comment
                   (65,536 characters)
  --help           show this help

The API cannot read IP policies and certificate authorities. An address that was
restricted, and gets another one, might be open to anyone.
${knownOfRoutes}

A preview that failed is part of the report, so only wrong arguments make the
command fail, with code 2. To stop a pipeline, use \`exposure --fail\`.
`;

const options = {
  refreshed: { type: "string", multiple: true },
  drift: { type: "boolean" },
  needs: { type: "string" },
  messages: { type: "string", multiple: true },
  stack: { type: "string" },
  commit: { type: "string" },
  details: { type: "string" },
  full: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Output = processIo): Promise<number> =>
  run(argv, io, { help, options, takesFiles: true }, (values, files) => {
    const { help: _, messages = [], refreshed = [], full, drift, ...rest } = values;
    if (files.length + refreshed.length === 0) throw new UsageError("Name at least one file; see --help.");
    io.out(
      writeReport(
        [...files.map(readSource), ...refreshed.map((file) => ({ ...readSource(file), isRefreshed: true }))],
        {
          ...rest,
          messages: messages.map((file) => readText(file)),
          isSummary: full === true,
          isDrift: drift === true,
        },
      ),
    );
    return 0;
  });

/** A file that is not JSON is part of the report: the preview failed before it could print anything. */
function readSource(name: string): Source {
  readText(name);
  try {
    return { name, content: parseFile(name, command) };
  } catch (error) {
    return { name, problem: (error as Error).message };
  }
}
