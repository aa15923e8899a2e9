/** Some of the moves in conflictsOfMoves.full.test.ts. */
import { createRequestTime } from "../../support/clock";
import { shareHost } from "../../support/engine/emulatorHost";
import { converges, expectMove, orders, shapes } from "./conflictsOfMoves";

const shared = shareHost({}, { clock: createRequestTime() });

test.each([
  ["a chain", "in order", 2],
  ["a chain", "shuffled once", 4],
  ["a cycle", "in order", 2],
  ["pairs", "in order", 2],
  ["pairs", "in order", 1],
] as const)("%s, %s, at parallelism %d", async (shape, order, parallel) => {
  await expectMove(shared(), shape, order, parallel);
  expect(converges(shapes[shape]!, orders[order]!([...shapes[shape]!.keys()]), parallel)).toBe(parallel > 1);
});
