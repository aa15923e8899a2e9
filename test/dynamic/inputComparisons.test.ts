/** When the diff is left to the engine: never if it would display internal inputs or see no change. */
import { InputComparisons } from "../../src/dynamic/host/inputComparisons";

const provider = { __provider: "text" };

test.each<[string, object, object, boolean]>([
  ["changed arguments", { a: 1, ...provider }, { a: 2, ...provider }, true],
  ["a new argument", { ...provider }, { a: { b: [1], c: "2" }, ...provider }, true],
  ["equal inputs of which more is managed now", { a: 1, ...provider }, { ...provider, a: 1 }, false],
  ["a changed option", { a: 1, ...provider }, { a: 2, ...provider, __timeouts: { delete: "1m" } }, false],
  ["parents, which a refresh does not know", { a: 1, ...provider }, { a: 2, ...provider, __parents: "A::a" }, true],
  ["declarations of a plugin's program", { a: 1, ...provider, __declared: "a" }, { a: 2, ...provider }, true],
  ["a replacement, whose check has no old inputs", {}, { a: 1, ...provider }, false],
])("%s", (_, olds, news, expected) => {
  const comparisons = new InputComparisons();
  comparisons.compare(olds as never, news as never);
  const reordered = Object.fromEntries(Object.entries(news).reverse());
  expect(comparisons.isComparable(reordered as never)).toBe(expected);
});

test("the engine cannot compare inputs without a comparison, or those of two resources of which one has no changes", () => {
  const comparisons = new InputComparisons();
  const news = { a: 2, ...provider };
  expect(comparisons.isComparable(news)).toBe(false);
  comparisons.compare({ a: 1, ...provider }, news);
  expect(comparisons.isComparable(news)).toBe(true);
  comparisons.compare(news, news);
  comparisons.compare({ a: 1, ...provider }, news);
  expect(comparisons.isComparable(news)).toBe(false);
});
