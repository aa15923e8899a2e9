/** Chains, cycles and pairs of edges that pass on their hostports, in every order and at every usual parallelism. */
import { createRequestTime } from "../../support/clock";
import { shareHost } from "../../support/engine/emulatorHost";
import { converges, expectMove, orders, shapes } from "./conflictsOfMoves";

const shared = shareHost({}, { clock: createRequestTime() });
const cases = Object.keys(shapes).flatMap((shape) =>
  Object.keys(orders).flatMap((order) => [1, 2, 3, 4, 5, 6, 7, 8].map((parallel) => [shape, order, parallel] as const)),
);

test.each(cases)("%s, %s, at parallelism %d", async (shape, order, parallel) => {
  await expectMove(shared(), shape, order, parallel);
  expect(shapes).toHaveProperty([shape]);
});

test("what docs/moving.md promises", () => {
  const failing = cases.filter(([shape, order, parallel]) => {
    const moves = shapes[shape]!;
    return !converges(moves, orders[order]!([...moves.keys()]), parallel);
  });
  // With a slot for every edge, or in an order in which each is followed by the one that it waits for.
  expect(failing.filter(([shape, , parallel]) => parallel >= shapes[shape]!.length)).toEqual([]);
  expect(failing.filter(([, order, parallel]) => order === "in order" && parallel > 1)).toEqual([]);
  // If each comes after the one that it waits for, as with dependsOn, nothing waits.
  expect(failing.filter(([shape, order]) => order === "reversed" && shape !== "a cycle")).toEqual([]);
});
