/** An account, for the commands that read one: its settings, its client and its lists. */

import { savedSettingsHints } from "../api/callError";
import { Client } from "../api/client";
import { Clock } from "../base/clock";
import { type JsonObject, toSnakeCase } from "../base/json";
import { Redaction } from "../base/redaction";
import { configKey, readSettings, type Settings } from "../base/settings";
import type { ObjectDefinition, ReadOnlyDefinition } from "../definitions/definition";
import { type Io, Progress } from "./io";

const variableOf = (setting: string) => `TUNNEL_EDGE_${toSnakeCase(setting).toUpperCase()}`;

/** The settings of a command without a stack, which come from the environment only. `other` says what else has settings. */
export function readEnvironment(env: NodeJS.ProcessEnv, other: string[] = []): Settings {
  const { settings, problems } = readSettings({}, env);
  if (problems.length === 0) return settings;
  const sentences = problems.map(({ setting, reason }) => {
    // Others name a variable already.
    if (!reason.startsWith(configKey(setting))) return reason;
    const variable = variableOf(setting);
    if (!env[variable]?.trim()) return `${variable} is not set. It selects the account.`;
    return reason.replace(/^\S+/, variable);
  });
  throw new Error([...sentences, ...other].join("\n"));
}

/** A message of the provider for a command that has neither a stack's configuration nor saved settings. */
function nameVariables(message: string): string {
  return savedSettingsHints
    .reduce((rest, hint) => rest.replaceAll(` ${hint}`, ""), message)
    .replace(/\(tunnel-edge:apiKey, (\w+) or [^)]*\)/g, "($1)")
    .replace(/tunnel-edge:\w+ or (TUNNEL_EDGE_\w+)/g, "$1")
    .replace(/tunnel-edge:(\w+)/g, (_, setting: string) => variableOf(setting));
}

/** What a command works with. */
export interface Connection {
  client: Client;
  progress: Progress;
  redaction: Redaction;
}

/** Does work with the account of these settings. Its messages and errors do not contain their secrets. */
export async function withAccount<T>(
  settings: Settings,
  io: Io,
  work: (connection: Connection) => Promise<T>,
  hasStack = false,
): Promise<T> {
  const redaction = new Redaction(settings);
  const progress = new Progress(io, redaction);
  const name = hasStack ? (message: string) => message : nameVariables;
  const listener = {
    onRequest: (line: string) => {
      if (settings.logRequests) progress.printLine(line);
      progress.countRequest();
    },
    onRateLimit: (message: string) => progress.printLine(message),
    onWait: (status: string) => progress.showDetail(name(status)),
  };
  const client = new Client({ ...settings, logRequests: true }, listener, new Clock(), redaction);
  try {
    return await work({ client, progress, redaction });
  } catch (error) {
    throw new Error(redaction.format(name((error as Error).message)));
  }
}

/** Lists the objects of a kind, each once. */
export async function* listItems(
  client: Client,
  { list }: Pick<ObjectDefinition | ReadOnlyDefinition, "list">,
): AsyncGenerator<JsonObject> {
  const ids = new Set<unknown>();
  for await (const page of client.pages(list.route, list.key)) {
    for (const item of page) {
      // Pages shift while objects are created and deleted, so an object may occur twice.
      if (!ids.has(item.id)) yield item;
      ids.add(item.id);
    }
  }
}
