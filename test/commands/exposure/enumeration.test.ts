/**
 * Silence is a proof. Changes of a small world are previewed as the CLI prints them. All changes with the same preview
 * are what its hidden values could be. Who gets in is asked of a model that knows nothing of previews: where `exposure` is
 * silent, no stranger gets in by any of them; where it says "anyone can", anyone does by all of them.
 *
 * Here this holds of 300 changes of each kind, in enumeration.full.test.ts of all.
 */
import { compare, scenes } from "./support/enumeration";

describe.each(["dynamic", "plugin"] as const)("previewed by the %s provider", (provider) => {
  test.each(scenes)(
    "prints a line whenever a stranger may get in, and a certain one only if anyone does: %s",
    (_, list) => {
      expect(compare(provider, list(provider), 300).silent).toBeGreaterThan(0);
    },
  );
});
