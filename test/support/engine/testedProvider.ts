/**
 * The provider that a test runs with. A file that imports `describe` and `test` from here runs its tests with both. The
 * others run theirs with the dynamic provider, and those of test/plugin/ run the tests of others with the plugin.
 */
import type { ProviderKind } from "./provider";

let tested: ProviderKind = process.env["TESTED_PROVIDER"] === "plugin" ? "plugin" : "dynamic";
let isWithin = false;

export const testedProvider = (): ProviderKind => tested;

function withBoth(define: () => void): void {
  if (isWithin) {
    define();
    return;
  }
  for (const kind of ["dynamic", "plugin"] as const) {
    globalThis.describe(kind, () => {
      const choose = () => {
        tested = kind;
      };
      beforeAll(choose);
      choose();
      isWithin = true;
      define();
      isWithin = false;
    });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever jest's own functions take.
type Define = (...args: any[]) => void;

const both = <D extends Define & { each: Define }>(define: D): D =>
  Object.assign((...args: unknown[]) => withBoth(() => define(...args)), {
    each:
      (...table: unknown[]) =>
      (...args: unknown[]) =>
        withBoth(() => (define.each as (...rows: unknown[]) => Define)(...table)(...args)),
  }) as unknown as D;

export const describe = both(globalThis.describe as never) as typeof globalThis.describe;
export const test = both(globalThis.test as never) as typeof globalThis.test;
