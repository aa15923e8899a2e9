/**
 * How the engine shows a change. Told that something changed, it shows all inputs, cannot mark a changed secret, and of
 * a replacement shows every output that is not known yet as removed. Asked to find out for itself, it shows what
 * differs and nothing else. It then compares what is internal as well, and takes equal inputs for no change: so it is
 * asked only where check, which alone sees the old inputs, found that arguments differ and nothing else does.
 */

import { equal, type JsonObject } from "../json";
import { hiddenIn } from "./hiddenInputs";

export class InputComparisons {
  /** For inputs, whether the engine can be left to find their difference. */
  private readonly engineCanDiff = new Map<string, boolean>();

  /** Check compares; diff, which follows in the same process, is given the same inputs. */
  compare(olds: JsonObject, news: JsonObject): void {
    const text = keyOf(news);
    const isPlain = equal(hiddenIn(olds), hiddenIn(news)) && !equal(olds, news);
    // Two resources may have the same inputs: what is not so for both is not so.
    this.engineCanDiff.set(text, isPlain && this.engineCanDiff.get(text) !== false);
  }

  /** What diff says of inputs that change something: that they do, or that the engine may look for itself. */
  changes = (news: JsonObject): true | undefined => (this.engineCanDiff.get(keyOf(news)) ? undefined : true);
}

/** The same text for the same inputs, whatever the order of their keys. */
const keyOf = (inputs: JsonObject): string =>
  JSON.stringify(inputs, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
