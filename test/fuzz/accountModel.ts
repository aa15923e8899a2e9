/** What the account must contain in every scenario, field by field. */
import type { Account } from "pulumi-tunnel-edge/emulator";
import { definitions } from "../../src/definitions";
import { isEmpty, matchesDeclared } from "../simulator/matches";
import type { Program, SimulatedStack } from "../support/simulatedStack";
import { sampled } from "./scenario";

/** The account's fields: `edgtcp_… ip_restriction`. */
export type Fields = Map<string, unknown>;

/** What the service returns in addition to what can be set. */
const readOnlyFields = new Set(["id", "uri", "created_at", "token"]);

export function fieldsOf(account: Account): Fields {
  const { users: _, sessions: __, tunnels: ___, httpsEdges, ...objects } = account;
  const routes = httpsEdges.flatMap((edge) => edge.routes);
  const edges = httpsEdges.map(({ routes: _, ...edge }) => edge);
  const fields: Fields = new Map();
  for (const object of [...Object.values(objects).flat(), ...edges, ...routes]) {
    for (const [name, value] of Object.entries(object))
      if (!readOnlyFields.has(name)) fields.set(`${object.id} ${name}`, value);
  }
  return fields;
}

const objectIdOf = (key: string) => key.split(" ")[0]!;
export const listObjectIds = (fields: Fields) => new Set([...fields.keys()].map(objectIdOf));

/** The field of a module in its parent, by resource type. */
const modules: Record<string, string> = Object.fromEntries(
  definitions.flatMap((each) => (each.kind === "module" ? [[each.type, each.route.split("/").pop()!]] : [])),
);

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The fields that a program declares, of resources that exist. */
export function listDeclaredFields(program: Program, resources: SimulatedStack["resources"]): Fields {
  const declared: Fields = new Map();
  for (const [name, { type, args }] of Object.entries(program)) {
    const { edgeId, routeId, keepers: _, ...own } = args;
    const module = modules[type];
    const parent = String(routeId ?? edgeId).replace(
      /^=(\w+)\.id$/,
      (_, other) => resources.get(other)?.state?.id ?? "",
    );
    const id = module ? parent : resources.get(name)?.state?.id;
    if (!id) continue;
    if (module) declared.set(`${id} ${module}`, own);
    else for (const [argument, value] of Object.entries(own)) declared.set(`${id} ${toSnakeCase(argument)}`, value);
  }
  return declared;
}

/** Where the account differs from what it must contain. */
export function* findViolations(
  now: Fields,
  declared: Fields,
  /** What earlier programs declared: the last one that succeeded, and those that failed since. */
  before: Fields[],
  /** What was set outside of Pulumi. */
  foreignFields: Fields,
): Generator<string> {
  for (const [key, value] of now) {
    const [, field] = key.split(" ") as [string, string];
    if (declared.has(key)) {
      if (!matchesDeclared(field, declared.get(key), value))
        yield `${key} is ${show(value)}, but the program declares ${show(declared.get(key))}`;
      continue;
    }
    const wasDeclared = before.some((each) => each.has(key));
    const isCleared = isEmpty(field, value);
    const isUnchanged = foreignFields.has(key)
      ? show(value) === show(foreignFields.get(key))
      : isCleared || unclearable.has(field);
    const mustBeCleared = before.every((each) => each.has(key)) && !unclearable.has(field);
    if (mustBeCleared ? isCleared : isUnchanged || (wasDeclared && isCleared)) continue;
    const outside = foreignFields.has(key) ? `is ${show(foreignFields.get(key))}` : "is not set";
    yield `${key} is ${show(value)}; the program does not declare it${wasDeclared ? " any more" : ""}, and the value from outside ${outside}`;
  }
}

/** Fields that cannot be cleared. */
const unclearable = new Set([
  "owner_id",
  "public_key",
  ...Object.values(sampled).flatMap(({ unclearable }) => unclearable),
]);

const show = (value: unknown) => JSON.stringify(value);
