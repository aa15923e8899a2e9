/** What starts and stops being ignored. It is recorded, because the engine keeps ignored values among the inputs. */

import type { JsonObject } from "../../base/json";
import { joinWithAnd } from "../../base/quote";
import { type State, topLevelNames } from "../state";

export interface Ignored {
  /** What the state is to record. */
  paths: string[];
  /** The arguments that start and stop being ignored. */
  began: string[];
  ended: string[];
}

/** What is ignored after a state, if `ignoreChanges` covers these arguments, of which the inputs have these paths. */
export function trackIgnored(before: State, covered: string[], pathsInInputs: string[]): Ignored {
  // A refresh takes out of the inputs what the service no longer has.
  const kept = before.ignored.filter((path) => covered.includes(path.split(".")[0]!));
  const paths = [...new Set([...pathsInInputs, ...kept])];
  const [old, now] = [topLevelNames(before.ignored), topLevelNames(paths)];
  return {
    paths,
    began: [...now].filter((name) => !old.has(name)),
    ended: [...old].filter((name) => !now.has(name)),
  };
}

export const hasChanged = ({ began, ended }: Ignored) => began.length + ended.length > 0;

/** What the user should know of it, as sentences. */
export function describeIgnored({ began, ended }: Ignored, { managed }: State, desired: JsonObject): string[] {
  const wasManaged = topLevelNames(managed);
  const isDeclared = (name: string) => name in desired;
  const sentence = (names: string[], predicate: string, pluralPredicate: string) =>
    names.length > 0 ? [`${joinWithAnd(names)} ${names.length > 1 ? pluralPredicate : predicate}`] : [];
  return [
    ...sentence(
      began.filter((name) => wasManaged.has(name)),
      "is no longer managed, because of ignoreChanges.",
      "are no longer managed, because of ignoreChanges.",
    ),
    ...sentence(ended.filter(isDeclared), "is managed again.", "are managed again."),
    ...sentence(
      ended.filter((name) => !isDeclared(name)),
      "is no longer ignored. It is left alone until the program declares it.",
      "are no longer ignored. They are left alone until the program declares them.",
    ),
  ];
}
