import * as pulumi from "@pulumi/pulumi";
import { configKey, explicitProvider, isSecretSetting, namespace, type Settings, settingNames } from "../settings";

/** The arguments of an explicit {@link Provider}. What is not stated, the key aside, comes from the stack. */
export interface ProviderArgs {
  /** The API key of the account. Encrypted in the state. */
  apiKey: pulumi.Input<string>;
  /** The service's address; `https://` unless it is on this machine. */
  baseUrl?: pulumi.Input<string>;
  /** Headers added to every request. Encrypted in the state. */
  headers?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
  /**
   * How often a call is tried again.
   * @default 4
   */
  maxRetries?: pulumi.Input<number>;
  /**
   * How long one request may take.
   * @default 30
   */
  timeoutSeconds?: pulumi.Input<number>;
  /**
   * The most requests in a minute, for accounts whose limit is known.
   * @default no limit of its own: the service's is met and waited for
   */
  requestsPerMinute?: pulumi.Input<number>;
  /**
   * Whether to print one line for each request.
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
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    if (args?.apiKey === undefined || args.apiKey === null) {
      throw new pulumi.RunError(`Provider "${name}" has no apiKey: state one, it takes none from the stack.`);
    }
    super("pulumi-nodejs", name, inputsOf(args), opts);
  }
}

/** The dynamic host of an explicit provider is configured with these inputs alone, as texts. */
function inputsOf(args: ProviderArgs): Record<string, pulumi.Input<string> | undefined> {
  const stack = new pulumi.Config(namespace);
  const inputs: Record<string, pulumi.Input<string> | undefined> = { [explicitProvider]: "true" };
  for (const setting of settingNames) {
    const value = args[setting] ?? (setting === "apiKey" ? undefined : fromStack(stack, setting));
    if (value === undefined) continue;
    const text = pulumi.output(value as pulumi.Input<object>).apply(asText);
    inputs[configKey(setting)] = isSecretSetting(setting) ? pulumi.secret(text) : text;
  }
  return inputs;
}

const fromStack = (stack: pulumi.Config, setting: keyof Settings) =>
  isSecretSetting(setting) ? stack.getSecret(setting) : stack.get(setting);

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
