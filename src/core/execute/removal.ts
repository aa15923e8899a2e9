/** What becomes of a resource's object or module when the resource leaves the program, or is replaced. */

import type { JsonObject } from "../../base/json";
import { joinWithAnd } from "../../base/quote";
import { routesOf } from "../../definitions/definition";
import { clearedValue, type Field, readFields } from "../../definitions/fields/field";
import type { Remote } from "../deployment/remote";
import { ProviderError } from "../errors";
import type { Options } from "../options";
import { hasFailed, type Owner } from "../register/entries";
import { keepersOf } from "../register/keepers";
import { modulesWithResources } from "../register/modules";
import { type State, topLevelNames } from "../state";
import { deleteOrRemove, restoreDeclared } from "./execute";
import { describeOtherService } from "./otherService";
import { describeUndeleted, protectAgain, rememberProtection } from "./protectAgain";
import { describeUnknownOwners } from "./unknownOwners";

type Removal =
  | { becomes: "removed" }
  /** A resource of the program keeps it. */
  | { becomes: "kept"; owner: Owner }
  /** It protects its edge, which is deleted, too: without the edge it needs no call, and with it it must stay. */
  | { becomes: "left" }
  /** It is not known whether another resource keeps it, or what takes its place. */
  | { becomes: "rejected"; reason: string };

function decideRemoval(remote: Remote, { withEdge }: State): Removal {
  const { definition, deployment } = remote;
  const view = deployment.register.view();
  const owner = view.keeperOf(remote.path());
  if (owner && !hasFailed(owner)) return { becomes: "kept", owner };
  if (view.historyOf(remote.path()).isReplacedWithEdge) return { becomes: "left" };
  const edge = definition.kind === "module" ? view.unfinishedAt(remote.objectPath) : undefined;
  const isUnsettled = owner
    ? `${owner.resource}, which declares it too, ${owner.isDead ? "has a provider process that stopped" : "failed"}`
    : edge
      ? `${edge.resource}, which it belongs to, was not updated`
      : describeUndeleted(view, remote);
  if (isUnsettled) {
    return { becomes: "rejected", reason: `${isUnsettled} in this deployment. Run \`pulumi up\` again.` };
  }
  const { problem } = view;
  if (problem !== undefined) return { becomes: "rejected", reason: describeUnknownOwners(problem) };
  return withEdge && view.ownersOf(remote.objectPath).length === 0 ? { becomes: "left" } : { becomes: "removed" };
}

/** Deletes an object or removes a module, unless a resource of the program keeps it. */
export async function removeOrLeave(remote: Remote, state: State, options: Options): Promise<void> {
  const { definition, deployment, name } = remote;
  const removal = decideRemoval(remote, state);
  if (removal.becomes === "kept") return leaveTo(removal.owner, remote, state.managed, options);
  if (removal.becomes === "left") {
    return deployment.inform(
      `The ${name} is deleted with its edge. If the edge stays, so does this, and Pulumi no longer manages it.`,
      options,
    );
  }
  const remove = async () => {
    if (removal.becomes === "rejected") throw new ProviderError(removal.reason);
    const warning = definition.kind === "object" && definition.deleteWarning?.(state.values, deployment.apiKey);
    if (warning) await deployment.warn(`${name}: ${warning}`, options);
    await deleteOrRemove(remote, options);
  };
  await remove().catch(async (error: unknown) => {
    await protectAgain(remote, options);
    throw error;
  });
  if (definition.kind !== "module") return warnOfLostModules(remote, options);
  await rememberProtection(remote, state.values, options);
  const { inStateOf } = deployment.register.view().historyOf(remote.path());
  if (inStateOf !== undefined) {
    await deployment.inform(
      `The ${name} was removed, but the state of ${inStateOf} still has it. Run \`pulumi refresh\` before you declare ` +
        "it there.",
    );
    // With --target only the targets are known: another resource may declare it.
  } else if (definition.protects) {
    await deployment.inform(
      `The ${name} was removed. If another resource declares it, run \`pulumi refresh\`, then \`pulumi up\`.`,
    );
  }
}

/** Warns of modules that the program still declares for an edge that was deleted: they have its id as a string. */
async function warnOfLostModules(remote: Remote, options: Options): Promise<void> {
  const view = remote.deployment.register.view();
  for (const { path } of modulesWithResources(remote)) {
    const owner = view.moduleResourceAt(path);
    if (!owner) continue;
    await remote.deployment.warn(
      `${remote.name} was deleted, but ${owner.resource} still declares a module of it. Remove it from the program too, or ` +
        "give it the id of another edge. Otherwise it fails after the next refresh, because its edge does not exist.",
      options,
    );
  }
}

/** Sets what a resource of the program keeps as it is declared there, if that is known. */
async function leaveTo(owner: Owner, remote: Remote, managed: string[], options: Options): Promise<void> {
  const { definition, deployment, name } = remote;
  if (owner.value && !owner.isCreated) await restoreDeclared(remote, managed, owner.value);
  const mayDiffer = owner.isElsewhere && definition.kind === "module";
  const hint = mayDiffer ? " If it is set otherwise than declared there, run `pulumi refresh`, then `pulumi up`." : "";
  const fix = owner.hasOtherAddress ? describeOtherService(remote, routesOf(definition).delete) : "";
  const message = `${name} was not deleted, because ${owner.resource} still declares it.`;
  await deployment.inform(`${message}${fix}${hint}${await describeUndeclared(remote, managed, owner.value)}`, options);
}

/**
 * Names what a kept object has, and no resource declares: what this one declared, and modules of an edge whose resources
 * leave the state silently, with `deletedWith`. Of a keeper in another process, only the modules are known.
 */
async function describeUndeclared(
  remote: Remote,
  managed: string[],
  declared: JsonObject | undefined,
): Promise<string> {
  const { definition, deployment } = remote;
  if (definition.kind === "module") return "";
  const keepers = keepersOf(deployment.register.view(), remote, {});
  const candidates = new Set([...topLevelNames(managed), ...modulesWithResources(remote).map(({ name }) => name)]);
  const isUndeclared = (name: string, { module, replaces }: Field) =>
    !replaces && (module ? !keepers[name] : declared !== undefined && !(name in declared));
  const fields = Object.entries<Field>(definition.fields).filter(
    ([name, field]) => candidates.has(name) && isUndeclared(name, field),
  );
  if (fields.length === 0) return "";
  const inGrace = remote.withGrace();
  const object = await inGrace.fetch().catch(() => "unreadable" as const);
  if (object === "unreadable") return " It could not be read, so it may have more than its resources declare.";
  const values = readFields(definition.fields, object ?? {});
  const names = fields
    .filter(([name, field]) => !field.equals(clearedValue(field), values[name]))
    .map(([name]) => name);
  return names.length > 0 ? ` It keeps its ${joinWithAnd(names)}, which no resource declares.` : "";
}
