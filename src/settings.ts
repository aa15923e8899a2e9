/**
 * Where a setting comes from: an explicit Provider's inputs or the stack's configuration (both under
 * `tunnel-edge:<name>`), then the environment.
 */

import { nearest } from "./nearest";

/** The package's settings, checked and with their defaults in place. */
export interface Settings {
  apiKey: string;
  baseUrl: string;
  headers: Record<string, string>;
  maxRetries: number;
  timeoutSeconds: number;
  requestsPerMinute: number | undefined;
  logRequests: boolean;
}

/** A setting that is missing, wrong or misspelled, with the reason as a sentence that names it and the fix. */
export interface SettingProblem {
  setting: keyof Settings;
  reason: string;
  /** Whether the setting has a value all the same. */
  isUsable?: boolean;
}

/** The namespace of the settings in a stack's configuration. */
export const namespace = "tunnel-edge";

/** The key of a setting in a stack's configuration, and its name among an explicit Provider's inputs. */
export const configKey = (setting: string) => `${namespace}:${setting}`;

/** Marks the inputs of an explicit Provider, which never takes its key from elsewhere. */
export const explicitProvider = configKey("explicit");

/** What the names of all variables begin with. */
const prefix = "TUNNEL_EDGE_";

interface Source {
  environment: string;
  secret?: true;
  /** What can be set, in Markdown for the reference. */
  allowed: string;
  /** Reads the string; throws what is wrong with it as the end of the sentence "<setting> …". */
  read(text: string): unknown;
  /** The default; without it the setting is required. */
  fallback?: unknown;
  example?: string;
}

const sources: Record<keyof Settings, Source> = {
  apiKey: {
    environment: "TUNNEL_EDGE_API_KEY",
    secret: true,
    allowed: "printable ASCII characters without spaces",
    read: readKey,
  },
  baseUrl: {
    environment: "TUNNEL_EDGE_BASE_URL",
    allowed: "`https://…`, or `http://…` on `localhost`, `127.0.0.0/8` or `[::1]`; no user name, query or fragment",
    read: readBaseUrl,
    example: "https://api.example.com",
  },
  headers: {
    environment: "TUNNEL_EDGE_HEADERS",
    secret: true,
    allowed: 'header names and strings of one line, such as `{"X-Team": "edge"}`; not `Authorization`',
    read: readHeaders,
    fallback: {},
  },
  maxRetries: { environment: "TUNNEL_EDGE_MAX_RETRIES", ...whole(0, 20), fallback: 4 },
  timeoutSeconds: { environment: "TUNNEL_EDGE_TIMEOUT_SECONDS", ...whole(1, 3600), fallback: 30 },
  requestsPerMinute: { environment: "TUNNEL_EDGE_REQUESTS_PER_MINUTE", ...whole(1, 1_000_000), fallback: undefined },
  logRequests: {
    environment: "TUNNEL_EDGE_LOG_REQUESTS",
    allowed: "`true` or `false`",
    read: readFlag,
    fallback: false,
  },
};

/** The names of all settings. */
export const settingNames = Object.keys(sources) as (keyof Settings)[];

/** Whether a setting is kept encrypted. */
export const isSecretSetting = (setting: keyof Settings) => sources[setting].secret === true;

/** What a setting can be set to, in Markdown. */
export const allowedValues = (setting: keyof Settings) => sources[setting].allowed;

/** Reads every setting, by its key in a stack's configuration, or says what is wrong with each that is not right. */
export function readSettings(
  config: Record<string, unknown>,
  environment: NodeJS.ProcessEnv = process.env,
): { settings: Settings; problems: SettingProblem[] } {
  const explicit = desired(config[explicitProvider]) !== undefined;
  const misspelled = misspelledKeys(Object.keys(config));
  const problems: SettingProblem[] = [];
  const settings: Record<string, unknown> = {};
  for (const setting of settingNames) {
    const source = sources[setting];
    const inherited = explicit && setting === "apiKey" ? undefined : desired(environment[source.environment]);
    const text = desired(config[configKey(setting)]) ?? inherited;
    if (text === undefined) {
      if (!(explicit && setting === "apiKey")) misspelled.push(...misspelledVariables(setting, environment));
      const isMisspelled = misspelled.some((problem) => problem.setting === setting);
      if ("fallback" in source) settings[setting] = source.fallback;
      else if (!isMisspelled) problems.push({ setting, reason: missing(setting, source, explicit) });
      continue;
    }
    try {
      settings[setting] = source.read(text);
    } catch (error) {
      problems.push({ setting, reason: `${configKey(setting)} ${(error as Error).message}` });
    }
  }
  const known = misspelled.map((problem) => ({ ...problem, isUsable: problem.setting in settings }));
  return { settings: settings as unknown as Settings, problems: [...known, ...problems] };
}

/** The keys of a stack's configuration that are no settings, and close to one. */
export function misspelledKeys(keys: string[]): SettingProblem[] {
  const own = keys.filter((key) => key.startsWith(configKey("")) && key !== explicitProvider);
  return own.flatMap((key) => {
    const setting = nearest(key.slice(configKey("").length), settingNames) as keyof Settings | undefined;
    if (setting === undefined || key === configKey(setting)) return [];
    const hint = `did you mean ${configKey(setting)}? Remove it with \`pulumi config rm ${key}\`.`;
    return [{ setting, reason: `${key} is not a setting; ${hint}` }];
  });
}

/** The variables that are closest to one of a setting that is not set. */
function misspelledVariables(setting: keyof Settings, environment: NodeJS.ProcessEnv): SettingProblem[] {
  const known = Object.values(sources).map((source) => source.environment.slice(prefix.length));
  return Object.keys(environment).flatMap((variable) => {
    if (!variable.startsWith(prefix) || desired(environment[variable]) === undefined) return [];
    const meant = prefix + nearest(variable.slice(prefix.length), known);
    if (meant !== sources[setting].environment) return [];
    return [{ setting, reason: `${variable} is not a setting; did you mean ${meant}?` }];
  });
}

function missing(setting: keyof Settings, source: Source, explicit: boolean): string {
  if (explicit && setting === "apiKey") {
    return "the explicit Provider has no apiKey: state `apiKey` among its arguments, it takes none from the stack.";
  }
  // A secret is left out: Pulumi asks for it, and the shell's history does not keep it.
  const set = ["pulumi config set", source.secret && "--secret", configKey(setting), source.example];
  return (
    `${configKey(setting)} is not set: run \`${set.filter(Boolean).join(" ")}\`, ` +
    `or set ${source.environment} in the environment.`
  );
}

/** Settings arrive as text; structured configuration arrives as its JSON or, from a program, as a value. */
function desired(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = (typeof value === "string" ? value : JSON.stringify(value)).trim();
  return text === "" ? undefined : text;
}

function readKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new Error("has a space, a line break or a character that no API key has: paste the token alone.");
  }
  return text;
}

function readBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error('is not a URL: give the service\'s address in full, starting with "https://".');
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Error(
      `must start with "https://", because every request carries the API key; ` +
        `"${url.protocol}//" is accepted for this machine only (localhost).`,
    );
  }
  if (url.username || url.password) throw new Error("must not contain a user name or password: use apiKey.");
  if (url.search || url.hash)
    throw new Error("must not contain a query or a fragment: leave out what follows the path.");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Whether a URL's host is this machine, whatever the resolver says. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

/** Headers that belong to the client or to the connection. */
const reserved = new Set([
  "accept",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function readHeaders(text: string): Record<string, string> {
  const shape = 'must be a JSON object of header names and texts, such as {"X-Team": "edge"}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${shape}; this is not JSON.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${shape}.`);
  for (const [name, content] of Object.entries(value)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw new Error(`has a header name that HTTP does not allow.`);
    if (reserved.has(name.toLowerCase())) throw new Error(`must not set ${name}, which the client sets itself.`);
    if (typeof content !== "string" || /[^\t\x20-\x7e\x80-\xff]/.test(content)) {
      throw new Error(`must give ${name} a text of one line; it has another type, or a character HTTP does not allow.`);
    }
  }
  return value as Record<string, string>;
}

function whole(least: number, most: number): Pick<Source, "allowed" | "read"> {
  const allowed = `a whole number from ${least} to ${most}`;
  const read = (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) throw new Error(`must be ${allowed}.`);
    return value;
  };
  return { allowed, read };
}

function readFlag(text: string): boolean {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw new Error('must be "true" or "false".');
}
