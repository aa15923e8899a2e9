/** The command `inventory`, which prints what is in an account, and which stack manages it. */

import { escapeInvisible } from "../../base/quote";
import { readSettings, type Settings } from "../../base/settings";
import { Lookup } from "../../core/read/lookup";
import { type Connection, readEnvironment, withAccount } from "../account";
import { type Io, processIo, readText, run, UsageError } from "../io";
import { countKinds, readAccount } from "./account";
import { formatHtml } from "./html";
import { takeInventory } from "./index";
import { formatJson, formatText } from "./output";
import { parseIgnored, selectLines } from "./selection";
import { readStack, readStateFile, type Stack } from "./stacks";

const help = `Usage: pulumi-tunnel-edge inventory [options]

Prints what is in an account: every public address, who can connect to it, its
edge, its backend, and the tunnels that serve it now; and API keys and SSH
credentials. With the states of stacks, it also prints which stack manages each,
and the objects that no stack manages or that an interrupted deployment left
behind, with the next step. It only reads.

  --stack NAME   a stack of the Pulumi project in this directory, with its
                 settings and state; repeatable
  --state FILE   the output of \`pulumi stack export\`; repeatable
  --unmanaged    only objects that no stack manages, and what needs attention
  --open         only addresses that anyone can connect to, or might be able to
  --ignore FILE  leave out the lines of the entries in this file, one on each line:
                 ids, and the addresses that anyone may connect to
  --fail         exit with code 1 if a line is shown
  --json         print JSON
  --html         print a page, to keep as a file
  --help         show this help

Without --stack, TUNNEL_EDGE_BASE_URL and TUNNEL_EDGE_API_KEY select the account.
If the API key may not list a kind of object, a line says so.

Exits with code 2 if the arguments are wrong, or nothing could be read.
`;

const options = {
  stack: { type: "string", multiple: true, default: [] as string[] },
  state: { type: "string", multiple: true, default: [] as string[] },
  unmanaged: { type: "boolean" },
  open: { type: "boolean" },
  ignore: { type: "string" },
  fail: { type: "boolean" },
  json: { type: "boolean" },
  html: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Io = processIo): Promise<number> =>
  run(argv, io, { help, options }, async ({ stack, state, ignore, fail, json, html, ...filters }) => {
    if (json && html) throw new UsageError("--json and --html exclude each other: use one of them.");
    if (filters.unmanaged && stack.length + state.length === 0)
      throw new UsageError("--unmanaged needs states to compare with: add --stack or --state.");
    const ignored = ignore === undefined ? undefined : parseIgnored(readText(ignore), ignore);
    const files = state.map(readStateFile);
    const stacks = await Promise.all([...new Set(stack)].map((name) => readStack(name, io.env)));
    const settings = chooseSettings(stacks, io.env);
    const configured = stacks.map((each) => ({
      ...each.state,
      isConfigured: isSameAccount(each.config, settings, io.env),
    }));
    const work = async ({ client, progress, redaction }: Connection) => {
      const account = await readAccount(client, (displayName) => progress.begin(displayName));
      progress.begin("objects that the lists do not show");
      const lookup = new Lookup(() => client);
      const states = [...files, ...configured];
      const lines = await takeInventory(account, states, (definition, id) => lookup.find(definition, id), settings);
      progress.clearLine();
      const selected = selectLines(lines, { ...filters, ...(ignored && { ignored }) });
      const { baseUrl } = settings;
      const inventory = {
        baseUrl,
        time: account.time,
        counts: countKinds(account),
        stacks: states.length,
        ...selected,
      };
      const format = json ? formatJson : html ? formatHtml : formatText;
      io.out(format(inventory, (text) => escapeInvisible(redaction.clean(text))));
      return fail && selected.shown.length > 0 ? 1 : 0;
    };
    return withAccount(settings, io, work, stack.length > 0);
  });

/** Whether a stack has the address and the key of these settings. */
function isSameAccount(config: Stack["config"], { baseUrl, apiKey }: Settings, env: NodeJS.ProcessEnv): boolean {
  const { settings } = readSettings(config, env);
  return settings.baseUrl === baseUrl && settings.apiKey === apiKey;
}

/** The settings of the stacks or, without any, of the environment. Several stacks must be of one account. */
function chooseSettings(stacks: Stack[], env: NodeJS.ProcessEnv): Settings {
  const [first, ...others] = stacks.map(({ name, config }) => {
    const { settings, problems } = readSettings(config, env);
    if (problems.length > 0) throw new Error(problems.map(({ reason }) => `Stack ${name}: ${reason}`).join("\n"));
    return { name, settings };
  });
  if (!first) return readEnvironment(env, ["Or name a stack with --stack, whose settings are then used."]);
  const other = others.find(({ settings }) => settings.baseUrl !== first.settings.baseUrl);
  if (other) {
    throw new Error(
      `The stacks ${first.name} and ${other.name} have different addresses (tunnel-edge:baseUrl). Run the command for each.`,
    );
  }
  return first.settings;
}
