/** Tests that need something that a machine may not have. */

const { skipMark } = require("./skipReporter");

/** `test` if the machine has what the tests need; otherwise they are skipped, and the run ends with the reason. */
export function testIf(isAvailable: unknown, reason: string): jest.It {
  if (isAvailable) return test;
  const skip =
    (skipTest: jest.It) =>
    (title: string, ...rest: [jest.ProvidesCallback?]) =>
      skipTest(`${title}${skipMark}${reason}`, ...rest);
  return Object.assign(skip(test.skip), {
    each: (table: readonly unknown[]) => skip(test.skip.each(table) as unknown as jest.It),
  }) as jest.It;
}
