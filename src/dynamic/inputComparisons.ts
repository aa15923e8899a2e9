/**
 * How the engine shows a change. If diff says that something changed, the engine shows all inputs, cannot mark a
 * changed secret, and shows every unknown output of a replacement as removed. If diff leaves it to the engine, it shows
 * only what differs; but it compares internal inputs as well, and takes equal inputs for no change. So it is left to
 * the engine only where check, which sees the old inputs, found that arguments differ and nothing internal does.
 * Without this file diff would always say that something changed.
 */

import { internalProperties } from "../core/state";
import { equal, type JsonObject } from "../json";

export class InputComparisons {
  private readonly comparable = new Map<string, boolean>();

  /** Called by check; diff, which follows in the same process, gets the same inputs. */
  compare(olds: JsonObject, news: JsonObject): void {
    const key = keyOf(news);
    const isComparable = equal(internalProperties(olds), internalProperties(news)) && !equal(olds, news);
    // Two resources may have the same inputs: both must be comparable.
    this.comparable.set(key, isComparable && this.comparable.get(key) !== false);
  }

  engineCanCompare = (news: JsonObject): boolean => this.comparable.get(keyOf(news)) === true;
}

/** The same key for the same inputs, whatever the order of their properties. */
const keyOf = (inputs: JsonObject): string =>
  JSON.stringify(inputs, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
