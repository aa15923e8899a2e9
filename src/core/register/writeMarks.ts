/**
 * Each module that an edge writes gets a new write mark. The module's own resource does not have that mark, so the next
 * deployment knows that the resource has to set the module again.
 */

import type { State } from "../state";
import type { Identity } from "./identity";
import { modulesWithResources } from "./modules";
import type { Register } from "./register";
import type { View } from "./view";

/** The state of an edge has the write marks of its modules. Those of this deployment are newer. */
export function learnWriteMarks(register: Register, view: View, edge: Identity, marks: State["writeMarks"]): void {
  for (const { path } of modulesWithResources(edge)) {
    const writeMark = marks[path];
    if (writeMark !== undefined && view.historyOf(path).writeMark === undefined) register.record(path, { writeMark });
  }
}

/** The write marks after a write: an edge has those of its modules, and a module's own resource that of the module. */
export function writeMarksOf(view: View, identity: Identity, before: State["writeMarks"] = {}): State["writeMarks"] {
  const markOf = (path: string) => view.historyOf(path).writeMark;
  if (identity.definition.kind === "module") {
    const writeMark = markOf(identity.path());
    return writeMark === undefined ? before : { [identity.path()]: writeMark };
  }
  const known = modulesWithResources(identity).map(({ path }) => [path, markOf(path)]);
  return Object.fromEntries(known.filter(([, writeMark]) => writeMark !== undefined));
}
