/** What a resource enters in the register, so that no two manage the same unnoticed: when it is checked, diffed, created and updated. */

import type { JsonObject } from "../../base/json";
import { type Definition, moduleId, parentsOf } from "../../definitions/definition";
import { ProviderError } from "../errors";
import type { Log } from "../log";
import type { Options } from "../options";
import type { Plan } from "../plan/plan";
import { leftToOthers, managedArgs, newState, pathsOf, type State, topLevelNames } from "../state";
import { hasUnknown } from "../unknown";
import type { Declaration, DoubleDeclaration, Places } from "./entries";
import type { Identity } from "./identity";
import { modulesWithResources } from "./modules";
import { placesOf, placesOfCheck } from "./places";
import type { Register } from "./register";
import type { View } from "./view";
import { writeMarksOf } from "./writeMarks";

/** What declaring needs of a deployment. */
interface Deployment {
  register: Register;
  warn: Log["warn"];
}

/** The object or module that is declared. */
interface Declared extends Identity {
  deployment: Deployment;
}

/** The program has this resource. Returns what other resources make impossible. */
export async function declareChecked(
  deployment: Deployment,
  definition: Definition,
  old: JsonObject | undefined,
  args: JsonObject,
  options: Options,
): Promise<string[]> {
  const { desired } = managedArgs(definition, args, options);
  const id = knownId(definition, old, args, options);
  const places = placesOfCheck(deployment.register, definition, { old, desired, id }, options);
  const { view, doubles } = enter(deployment.register, options, places);
  if (doubles.length === 0) await warnOfOthers(view, deployment, places, options);
  return describeDoubleDeclarations(doubles);
}

/** The id that a resource is going to have, if check knows it. The id of an existing object is only in the state. */
function knownId(definition: Definition, old: JsonObject | undefined, args: JsonObject, options: Options) {
  if (definition.kind === "object") return old && !options.isImport ? undefined : options.importId;
  return hasUnknown(definition.parents.map((name) => args[name])) ? undefined : moduleId(definition, args);
}

/** The engine imports this object. It writes what was read into the state before it checks and diffs the resource. */
export function declareImported(remote: Declared, options: Options): void {
  const places = placesOf(remote, {}, { isNew: true, value: undefined });
  assertDeclaredOnce(enter(remote.deployment.register, options, places).doubles);
}

/**
 * Whether the engine diffs a resource of the program: then it has checked it. It also diffs to refresh, and what it
 * replaces with its edge, whose next id is not known yet.
 */
export function isDiffInProgram(remote: Declared, args: JsonObject, { key }: Options): boolean {
  const { register } = remote.deployment;
  const isChecked = register.consumeCheck(key);
  const isReplacedWithEdge = !isChecked && hasUnknown(parentsOf(remote.definition).map((name) => args[name]));
  if (isReplacedWithEdge) register.record(remote.path(), { isReplacedWithEdge });
  return isChecked;
}

/** The program keeps this object, or gives it up for a replacement. */
export async function declareDiffed(
  remote: Declared,
  state: State,
  { plan, desired, replaces }: { plan: Plan; desired: JsonObject; replaces: string[] },
  options: Options,
): Promise<void> {
  const { deployment } = remote;
  const { register } = deployment;
  if (replaces.length > 0) return register.giveUp(options.key, remote.path());
  const managed = topLevelNames(state.managed);
  const own = { writeMark: state.writeMarks[remote.path()], isNew: options.isImport };
  const places = placesOf(remote, desired, own, (name) => !managed.has(name));
  register.declare(options, places, plan.calls.length > 0 ? "planned" : "written");
  const view = register.view();
  assertDeclaredOnce(view.doubleDeclarationsOf(options.key, places));
  await warnOfOthers(view, deployment, places, options);
  const left = leftToOthers(remote.definition, state.values, Object.keys(desired));
  for (const { name, path } of modulesWithResources(remote)) {
    const isInState = left.includes(name) && ![...state.unconfirmed, ...state.left].includes(name);
    if (isInState) register.record(path, { inStateOf: options.resource });
  }
  for (const { removes, route, isUnlessKept } of plan.calls) {
    const place = remote.path(route);
    if (removes !== undefined && !isUnlessKept && view.ownersOf(place).length === 0) {
      register.record(place, { removal: { by: options.resource } });
    }
  }
}

/** This object was created or imported. Returns its state. */
export async function declareCreated(
  remote: Declared,
  values: JsonObject,
  desired: JsonObject,
  options: Options,
): Promise<State> {
  const { definition, deployment, id } = remote;
  deployment.register.claim(id);
  const isNew = options.importId !== undefined;
  const written = declareWritten(remote, desired, options, { isCreated: true, isNew });
  await warnOfOthers(deployment.register.view(), deployment, placesOf(remote, desired, {}), options);
  return newState({ id, values, managed: pathsOf(definition.fields, desired), ...written });
}

/** This object was updated from this state. Returns what the state has of other resources now. */
export const declareUpdated = (remote: Declared, before: State, desired: JsonObject, options: Options): OfOthers =>
  declareWritten(remote, desired, options, {}, before);

/** What the state of a resource has of others. */
type OfOthers = Pick<State, "writeMarks" | "withEdge">;

function declareWritten(
  remote: Declared,
  desired: JsonObject,
  options: Options,
  traits: Pick<Declaration, "isCreated" | "isNew">,
  before?: OfOthers,
): OfOthers {
  const { register } = remote.deployment;
  const view = register.view();
  if (view.removerOf(remote.path())) register.record(remote.path(), { removal: "set again" });
  const writeMarks = writeMarksOf(view, remote, before?.writeMarks);
  register.declare(options, placesOf(remote, desired, { ...traits, writeMark: writeMarks[remote.path()] }), "written");
  return { writeMarks, ...((before?.withEdge || protectsEdge(view, remote)) && { withEdge: true }) };
}

/** Whether it is a module that protects an edge of the program. */
export const protectsEdge = (view: View, { definition, objectPath }: Identity): boolean =>
  definition.kind === "module" && definition.protects === true && view.ownersOf(objectPath).length > 0;

/** Enters what a check declares, unless another resource has it. */
function enter(register: Register, options: Options, places: Places): { view: View; doubles: DoubleDeclaration[] } {
  register.enter(options, places);
  const view = register.view();
  const doubles = view.doubleDeclarationsOf(options.key, places);
  if (doubles.length > 0) register.reject(options);
  return { view, doubles };
}

function assertDeclaredOnce(doubles: DoubleDeclaration[]): void {
  if (doubles.length > 0) throw new ProviderError(describeDoubleDeclarations(doubles).join("\n"));
}

/** The double declarations, each once: the module of an edge that exists has a second place, at the edge's key. */
const describeDoubleDeclarations = (doubles: DoubleDeclaration[]): string[] => [
  ...new Set(
    doubles.map(([{ name }, { resource }]) => `${name} is already declared by ${resource}. Declare it in one place.`),
  ),
];

/** What two resources manage, and what moves from one to the other. */
async function warnOfOthers(
  view: View,
  { warn }: Deployment,
  places: Places,
  { key, resource }: Options,
): Promise<void> {
  for (const [place, { title }] of Object.entries(places)) {
    if (title === undefined) continue;
    const other = view.ownersOf(place).find((owner) => owner.key !== key);
    const remover = view.removerOf(place);
    if (other) {
      const managed = `The ${title} is managed by both ${other.resource} and ${resource}`;
      await warn(
        other.hasOtherAddress
          ? `${managed}. If both addresses lead to the same service, declare it in one place.`
          : `${managed}, which overwrite each other. Declare it in one place.`,
        { key },
      );
    } else if (remover) {
      // The engine updates an edge before it knows of a new resource for the edge's module: the gap cannot be prevented.
      await warn(
        `The ${title} moves from ${remover} to ${resource} and is not set in between. ` +
          "To move it without a gap, see docs/moving.md in pulumi-tunnel-edge.",
        { key },
      );
    }
  }
}
