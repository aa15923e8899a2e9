/** Some of the moves in hostportMoves.full.test.ts. */
import { converges, expectMove, orders, shapes, startHosts } from "./hostportMoves";

const hosts = startHosts();

test.each([
  ["a chain", "in order", 2],
  ["a chain", "shuffled once", 4],
  ["a cycle", "in order", 2],
  ["pairs", "in order", 2],
  ["pairs", "in order", 1],
] as const)("%s, %s, at parallelism %d", async (shape, order, parallel) => {
  await expectMove(hosts, shape, order, parallel);
  expect(converges(shapes[shape]!, orders[order]!([...shapes[shape]!.keys()]), parallel)).toBe(parallel > 1);
});
