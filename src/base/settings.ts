/**
 * Reads the settings: from an explicit Provider's inputs or the stack's configuration (both under
 * `tunnel-edge:<name>`), then from the environment.
 */

import { nearest } from "./quote";

/** The provider's configuration, checked and with its defaults. */
export interface Settings {
  apiKey: string;
  baseUrl: string;
  headers: Record<string, string>;
  maxRetries: number;
  timeoutSeconds: number;
  requestsPerMinute: number | undefined;
  logRequests: boolean;
}

/** A setting that is missing, invalid or misspelled. */
export interface SettingProblem {
  setting: keyof Settings;
  /** A sentence that names the setting, the problem and the fix. */
  reason: string;
  /** Whether the setting has a value anyway. */
  isUsable?: boolean;
}

/** The namespace of the settings in a stack's configuration. */
export const namespace = "tunnel-edge";

/** The key of a setting in a stack's configuration, and its name among an explicit Provider's inputs. */
export const configKey = (setting: string) => `${namespace}:${setting}`;

/**
 * Marks the inputs of an explicit Provider, whose API key comes only from its arguments. If the value says that it has an
 * address of its own, so do its headers, which may be secrets too.
 */
export const explicitProvider = configKey("explicit");
export const explicitMark = (hasOwnAddress: boolean) => (hasOwnAddress ? "ownAddress" : "true");

/** The prefix of all environment variables. */
const variablePrefix = "TUNNEL_EDGE_";

interface SettingDefinition {
  /** The environment variable. */
  variable: string;
  secret?: true;
  /** The allowed values, in Markdown for the reference. */
  allowed: string;
  /** Parses the value; throws an error whose message continues the sentence "<setting> …". */
  parse(text: string): unknown;
  /** A setting without a default is required. */
  default?: unknown;
  example?: string;
}

const definitions: Record<keyof Settings, SettingDefinition> = {
  apiKey: {
    variable: "TUNNEL_EDGE_API_KEY",
    secret: true,
    allowed: "printable ASCII characters without spaces",
    parse: parseApiKey,
  },
  baseUrl: {
    variable: "TUNNEL_EDGE_BASE_URL",
    allowed: "`https://…`, or `http://…` on `localhost`, `127.0.0.0/8` or `[::1]`; no user name, query or fragment",
    parse: parseBaseUrl,
    example: "https://api.example.com",
  },
  headers: {
    variable: "TUNNEL_EDGE_HEADERS",
    secret: true,
    allowed: 'a JSON object of header names and single-line strings, such as `{"X-Team": "edge"}`; not `Authorization`',
    parse: parseHeaders,
    default: {},
  },
  maxRetries: { variable: "TUNNEL_EDGE_MAX_RETRIES", ...wholeNumber(0, 20), default: 4 },
  timeoutSeconds: { variable: "TUNNEL_EDGE_TIMEOUT_SECONDS", ...wholeNumber(1, 3600), default: 30 },
  requestsPerMinute: { variable: "TUNNEL_EDGE_REQUESTS_PER_MINUTE", ...wholeNumber(1, 1_000_000), default: undefined },
  logRequests: {
    variable: "TUNNEL_EDGE_LOG_REQUESTS",
    allowed: "`true` or `false`",
    parse: parseBoolean,
    default: false,
  },
};

/** The names of all settings. */
export const settingNames = Object.keys(definitions) as (keyof Settings)[];

/** The setting that a misspelled name is closest to, if one is close enough. */
export const nearestSetting = (name: string) => nearest(name, settingNames) as keyof Settings | undefined;

/** That a name among an explicit Provider's arguments is no setting. */
export function describeUnknownArgument(name: string): string {
  const suggestion = nearestSetting(name);
  const hint = suggestion ? `did you mean "${suggestion}"?` : `the arguments are ${settingNames.join(", ")}.`;
  return `${name} is not an argument: ${hint}`;
}

/** Whether a setting is stored encrypted. */
export const isSecretSetting = (setting: keyof Settings) => definitions[setting].secret === true;

/** The allowed values of a setting, in Markdown. */
export const allowedValues = (setting: keyof Settings) => definitions[setting].allowed;

/** Reads all settings. Each that is missing, invalid or misspelled is a problem. */
export function readSettings(
  config: Record<string, unknown>,
  environment: NodeJS.ProcessEnv = process.env,
): { settings: Settings; problems: SettingProblem[] } {
  const mark = asString(config[explicitProvider]);
  const isExplicit = mark !== undefined;
  const ownSettings = isExplicit ? ["apiKey", ...(mark === explicitMark(true) ? ["headers"] : [])] : [];
  const misspelled = misspelledKeys(Object.keys(config));
  const problems: SettingProblem[] = [];
  const settings: Record<string, unknown> = {};
  for (const setting of settingNames) {
    const definition = definitions[setting];
    const usesEnvironment = !ownSettings.includes(setting);
    const inherited = usesEnvironment ? asString(environment[definition.variable]) : undefined;
    const value = asString(config[configKey(setting)]) ?? inherited;
    if (value === undefined) {
      if (usesEnvironment) misspelled.push(...misspelledVariables(setting, environment));
      const isMisspelled = misspelled.some((problem) => problem.setting === setting);
      if ("default" in definition) settings[setting] = definition.default;
      else if (!isMisspelled) problems.push({ setting, reason: missing(setting, definition, isExplicit) });
      continue;
    }
    try {
      settings[setting] = definition.parse(value);
    } catch (error) {
      problems.push({ setting, reason: `${configKey(setting)} ${(error as Error).message}` });
    }
  }
  const baseUrl = settings["baseUrl"] as string | undefined;
  if (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname)) problems.push(...invalidProxies(environment));
  const spelling = misspelled.map((problem) => ({ ...problem, isUsable: problem.setting in settings }));
  return { settings: settings as unknown as Settings, problems: [...spelling, ...problems] };
}

/** The variables of the environment that name a proxy for the service, those that count first. */
export const proxyVariables = (environment: NodeJS.ProcessEnv = process.env): string[] =>
  ["https_proxy", "http_proxy"].map((name) => (environment[name] === undefined ? name.toUpperCase() : name));

/** Not quoted: the address of a proxy may contain a password. */
const invalidProxies = (environment: NodeJS.ProcessEnv): SettingProblem[] =>
  proxyVariables(environment)
    .filter((name) => environment[name] && !isProxyUrl(environment[name]))
    .map((name) => ({
      setting: "baseUrl",
      reason: `${name} is not the address of a proxy; use one such as http://proxy.example.com:3128.`,
    }));

const isProxyUrl = (text: string) => URL.canParse(text) && /^(https?|socks5?):$/.test(new URL(text).protocol);

/** Whether a base URL is another one than that of the stack's configuration, or else of the environment. */
export function isOwnAddress(
  baseUrl: string,
  stackUrl: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  const normalize = (url: string) => {
    try {
      return parseBaseUrl(url);
    } catch {
      return url;
    }
  };
  return normalize(baseUrl) !== normalize(stackUrl ?? environment[definitions.baseUrl.variable] ?? "");
}

/** The keys of a stack's configuration that are close to a setting's, but not equal. */
export function misspelledKeys(keys: string[]): SettingProblem[] {
  const known = [explicitProvider, ...settingNames.map(configKey)];
  const others = keys.filter((key) => key.startsWith(configKey("")) && !known.includes(key));
  return others.flatMap((key) => {
    const setting = nearestSetting(key.slice(configKey("").length));
    if (setting === undefined) return [];
    const hint = `did you mean ${configKey(setting)}? Remove it with \`pulumi config rm ${key}\`.`;
    return [{ setting, reason: `${key} is not a setting; ${hint}` }];
  });
}

/** The environment variables that are closest to the one of a setting that is not set. */
function misspelledVariables(setting: keyof Settings, environment: NodeJS.ProcessEnv): SettingProblem[] {
  const known = Object.values(definitions).map((definition) => definition.variable.slice(variablePrefix.length));
  return Object.keys(environment).flatMap((variable) => {
    if (!variable.startsWith(variablePrefix) || asString(environment[variable]) === undefined) return [];
    const meant = variablePrefix + nearest(variable.slice(variablePrefix.length), known);
    if (meant !== definitions[setting].variable) return [];
    return [{ setting, reason: `${variable} is not a setting; did you mean ${meant}?` }];
  });
}

function missing(setting: keyof Settings, definition: SettingDefinition, isExplicit: boolean): string {
  if (isExplicit && setting === "apiKey") {
    return "the explicit Provider has no apiKey. Pass `apiKey` in its arguments: it does not use the stack's API key.";
  }
  // A secret has no example: Pulumi prompts for it, which keeps it out of the shell's history.
  const command = ["pulumi config set", definition.secret && "--secret", configKey(setting), definition.example];
  return (
    `${configKey(setting)} is not set: run \`${command.filter(Boolean).join(" ")}\`, ` +
    `or set ${definition.variable} in the environment.`
  );
}

/** The value as a string; undefined if it is empty. Structured configuration arrives as JSON or as an object. */
function asString(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = (typeof value === "string" ? value : JSON.stringify(value)).trim();
  return text === "" ? undefined : text;
}

function parseApiKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new Error(
      "must contain only printable ASCII characters, without spaces or line breaks; paste only the token.",
    );
  }
  return text;
}

function parseBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error('is not a URL; use the full address of the service, starting with "https://".');
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Error(
      'must start with "https://", because every request contains the API key; ' +
        '"http://" is allowed only for this machine (localhost).',
    );
  }
  if (url.username || url.password) throw new Error("must not contain a user name or password; use apiKey.");
  if (url.search || url.hash)
    throw new Error("must not contain a query or a fragment; remove everything after the path.");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Whether a URL's host is always this machine, without asking a resolver. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

/** Headers that the client or the connection sets. */
const reservedHeaders = new Set([
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

function parseHeaders(text: string): Record<string, string> {
  const expected = 'must be a JSON object of header names and strings, such as {"X-Team": "edge"}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${expected}; it is not valid JSON.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${expected}.`);
  for (const [name, header] of Object.entries(value)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      throw new Error("contains an invalid header name; use letters, digits and hyphens.");
    if (reservedHeaders.has(name.toLowerCase())) {
      throw new Error(`must not contain ${name}, which the provider sets itself.`);
    }
    if (typeof header !== "string" || /[^\t\x20-\x7e\x80-\xff]/.test(header)) {
      throw new Error(`must set ${name} to a single-line string of characters that HTTP headers allow.`);
    }
  }
  return value as Record<string, string>;
}

function wholeNumber(min: number, max: number): Pick<SettingDefinition, "allowed" | "parse"> {
  const allowed = `a whole number from ${min} to ${max}`;
  const parse = (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max) throw new Error(`must be ${allowed}.`);
    return value;
  };
  return { allowed, parse };
}

function parseBoolean(text: string): boolean {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw new Error('must be "true" or "false".');
}
