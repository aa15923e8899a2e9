/** What TCP and TLS edges have in common: their table, and what each request sends. */
import { toSnakeCase } from "../../src/base/json";
import type { ModuleTable } from "../support/data/modules";
import type { Properties } from "../support/engine/provider";
import { argumentRows, type Call, rowsOf, updates } from "./suite";
import type { Row, Table } from "./suite/table";

/** The table of an edge with these arguments and modules. One module has a PUT of its own. */
export function edgeTable(kind: "tcp" | "tls", args: Properties, modules: Record<string, ModuleTable>, put: string) {
  const path = `/edges/${kind}/{id}`;
  const names = Object.keys(modules);
  const patch = (body: object) => updates([`PATCH ${path}`, body]);
  const remove = (name: string): Call => [`DELETE ${path}/${toSnakeCase(name)}`];
  const full: Properties = { ...args };
  const wire: Properties = { ...args };
  for (const name of names) {
    full[name] = modules[name]!.full;
    wire[toSnakeCase(name)] = modules[name]!.wire;
  }
  /** The rows of a whole module, and of its arguments. */
  const moduleRows = (name: string): Record<string, Row> => {
    const send = (body: object) =>
      name === put ? updates([`PUT ${path}/${toSnakeCase(name)}`, body]) : patch({ [toSnakeCase(name)]: body });
    const module = modules[name]!;
    return {
      [name]: { add: send(module.wire), clear: updates(remove(name)), outsideValue: "removed" },
      ...rowsOf(module, send, name),
    };
  };
  const emptied = { description: "", metadata: "", hostports: [] };
  return {
    full,
    wire,
    everything: { add: patch(wire), clear: updates([`PATCH ${path}`, emptied], ...names.map(remove)) },
    rows: {
      ...argumentRows(full, patch, {
        description: { other: "web", outsideValue: "theirs" },
        metadata: { other: "team=web", outsideValue: "theirs" },
        hostports: { other: args["hostports"].slice(1), outsideValue: ["theirs.example.com:443"] },
      }),
      ...Object.assign({}, ...names.map(moduleRows)),
    },
  } satisfies Table;
}
