/** When the engine is left to find out what differs: never where it would show what is internal, or see no change. */
import { InputComparisons } from "../../src/dynamic/inputComparisons";

const provider = { __provider: "text" };

test.each<[string, object, object, true | undefined]>([
  ["arguments that differ", { a: 1, ...provider }, { a: 2, ...provider }, undefined],
  ["an argument that is new", { ...provider }, { a: { b: [1], c: "2" }, ...provider }, undefined],
  ["equal inputs, of which more is managed now", { a: 1, ...provider }, { ...provider, a: 1 }, true],
  ["an option that differs", { a: 1, ...provider }, { a: 2, ...provider, __timeouts: { delete: "1m" } }, true],
  ["a replacement, whose check has no old inputs", {}, { a: 1, ...provider }, true],
])("%s", (_, olds, news, expected) => {
  const shown = new InputComparisons();
  shown.compare(olds as never, news as never);
  const reordered = Object.fromEntries(Object.entries(news).reverse());
  expect(shown.changes(reordered as never)).toBe(expected);
});

test("inputs that were not compared, and those of two resources of which one is not so", () => {
  const shown = new InputComparisons();
  const news = { a: 2, ...provider };
  expect(shown.changes(news)).toBe(true);
  shown.compare({ a: 1, ...provider }, news);
  expect(shown.changes(news)).toBe(undefined);
  shown.compare(news, news);
  shown.compare({ a: 1, ...provider }, news);
  expect(shown.changes(news)).toBe(true);
});
