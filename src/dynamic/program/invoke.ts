/**
 * The two forms of a function that reads, Promise and Output. They behave as the functions of Pulumi's own providers,
 * but run in the program: a dynamic provider has no functions.
 */

import * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../../base/json";
import { readSettings } from "../../base/settings";
import type { ListQuery, OneQuery, Query } from "../../core/functions/query";
import { allowUnhandled } from "./cancelledCalls";
import { programError } from "./programError";
import { Provider, stackConfig } from "./provider";
import { engineType } from "./resource";
import { currentRun, type Run } from "./run";
import { keepAlive } from "./sdk/keepAlive";
import { isKnown, promiseOf } from "./sdk/knownOutputs";
import { isMocked } from "./sdk/mocks";
import type { OutputArgs } from "./types";

export { readList, readOne } from "../../core/functions/query";

/** The Promise form, whose arguments must be known. */
export function invoke<Args extends object, Result extends object>(
  query: OneQuery<Args, Result>,
): (args: Args, opts?: pulumi.InvokeOptions) => Promise<Result>;
export function invoke<Args extends object, Result extends object>(
  query: ListQuery<Args, Result>,
): (args?: Args, opts?: pulumi.InvokeOptions) => Promise<Result>;
export function invoke(query: Query) {
  return async (args: object = {}, opts: pulumi.InvokeOptions = {}): Promise<object> => {
    const provider = providerFor(query, opts);
    if (isMocked()) {
      const mocked = await pulumi.runtime.invoke(token(query), { ...args }, { ...opts, provider });
      return toResult(query, query.toResult(mocked));
    }
    const run = currentRun();
    const release = keepAlive();
    try {
      const config = await knownValue(configOf(provider), query, "the Provider's settings");
      const values = pulumi.output(args);
      const result = await call(run, query, config, await knownValue(values, query, "the arguments"));
      return (await pulumi.isSecret(values)) ? markAll(result) : result;
    } finally {
      release();
    }
  };
}

/** The Output form, which waits for its arguments. In a preview it is unknown if one of them is. */
export function invokeOutput<Args extends object, Result extends object>(
  query: OneQuery<Args, Result>,
): (args: OutputArgs<Args>, opts?: pulumi.InvokeOutputOptions) => pulumi.Output<Result>;
export function invokeOutput<Args extends object, Result extends object>(
  query: ListQuery<Args, Result>,
): (args?: OutputArgs<Args>, opts?: pulumi.InvokeOutputOptions) => pulumi.Output<Result>;
export function invokeOutput(query: Query) {
  return (args: object = {}, opts: pulumi.InvokeOutputOptions = {}): pulumi.Output<object> => {
    const provider = providerFor(query, opts);
    if (isMocked()) {
      const mocked = pulumi.runtime.invokeOutput<JsonObject>(token(query), { ...args }, { ...opts, provider });
      return mocked.apply((values) => toResult(query, query.toResult(values as JsonObject)));
    }
    const run = currentRun();
    const values = pulumi.output(args);
    const result = pulumi
      .all([configOf(provider), values, dependencies(query.name, values, opts.dependsOn)])
      .apply(([config, known]) => call(run, query, config, known));
    const release = keepAlive();
    isKnown(result).then(release, release);
    return result;
  };
}

async function call(run: Run, query: Query, config: Config, args: object): Promise<object> {
  const { settings, problems } = readSettings(config);
  if (problems.length > 0) throw failure(query, problems.map(({ reason }) => reason).join("\n"));
  const service = run.serviceWith(settings);
  try {
    return toResult(query, await query.run(service, args));
  } catch (error) {
    const failed = failure(query, service.redaction.format((error as Error).message));
    throw run.isOver ? allowUnhandled(failed) : failed;
  }
}

/** The result of a function whose arguments are secrets. */
const markAll = (result: object): object =>
  Object.fromEntries(Object.entries(result).map(([name, value]) => [name, pulumi.secret(value)]));

/** A result in which secrets are Outputs, so that they stay secrets in the Promise form. */
function toResult({ secrets }: Query, values: JsonObject): object {
  return { ...values, ...Object.fromEntries(secrets.map((name) => [name, pulumi.secret(values[name])])) };
}

const failure = ({ name }: Query, reason: string) => programError(`${name}: ${reason}`);

type Config = Record<string, string>;

/** A Provider's own configuration, or the stack's. The secrets in it make no secret of what is read with them. */
const configOf = (provider: Provider | undefined): pulumi.Output<Config> =>
  pulumi.unsecret(pulumi.output(provider ? provider.config : stackConfig())) as pulumi.Output<Config>;

/** The Provider of the options, or the one that resources with this parent would have. */
function providerFor(query: Query, { provider, parent }: pulumi.InvokeOptions): Provider | undefined {
  const found = provider ?? parent?.getProvider(engineType(query.name));
  if (found === undefined || Provider.isInstance(found)) return found;
  throw failure(query, "the provider option is not a Provider of pulumi-tunnel-edge. Pass one, or remove the option.");
}

async function knownValue<T>(value: pulumi.Output<T>, query: Query, what: string): Promise<T> {
  if (await isKnown(value)) return promiseOf(value);
  throw failure(query, `${what} are not known yet: use ${query.name}Output, which waits for them.`);
}

const token = ({ name }: Query) => `tunnel-edge:index:${name}`;

/** Unknown as long as a resource that the call depends on is not created yet. */
export function dependencies(
  functionName: string,
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): pulumi.Output<unknown> {
  const find = async (): Promise<Partial<pulumi.CustomResource>[]> => {
    const explicit: pulumi.Output<unknown> = pulumi.output(dependsOn as pulumi.Input<unknown>);
    const resources = [await promiseOf(explicit)].flat().filter(pulumi.Resource.isInstance);
    // The SDK would wait for it without the resources inside it, so that a function reads before they are created.
    if (resources.some(pulumi.ComponentResource.isInstance))
      throw programError(`${functionName}: dependsOn has a component. Name the resources inside it instead.`);
    const implied = await pulumi.getAllResources(pulumi.all([args, explicit]));
    return [...new Set([...resources, ...implied])];
  };
  return pulumi.output(find()).apply((resources) => pulumi.all(resources.map(({ id, urn }) => id ?? urn)));
}
