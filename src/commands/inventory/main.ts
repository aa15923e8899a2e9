/** The command `inventory`, which prints what is in an account, and which stack manages it. */

import { writeFileSync } from "node:fs";
import { escapeInvisible } from "../../base/quote";
import { readSettings, type Settings } from "../../base/settings";
import { Lookup } from "../../core/read/lookup";
import { type Connection, readEnvironment, withAccount } from "../account";
import { type Io, processIo, readText, run, UsageError, type Values } from "../io";
import { listedKinds, readAccount } from "./account";
import { createIgnore, isLeft, parseDuration, toEntry } from "./filters";
import { formatHtml } from "./html";
import { takeInventory } from "./index";
import { formatJson, formatMarkdown, formatText } from "./output";
import { readStack, readStateFile, type Stack } from "./stacks";
import type { Inventory } from "./tables";

const help = `Usage: pulumi-tunnel-edge inventory [options]

Prints what is in an account: every public address, who can connect to it, its
edge, its backend, and the tunnels that serve it now; and API keys and SSH
credentials. With the states of stacks, also which stack manages each, what no
stack manages, and what an interrupted deployment left behind, with the next
step. It only reads.

  --stack NAME         a stack of the Pulumi project in this directory, with its
                       settings and state; repeatable
  --state FILE         what \`pulumi stack export\` printed; repeatable
  --unmanaged          only what no stack manages
  --open               only what anyone can connect to, or might be able to
  --no-tunnel          only addresses whose backend no tunnel serves now
  --since TIME         only what was created in the last 30s, 10m, 2h or 7d
  --ignore FILE        leave out the lines that this file names
  --write-ignore FILE  write such a file with the lines that the filters show
  --fail               exit with code 1 if a line is shown
  --json               print JSON
  --markdown           print Markdown, with a picture
  --html               print a page, to keep as a file
  --help               show this help

Without --stack, TUNNEL_EDGE_BASE_URL and TUNNEL_EDGE_API_KEY select the account.
What the API key may not list is named, and the rest is shown.

Exits with code 2 if the arguments are wrong, or nothing could be read.
`;

const optionTypes = {
  stack: { type: "string", multiple: true, default: [] as string[] },
  state: { type: "string", multiple: true, default: [] as string[] },
  unmanaged: { type: "boolean", default: false },
  open: { type: "boolean", default: false },
  "no-tunnel": { type: "boolean", default: false },
  since: { type: "string" },
  ignore: { type: "string" },
  "write-ignore": { type: "string" },
  fail: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  markdown: { type: "boolean", default: false },
  html: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const formatters = { json: formatJson, markdown: formatMarkdown, html: formatHtml };
const formats = Object.keys(formatters) as (keyof typeof formatters)[];

type Options = ReturnType<typeof checkOptions>;

function checkOptions(values: Values<typeof optionTypes>) {
  const sinceMs = values.since === undefined ? undefined : parseDuration(values.since);
  if (values.since !== undefined && sinceMs === undefined) {
    throw new UsageError(
      `--since must be a number with s, m, h or d, such as 10m, not ${JSON.stringify(values.since)}.`,
    );
  }
  const [format, other] = formats.filter((name) => values[name]);
  if (other) throw new UsageError(`--${format} and --${other} exclude each other: use one of them.`);
  if (values.unmanaged && values.stack.length + values.state.length === 0) {
    throw new UsageError("--unmanaged needs states to compare with: add --stack or --state.");
  }
  return { ...values, sinceMs, format };
}

/** The command line; resolves to the exit code. */
export const main = (argv: string[], io: Io = processIo): Promise<number> =>
  run(argv, io, { help, options: optionTypes }, async (values) => {
    const options = checkOptions(values);
    const isIgnored = options.ignore === undefined ? () => false : createIgnore(readText(options.ignore));
    const files = options.state.map(readStateFile);
    const stacks = await Promise.all([...new Set(options.stack)].map((name) => readStack(name, io.env)));
    const settings = chooseSettings(stacks, io.env);
    const configured = stacks.map(({ state, config }) => ({
      ...state,
      isConfigured: isSameAccount(config, settings, io.env),
    }));
    const work = async (connection: Connection) => {
      const inventory = await compare([...files, ...configured], settings, options, connection);
      if (options["write-ignore"] !== undefined) {
        // What could not be read may be anything, so it is never accepted unseen.
        const known = inventory.left.filter(({ kind }) => kind !== "gap");
        writeFileSync(options["write-ignore"], known.map((line) => `${toEntry(line)}\n`).join(""));
      }
      const left = inventory.left.filter((line) => !isIgnored(line));
      const format = options.format === undefined ? formatText : formatters[options.format];
      const clean = (text: string) => escapeInvisible(connection.redaction.clean(text));
      io.out(format({ ...inventory, left, ignored: inventory.left.length - left.length }, clean));
      return options.fail && left.length > 0 ? 1 : 0;
    };
    return withAccount(settings, io, work, options.stack.length > 0);
  });

/** Reads the account, and keeps the lines that pass the filters. */
async function compare(
  states: Stack["state"][],
  settings: Settings,
  options: Options,
  { client, progress }: Connection,
): Promise<Inventory> {
  const account = await readAccount(client, (displayName) => progress.begin(displayName));
  progress.begin("what the lists do not show");
  const lookup = new Lookup(() => client);
  const all = await takeInventory(account, states, (definition, id) => lookup.find(definition, id), settings);
  progress.clearLine();
  const { unmanaged, open, "no-tunnel": noTunnel, sinceMs } = options;
  const filters = { unmanaged, open, noTunnel, ...(sinceMs !== undefined && { since: account.time - sinceMs }) };
  const left = all.filter((line) => isLeft(line, filters));
  const counts = listedKinds.map(({ displayName: name, type }) => ({
    name,
    count: account.objects.filter(({ definition }) => definition.type === type).length,
  }));
  return { baseUrl: settings.baseUrl, time: account.time, counts, all, left, ignored: 0, stacks: states.length };
}

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
  if (!first) return readEnvironment(env);
  const other = others.find(({ settings }) => settings.baseUrl !== first.settings.baseUrl);
  if (other) {
    throw new Error(
      `The stacks ${first.name} and ${other.name} have different addresses (tunnel-edge:baseUrl). Run the command for each.`,
    );
  }
  return first.settings;
}
