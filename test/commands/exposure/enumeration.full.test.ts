/** Silence is a proof of every change that enumeration.test.ts takes some of, and "might" is as rare as it is known to be. */
import { compare, scenes } from "./support/enumeration";

describe.each(["dynamic", "plugin"] as const)("previewed by the %s provider", (provider) => {
  test.each(scenes)(
    "prints a line whenever a stranger may get in, and a certain one only if anyone does: %s",
    (_, list, ...limits) => {
      const { silent, certain, needless } = compare(provider, list(provider));
      const [fewest, most] = limits[provider === "dynamic" ? 0 : 1]!;
      expect(silent).toBeGreaterThan(0);
      expect(certain).toBeGreaterThanOrEqual(fewest);
      expect(needless).toBeLessThanOrEqual(most);
    },
  );
});
