/**
 * The two forms that every data function has, Promise and Output. They behave as the functions of Pulumi's own
 * providers do, but run in the program: a dynamic provider has no functions.
 */

import * as pulumi from "@pulumi/pulumi";
import { message, programError } from "../core/errors";
import type { Query } from "../core/query";
import type { JsonObject } from "../json";
import { readSettings } from "../settings";
import { engineType } from "./baseResource";
import { connect } from "./connection";
import { Provider, stackConfig } from "./provider";

/** The arguments of an Output form: whatever the Promise form takes may be an Output, or contain one. */
export type OutputArgs<Args> = { [Name in keyof Args]: DeepInput<Args[Name]> };
type DeepInput<T> = [T] extends [object | undefined]
  ? pulumi.Input<{ [Name in keyof T]: DeepInput<T[Name]> }>
  : pulumi.Input<T>;

/** The Promise form, which takes what is known. */
export async function invoke<Args extends object, Result>(
  query: Query<Args, Result>,
  args: Args,
  opts: pulumi.InvokeOptions = {},
): Promise<Result> {
  const provider = providerFor(query, opts);
  if (isMocked()) {
    return query.toResult(await pulumi.runtime.invoke(token(query), { ...args }, { ...opts, provider }));
  }
  const release = keepEngineAlive();
  try {
    const config = await known(configOf(provider), query, "the Provider's settings");
    const values = await known(pulumi.output(args), query, "the arguments");
    return await run(query, config, values as Args);
  } finally {
    release();
  }
}

/** The Output form, which waits for what is not known yet, and in a preview is itself not known then. */
export function invokeOutput<Args extends object, Result>(
  query: Query<Args, Result>,
  args: OutputArgs<Args>,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<Result> {
  const provider = providerFor(query, opts);
  if (isMocked()) {
    const mocked = pulumi.runtime.invokeOutput<JsonObject>(token(query), { ...args }, { ...opts, provider });
    return mocked.apply((values) => query.toResult(values as JsonObject)) as pulumi.Output<Result>;
  }
  const values = pulumi.output(args);
  const result = pulumi
    .all([configOf(provider), values, dependencies(values, opts.dependsOn)])
    .apply(([config, given]) => run(query, config, given as Args));
  const release = keepEngineAlive();
  isKnown(result).then(release, release);
  return result;
}

async function run<Args, Result>(query: Query<Args, Result>, config: Config, args: Args): Promise<Result> {
  const { settings, problems } = readSettings(config);
  if (problems.length > 0) throw failure(query, problems.map(({ reason }) => reason).join("\n"));
  const connection = connect(settings);
  try {
    return await query.run(connection, args);
  } catch (error) {
    throw failure(query, message((error as Error).message, connection.secrets));
  }
}

const failure = ({ name }: { name: string }, reason: string) => programError(`${name}: ${reason}`);

type Config = Record<string, string>;

/** A Provider's own configuration, or the stack's. The secrets in it make no secret of what is read with them. */
const configOf = (provider: Provider | undefined): pulumi.Output<Config> =>
  pulumi.unsecret(pulumi.output(provider ? provider.config : stackConfig())) as pulumi.Output<Config>;

/** The Provider of the options, or the one that resources with this parent would have. */
function providerFor(query: { name: string }, { provider, parent }: pulumi.InvokeOptions): Provider | undefined {
  const found = provider ?? parent?.getProvider(engineType(query.name));
  if (found === undefined || Provider.isInstance(found)) return found;
  throw failure(query, "the provider in its options is not of this package: give it a tunnel-edge Provider, or none.");
}

async function known<T>(value: pulumi.Output<T>, { name }: { name: string }, what: string): Promise<T> {
  if (await isKnown(value)) return inner(value).promise();
  throw failure({ name }, `${what} are not known yet: use ${name}Output, which waits for them.`);
}

/** Not known as long as a resource that the call depends on is still to be created. */
function dependencies(args: pulumi.Output<unknown>, dependsOn: pulumi.InvokeOutputOptions["dependsOn"]) {
  const awaited = async () => {
    const named: pulumi.Output<unknown> = pulumi.output(dependsOn as pulumi.Input<unknown>);
    const values = [await inner(named).promise()].flat().filter(pulumi.Resource.isInstance);
    const implied = await pulumi.getAllResources(pulumi.all([args, named]));
    return withChildren(new Set([...values, ...implied]));
  };
  return pulumi.output(awaited()).apply((resources) => pulumi.all(resources.map(({ id, urn }) => id ?? urn)));
}

/** What follows is the SDK's own, as its own functions use it. */

/** The engine waits, also for what the result leads to: whoever awaits it has had a turn before the release. */
function keepEngineAlive(): () => void {
  const done = pulumi.runtime.rpcKeepAlive();
  return () => setImmediate(done);
}

/** Whether `pulumi.runtime.setMocks` is in force: then the mocks answer. */
const isMocked = () => "mocks" in (pulumi.runtime.getMonitor() ?? {});

const token = ({ name }: { name: string }) => `tunnel-edge:index:${name}`;

interface Inner<T> {
  isKnown: Promise<boolean>;
  promise(): Promise<T>;
}

const inner = <T>(value: pulumi.Output<T>) => value as unknown as Inner<T>;

const isKnown = (value: pulumi.Output<unknown>) => inner(value).isKnown;

/**
 * Components stand for the resources inside them. What lists those is in a file that the SDK does not export: without
 * it a component is waited for, and not what is in it.
 */
async function withChildren(resources: Set<pulumi.Resource>): Promise<Partial<pulumi.CustomResource>[]> {
  const found = [...resources];
  const expand = found.some(pulumi.ComponentResource.isInstance) && transitiveResources();
  return expand ? expand(resources, new Set()) : found;
}

type TransitiveResources = (from: Set<pulumi.Resource>, except: Set<pulumi.Resource>) => Promise<pulumi.Resource[]>;

function transitiveResources(): TransitiveResources | undefined {
  try {
    return require("@pulumi/pulumi/runtime/dependsOn").getAllTransitivelyReferencedResources;
  } catch {
    return undefined;
  }
}
