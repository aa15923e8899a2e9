// docs/coverage.md: which resources and functions use each operation of the API. The operations are the emulator's,
// which test/contract compares with the API document; their uses are the definitions'.
import { createRequire } from "node:module";
import path from "node:path";
import { Failure, root } from "./lib.mjs";

const require = createRequire(import.meta.url);
const load = (file) => require(path.join(root, "dist", file));
const { documentedOperations, undocumentedOperations } = load("emulator/index.js");
const { agentCommands, definitions, readOnly } = load("definitions/index.js");
const { routesOf } = load("definitions/definition.js");
const { default: objectTypes } = load("emulator/objects/index.js");

/** Groups the operations by the objects of the emulator, as pairs of title and operations in the document's order. */
function groupOperations() {
  const typeOf = (operation) =>
    Object.values(objectTypes).find(({ path: list }) => `${operation.split(" ")[1]}/`.startsWith(`${list}/`));
  const ungrouped = documentedOperations.filter((operation) => !typeOf(operation)?.page);
  if (ungrouped.length > 0) throw new Failure(`src/emulator/objects has no object for ${ungrouped.join(", ")}.`);
  return groupPairs(documentedOperations.map((operation) => [typeOf(operation).page.title, operation]));
}

/** Lists what a resource uses its operations for, as pairs of operation and purpose. */
function listResourceUses(definition) {
  const { kind, fields, routes, list, unique } = definition;
  if (kind === "command") {
    const session = readOnly.find(({ type }) => type === "TunnelSession");
    return [
      [session.route, "check the session"],
      ...Object.entries(routes).map(([command, route]) => [route, `send \`"${command}"\``]),
    ];
  }
  const own = Object.entries(routesOf(definition)).map(([purpose, route]) => [route, purpose]);
  const modules = Object.entries(fields).flatMap(([name, { module }]) => [
    ...(module?.put ? [[module.put, `update only \`${name}\``]] : []),
    ...(module?.remove ? [[module.remove, `remove \`${name}\``]] : []),
  ]);
  const lists = list
    ? [
        [list.route, "read several"],
        [list.route, "find a lost create"],
      ]
    : [];
  const conflicts = (unique?.among ?? []).map(({ route }) => [route, `find a conflict of \`${unique.argument}\``]);
  return [...own, ...modules, ...lists, ...conflicts];
}

/** Lists the functions that read an object, as pairs of operation and function. */
function listFunctionUses(definition) {
  const { kind, type, plural, route, list } = definition;
  const read = kind === "readOnly" ? route : routesOf(definition).read;
  return [[read, `get${type}`], ...(list ? [[list.route, `get${plural}`]] : [])];
}

/** Groups the second items of pairs by the first. */
function groupPairs(pairs) {
  const grouped = new Map();
  for (const [key, value] of pairs) grouped.set(key, [...(grouped.get(key) ?? []), value]);
  return grouped;
}

/** What each operation is used for: purposes by resource, and functions. */
function collectUses() {
  const byResource = [...definitions, ...agentCommands].flatMap((definition) =>
    listResourceUses(definition).map(([route, purpose]) => [route, { type: definition.type, purpose }]),
  );
  const resources = groupPairs(byResource);
  const functions = groupPairs([...definitions, ...readOnly].flatMap(listFunctionUses));
  const known = [...documentedOperations, ...undocumentedOperations];
  const unknown = [...resources.keys(), ...functions.keys()].filter((route) => !known.includes(route));
  if (unknown.length > 0) throw new Failure(`The API has no ${unknown.join(", ")}.`);
  return (operation) => ({
    resources: groupPairs((resources.get(operation) ?? []).map(({ type, purpose }) => [type, purpose])),
    functions: functions.get(operation) ?? [],
  });
}

/** Creates the page. The functions link to the reference, by the name of a resource and of a function. */
export function createCoveragePage({ linkToResource, linkToFunction, formatTable }) {
  const usesOf = collectUses();
  const formatResources = (operation) =>
    [...usesOf(operation).resources].map(([type, purposes]) => `${linkToResource(type)}: ${purposes.join(", ")}`);
  const createRow = (operation) => {
    const [resources, functions] = [formatResources(operation), usesOf(operation).functions.map(linkToFunction)];
    if (resources.length + functions.length === 0) throw new Failure(`No resource or function uses ${operation}.`);
    return [`\`${operation}\``, resources.join("<br>"), functions.join("<br>")];
  };
  const tables = [...groupOperations()].flatMap(([title, operations]) => [
    `## ${title}`,
    formatTable(["Operation", "Resource", "Function"], operations.map(createRow)),
  ]);
  const cleared = definitions.filter(({ clearIfUndeletable }) => clearIfUndeletable).map(({ routes }) => routes.delete);
  const extra = undocumentedOperations.map((operation) => [
    `\`${operation}\``,
    formatResources(operation).join("<br>"),
    cleared.includes(operation)
      ? "The edge is cleared instead, with a warning."
      : "The removal fails. Declare the module with `enabled: false` instead.",
  ]);
  const total = documentedOperations.length;
  const legend = [
    ["create, update, delete, remove, send", "`pulumi up`, `pulumi destroy`"],
    ["read", "a refresh, an import, `get`, and after a failed call"],
    ["read several", "a refresh of many resources, which reads a list instead of one object after another"],
    ["check the session", "before commands are sent to an agent, and after a lost response"],
    ["find a lost create", "a create whose response was lost"],
    ["find a conflict", "a value that another object already has"],
  ];
  return `${[
    "<!-- Generated by `npm run docs` from src/definitions and src/emulator/operations.ts. -->",
    "# API coverage",
    `**${total} of the API's ${total} operations are used**, by ${definitions.length + agentCommands.length} resources and ${countFunctions()} functions. The resources also use ${extra.length} [calls that are not in the API document](#calls-that-are-not-in-the-api-document).`,
    ...tables,
    "## Calls that are not in the API document",
    "Services of this kind have these deletes, but the [API document](api.md) does not list them.",
    formatTable(["Call", "Resource", "If the service does not have it"], extra),
    "## When each use happens",
    formatTable(["Use", "When"], legend),
    "`GET /api_keys` is also sent to prove that the address is the service's, `GET /api_keys/{id}` with the id of no key to learn what the service's own 404 looks like, and a list or an edge is read if a 404 may come from something other than the service. `npx pulumi-tunnel-edge import` reads the lists of all resources, and the modules of HTTPS edges. See [what happens when a call fails](failures.md).",
  ].join("\n\n")}\n`;
}

const countFunctions = () =>
  new Set([...definitions, ...readOnly].flatMap(listFunctionUses).map(([, name]) => name)).size;
