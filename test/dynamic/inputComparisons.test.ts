/** When the diff is left to the engine: never if it would display internal inputs or see no change. */
import { InputComparisons } from "../../src/dynamic/inputComparisons";

const provider = { __provider: "text" };

test.each<[string, object, object, true | undefined]>([
  ["changed arguments", { a: 1, ...provider }, { a: 2, ...provider }, undefined],
  ["a new argument", { ...provider }, { a: { b: [1], c: "2" }, ...provider }, undefined],
  ["equal inputs of which more is managed now", { a: 1, ...provider }, { ...provider, a: 1 }, true],
  ["a changed option", { a: 1, ...provider }, { a: 2, ...provider, __timeouts: { delete: "1m" } }, true],
  ["a replacement, whose check has no old inputs", {}, { a: 1, ...provider }, true],
])("%s", (_, olds, news, expected) => {
  const comparisons = new InputComparisons();
  comparisons.compare(olds as never, news as never);
  const reordered = Object.fromEntries(Object.entries(news).reverse());
  expect(comparisons.changes(reordered as never)).toBe(expected);
});

test("inputs that were not compared, and equal inputs of two resources of which one has no changes", () => {
  const comparisons = new InputComparisons();
  const news = { a: 2, ...provider };
  expect(comparisons.changes(news)).toBe(true);
  comparisons.compare({ a: 1, ...provider }, news);
  expect(comparisons.changes(news)).toBe(undefined);
  comparisons.compare(news, news);
  comparisons.compare({ a: 1, ...provider }, news);
  expect(comparisons.changes(news)).toBe(true);
});
