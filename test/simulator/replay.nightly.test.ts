/** The simulation does not lie: what it shows of a scenario is what the real CLI shows. */
import { isDeepStrictEqual } from "node:util";
import { secret } from "../support/engine/secrets";
import { type Drawn, drawReplays, type Observation, rehearseOne } from "./rehearsal";
import { Replay } from "./replay";

const [secretSignature] = Object.keys(secret("")) as [string];
const count = Number(process.env["REPLAYS"] ?? 4);
/** Only these scenarios, by their numbers. */
const only = process.env["REPLAY"]?.split(",").map(Number);

async function* chooseReplays(): AsyncGenerator<Drawn> {
  if (only) for (const index of only) yield rehearseOne(1, index);
  else {
    let drawn = 0;
    for await (const replay of drawReplays(1)) {
      yield replay;
      if (++drawn === count) return;
    }
  }
}

test(`${only?.length ?? count} scenarios go on the real CLI as in the simulation`, async () => {
  const differing: { index: number; shown?: Observation; expected?: Observation }[] = [];
  const withSecrets = new Set<string>();
  for await (const { index, scenario, expected } of chooseReplays()) {
    const replay = new Replay(scenario);
    await replay.run();
    const at = replay.observations.findIndex((shown, place) => !isDeepStrictEqual(shown, expected[place]));
    if (at >= 0) differing.push({ index, shown: replay.observations[at], expected: expected[at] });
    expect(replay.observations).toHaveLength(expected.length);
    if (JSON.stringify(replay.observations).includes(secretSignature)) withSecrets.add(scenario.provider);
  }
  const sides = (side: "shown" | "expected") => differing.map((each) => ({ scenario: each.index, ...each[side] }));
  expect(sides("shown")).toEqual(sides("expected"));
  // Which values are secret is compared, too, with both providers.
  if (!only) expect([...withSecrets].sort()).toEqual(["dynamic", "plugin"]);
}, 3_600_000);
