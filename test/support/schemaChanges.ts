/**
 * What breaks programs between two package schemas. Pulumi's schema-tools compares the same; it also reports what only
 * its own bridged providers have, and neither defaults, nor secrets, nor the names of SDKs.
 */

interface Property {
  type?: string;
  $ref?: string;
  items?: Property;
  additionalProperties?: Property;
  oneOf?: Property[];
  default?: unknown;
  secret?: boolean;
  willReplaceOnChanges?: boolean;
}
type Properties = Record<string, Property>;
interface ObjectType {
  properties?: Properties;
  required?: string[];
  enum?: { name?: string; value: string }[];
}
interface Resource extends ObjectType {
  inputProperties?: Properties;
  requiredInputs?: string[];
  listInputs?: ObjectType;
}
export interface PackageSchema {
  version: string;
  config: { variables: Properties };
  provider: Resource;
  types: Record<string, ObjectType>;
  resources: Record<string, Resource>;
  functions: Record<string, { inputs: ObjectType; outputs: ObjectType }>;
  language: Record<string, object>;
}

/** The names that the changelog has to mention together, and what happens to the last one. */
export interface BreakingChange {
  names: string[];
  change: string;
}

/** Properties that programs give, read, or both. */
interface Shape extends ObjectType {
  names: string[];
  isGiven: boolean;
  isRead: boolean;
}

const lastPart = (token: string) => token.split(":").at(-1)!;

const given = (names: string[], { properties, required }: ObjectType): Shape => ({
  names,
  properties: properties ?? {},
  required: required ?? [],
  isGiven: true,
  isRead: false,
});
const read = (names: string[], type: ObjectType): Shape => ({ ...given(names, type), isGiven: false, isRead: true });

/** Everything with properties, by a key that stays the same from version to version. */
function listShapes({ config, provider, resources, functions, types }: PackageSchema): Map<string, Shape> {
  const ofResource = (name: string, { inputProperties, requiredInputs, listInputs, ...outputs }: Resource) => [
    [
      `${name} arguments`,
      given([name], { properties: inputProperties ?? {}, required: requiredInputs ?? [] }),
    ] as const,
    [`${name} outputs`, read([name], outputs)] as const,
    ...(listInputs ? [[`${name} list`, given([name, "list"], listInputs)] as const] : []),
  ];
  const shapes = new Map<string, Shape>([
    ["config", given([], prefixed(config.variables))],
    ...ofResource("Provider", provider),
    ...Object.entries(resources).flatMap(([token, resource]) => ofResource(lastPart(token), resource)),
    ...Object.entries(functions).flatMap(([token, { inputs, outputs }]) => [
      [`${token} arguments`, given([lastPart(token)], inputs)] as const,
      [`${token} result`, read([lastPart(token)], outputs)] as const,
    ]),
  ]);
  const direct = [...shapes.values()];
  const usedBy = (side: "isGiven" | "isRead") =>
    reach(
      types,
      direct.filter((shape) => shape[side]),
    );
  const [isGiven, isRead] = [usedBy("isGiven"), usedBy("isRead")];
  for (const [token, type] of Object.entries(types)) {
    const shape = given([lastPart(token)], type);
    shapes.set(token, {
      ...shape,
      ...(type.enum && { enum: type.enum }),
      isGiven: isGiven.has(token),
      isRead: isRead.has(token),
    });
  }
  return shapes;
}

const prefixed = (variables: Properties): ObjectType => ({
  properties: Object.fromEntries(Object.entries(variables).map(([name, each]) => [`tunnel-edge:${name}`, each])),
});

/** The tokens of the types that shapes refer to, directly or not. */
function reach(types: Record<string, ObjectType>, from: ObjectType[]): Set<string> {
  const found = new Set<string>();
  const visit = (type: ObjectType) => {
    for (const [, token] of JSON.stringify(type.properties ?? {}).matchAll(/"#\/types\/([^"]+)"/g)) {
      if (found.has(token!)) continue;
      found.add(token!);
      visit(types[token!] ?? {});
    }
  };
  from.forEach(visit);
  return found;
}

/** A property's type, without what is compared by itself. */
const typeOf = ({ type, $ref, items, additionalProperties, oneOf }: Property): string =>
  JSON.stringify([
    type,
    $ref,
    items && typeOf(items),
    additionalProperties && typeOf(additionalProperties),
    oneOf?.map(typeOf),
  ]);

function compareShapes(old: Shape, next: Shape): BreakingChange[] {
  const changes: BreakingChange[] = [];
  const report = (name: string, change: string) => changes.push({ names: [...old.names, name], change });
  for (const [name, before] of Object.entries(old.properties!)) {
    const after = next.properties![name];
    if (!after) {
      report(name, "is removed");
      continue;
    }
    if (typeOf(before) !== typeOf(after)) report(name, "has another type");
    if (before.secret && !after.secret) report(name, "is no longer secret");
    if (old.isGiven && JSON.stringify(before.default) !== JSON.stringify(after.default))
      report(name, "has another default");
    if (Boolean(before.willReplaceOnChanges) !== Boolean(after.willReplaceOnChanges))
      report(name, after.willReplaceOnChanges ? "replaces the resource" : "no longer replaces the resource");
  }
  const added = next.required!.filter((name) => !old.required!.includes(name));
  const dropped = old.required!.filter((name) => !next.required!.includes(name) && next.properties![name]);
  if (old.isGiven) for (const name of added) report(name, "is required");
  if (old.isRead) for (const name of dropped) report(name, "may be unset");
  for (const { value } of old.enum ?? [])
    if (!next.enum?.some((each) => each.value === value)) report(value, "is removed");
  return changes;
}

/** The strings in the SDKs' options: the names under which programs import them. */
const listNames = (options: unknown): string[] =>
  typeof options === "object" && options !== null
    ? Object.values(options).flatMap(listNames)
    : typeof options === "string"
      ? [options]
      : [];

export function findBreakingChanges(old: PackageSchema, next: PackageSchema): BreakingChange[] {
  const shapes = listShapes(next);
  const compared = [...listShapes(old)].flatMap(([key, shape]) => {
    const after = shapes.get(key);
    return after ? compareShapes(shape, after) : [{ names: shape.names, change: "is removed" }];
  });
  const sdks = Object.entries(old.language).flatMap(([language, options]) => {
    const names = listNames(next.language[language]);
    const gone = listNames(options).filter((name) => !names.includes(name));
    return gone.map((name) => ({ names: [name], change: `is no longer a name in the SDK (${language})` }));
  });
  const all = [...compared, ...sdks];
  // A resource or a function that is removed has several shapes, of which one says it.
  const isImplied = ({ names }: BreakingChange) =>
    all.some((each) => each.names.length < names.length && each.names.every((name, at) => name === names[at]));
  const changes = all.filter((each) => !isImplied(each));
  return [...new Map(changes.map((each) => [JSON.stringify(each), each])).values()];
}

/** What a version breaks, and its section of the changelog does not say, or a patch version must not do. */
export function findUnannounced(old: PackageSchema, next: PackageSchema, changelog: string): string[] {
  const broken = findBreakingChanges(old, next);
  const section = changelog.split(/^## /m).find((each) => each.startsWith(`${next.version} `)) ?? "";
  const items = section.split(/^(?=- |#)/m);
  const isNamed = ({ names }: BreakingChange) =>
    items.some((item) => names.every((name) => item.includes(`\`${name}\``)));
  const missing = broken
    .filter((each) => !isNamed(each))
    .map(({ names, change }) => `${names.join(".")} ${change}. Name it in the changelog of ${next.version}.`);
  const isPatch = old.version !== next.version && compatibleWith(old.version) === compatibleWith(next.version);
  return broken.length > 0 && isPatch
    ? [...missing, `${next.version} breaks programs of ${old.version}, which only ${nextBreaking(old.version)} may.`]
    : missing;
}

/** The part of a version that a breaking change raises: the major version, or before 1.0.0 the minor version. */
const compatibleWith = (version: string) => /^0\.\d+|^\d+/.exec(version)![0];

const nextBreaking = (version: string) => {
  const [major, minor] = version.split(".").map(Number) as [number, number];
  return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`;
};
