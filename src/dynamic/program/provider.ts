import * as pulumi from "@pulumi/pulumi";
import {
  configKey,
  describeUnknownArgument,
  explicitMark,
  explicitProvider,
  isOwnAddress,
  isSecretSetting,
  misspelledKeys,
  namespace,
  settingNames,
} from "../../base/settings";
import { assertJson } from "./jsonArguments";
import { programError } from "./programError";
import { nonEmpty } from "./registration";

/**
 * The arguments of an explicit {@link Provider}. All settings except `apiKey` default to the stack's configuration, then
 * to the environment; `headers` only if `baseUrl` is the stack's, too. `apiKey` and `headers` are always encrypted in
 * the state.
 */
export interface ProviderArgs {
  /** The token of an API key of the account. Set it with `--secret` in the stack's configuration. */
  apiKey: pulumi.Input<string | undefined>;
  /** The service's address. For a loopback host, `http://` is allowed and no proxy is used. */
  baseUrl?: pulumi.Input<string>;
  /** Headers to add to every request. In the stack's configuration, a JSON object; set it with `--secret`. */
  headers?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
  /**
   * Maximum number of retries for requests that are safe to repeat.
   * @default 4
   */
  maxRetries?: pulumi.Input<number>;
  /**
   * Timeout of one request, in seconds.
   * @default 30
   */
  timeoutSeconds?: pulumi.Input<number>;
  /**
   * Client-side rate limit, in requests per minute, retries included. It applies to each provider process: the stack's
   * resources, each explicit `Provider` and the program's functions count separately. If unset, requests back off when
   * the service returns 429.
   * @default no limit
   */
  requestsPerMinute?: pulumi.Input<number>;
  /**
   * Whether to log one line for each request, without secrets.
   * @default false
   */
  logRequests?: pulumi.Input<boolean>;
}

/**
 * An account of the service, for programs that use more than one.
 *
 * @example
 * ```ts
 * const staging = new tunnel.Provider("staging", { apiKey: config.requireSecret("stagingKey") });
 * new tunnel.TcpEdge("ssh", { hostports: ["1.tcp.example.com:20022"] }, { provider: staging });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /** @internal The settings of the functions, which run in the program, not in the provider. */
  readonly config: Config;

  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    const apiKey = nonEmpty(
      args?.apiKey,
      `Provider "${name}": apiKey is empty. An ApiKey has a token only if this stack created it, not if it was ` +
        "imported or read with get.",
    );
    const unknown = Object.keys(args).find((setting) => !settingNames.some((known) => known === setting));
    if (unknown !== undefined) throw programError(`Provider "${name}": ${describeUnknownArgument(unknown)}`);
    const config = configFrom({ ...assertJson(`Provider "${name}"`, args), apiKey });
    super("pulumi-nodejs", name, config, opts);
    this.config = config;
  }

  /** Whether a value is a Provider of this package, even if it comes from another copy of it. */
  static override isInstance(value: unknown): value is Provider {
    const config = pulumi.CustomResource.isInstance(value) ? (value as Partial<Provider>).config : undefined;
    return config?.[explicitProvider] !== undefined;
  }
}

/** The settings as strings, by their keys. */
type Config = Record<string, pulumi.Input<string | undefined>>;

/** Everything that the dynamic provider host of an explicit Provider is configured with. */
function configFrom(args: ProviderArgs): Config {
  const { [configKey("apiKey")]: _, [configKey("headers")]: headers, ...config } = stackConfig();
  const hasOwnAddress = pulumi
    .all([args.baseUrl, config[configKey("baseUrl")]])
    .apply(([own, stack]) => Boolean(own) && isOwnAddress(own!, stack));
  config[explicitProvider] = hasOwnAddress.apply(explicitMark);
  if (headers !== undefined) {
    // They may be secrets that are meant for the stack's address.
    config[configKey("headers")] = pulumi
      .all([headers, hasOwnAddress])
      .apply(([value, isOwn]) => (isOwn ? undefined : value));
  }
  for (const setting of settingNames) {
    const value = args[setting];
    if (value === undefined || value === null) continue;
    const key = configKey(setting);
    const text = pulumi
      .all([value as pulumi.Input<object>, config[key]])
      .apply(([own, inherited]) => asText(own ?? inherited));
    config[key] = isSecretSetting(setting) ? pulumi.secret(text) : text;
  }
  return config;
}

/** What the stack's configuration declares. */
export function stackConfig(): Config {
  const misspelled = misspelledKeys(Object.keys(pulumi.runtime.allConfig()));
  if (misspelled.length > 0) throw programError(misspelled.map(({ reason }) => reason).join("\n"));
  const stack = new pulumi.Config(namespace);
  const config: Config = {};
  for (const setting of settingNames) {
    const text = isSecretSetting(setting) ? stack.getSecret(setting) : stack.get(setting);
    if (text !== undefined) config[configKey(setting)] = text;
  }
  return config;
}

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
