/**
 * The engine renders a change best when diff leaves the comparison to it. That is safe only if arguments, and no internal
 * inputs, differ. Only check sees the old inputs, so it decides. If diff gets other inputs than check, it says that
 * something changed, and the engine shows all inputs.
 */

import { equal, type JsonObject } from "../../base/json";
import { internalProperties } from "../../core/state";
import { hiddenInputs } from "../hiddenInputs";

export class InputComparisons {
  private readonly comparable = new Map<string, boolean>();

  /** Called by check; diff, which follows in the same process, gets the same inputs. */
  compare(olds: JsonObject, news: JsonObject): void {
    const key = keyOf(news);
    const isComparable = equal(comparedProperties(olds), comparedProperties(news)) && !equal(olds, news);
    // Two resources may have the same inputs: both must be comparable.
    this.comparable.set(key, isComparable && this.comparable.get(key) !== false);
  }

  isComparable = (news: JsonObject): boolean => this.comparable.get(keyOf(news)) === true;
}

/**
 * The internal inputs that must not differ. Two may: the parents are missing after a refresh, which has only the
 * outputs, and the declarations of the plugin's program are gone after the first run of the classes.
 */
function comparedProperties(inputs: JsonObject): JsonObject {
  const { [hiddenInputs.parents]: _, [hiddenInputs.declared]: __, ...others } = internalProperties(inputs);
  return others;
}

/** The same key for the same inputs, whatever the order of their properties. */
const keyOf = (inputs: JsonObject): string =>
  JSON.stringify(inputs, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
