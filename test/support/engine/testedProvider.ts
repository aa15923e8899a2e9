/**
 * The provider that a test runs with. A file that imports `describe` and `test` from here runs its tests with both, or
 * with those of `TESTED_PROVIDERS`. The others run theirs with the dynamic provider, unless `TESTED_PROVIDER` says
 * otherwise.
 */
import type { ProviderKind } from "./provider";

const byDefault: ProviderKind = process.env["TESTED_PROVIDER"] === "plugin" ? "plugin" : "dynamic";
const ofBoth = (process.env["TESTED_PROVIDERS"] ?? "dynamic plugin").split(" ");
let tested = byDefault;
let isWithin = false;

export const testedProvider = (): ProviderKind => tested;

function withEach(kinds: ProviderKind[], define: () => void): void {
  if (isWithin) {
    if (kinds.includes(tested)) define();
    return;
  }
  for (const kind of kinds.filter((each) => kinds.length === 1 || ofBoth.includes(each))) {
    globalThis.describe(kind, () => {
      const choose = (chosen: ProviderKind) => () => {
        tested = chosen;
      };
      beforeAll(choose(kind));
      afterAll(choose(byDefault));
      tested = kind;
      isWithin = true;
      define();
      isWithin = false;
      tested = byDefault;
    });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever jest's own functions take.
type Define = (...args: any[]) => void;

const withProviders = <D>(kinds: ProviderKind[], jestDefine: D): D => {
  const define = jestDefine as Define & { each: (...table: unknown[]) => Define };
  return Object.assign((...args: unknown[]) => withEach(kinds, () => define(...args)), {
    each:
      (...table: unknown[]) =>
      (...args: unknown[]) =>
        withEach(kinds, () => define.each(...table)(...args)),
  }) as D;
};

const { describe: jestDescribe, test: jestTest } = globalThis;

export const describe = withProviders(["dynamic", "plugin"], jestDescribe);
export const test = withProviders(["dynamic", "plugin"], jestTest);

/** For what only one of them does. */
export const describeDynamic = withProviders(["dynamic"], jestDescribe);
export const testDynamic = withProviders(["dynamic"], jestTest);
export const describePlugin = withProviders(["plugin"], jestDescribe);
export const testPlugin = withProviders(["plugin"], jestTest);
