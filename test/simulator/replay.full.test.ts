/** The simulation does not lie: what it shows of a scenario is what the real CLI shows. */
import { isDeepStrictEqual } from "node:util";
import { drawReplays, type Observation } from "./rehearsal";
import { Replay } from "./replay";

const count = Number(process.env["REPLAYS"] ?? 5);

test(`${count} scenarios go on the real CLI as in the simulation`, async () => {
  const scenarios = drawReplays(1);
  const differing: { index: number; shown?: Observation; expected?: Observation }[] = [];
  for (let replayed = 0; replayed < count; replayed++) {
    const { index, scenario, expected } = (await scenarios.next()).value;
    const replay = new Replay(scenario);
    await replay.run();
    const at = replay.observations.findIndex((shown, place) => !isDeepStrictEqual(shown, expected[place]));
    if (at >= 0) differing.push({ index, shown: replay.observations[at], expected: expected[at] });
    expect(replay.observations).toHaveLength(expected.length);
  }
  const sides = (side: "shown" | "expected") => differing.map((each) => ({ scenario: each.index, ...each[side] }));
  expect(sides("shown")).toEqual(sides("expected"));
}, 3_600_000);
