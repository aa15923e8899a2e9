/**
 * Random lives. Each is a program that changes from up to up, while others change the service and things go wrong;
 * what must hold is in `live.ts`. `LIVES` says how many, `SEED` which.
 */
import { availableParallelism } from "node:os";
import fc from "fast-check";
import { Busy, Living, World } from "./live";
import { printed, type Story, stories } from "./story";

const lives = Number(process.env["LIVES"] ?? 500);
/** The same lives every time, so that a change fails for what it broke; `npm run test:lives` looks for new ones. */
const seed = Number(process.env["SEED"] ?? (process.env["LIVES"] ? Date.now() % 1_000_000_000 : 1));
/** One life of those that the seed stands for, as a failure names it. */
const path = process.env["LIFE"];
/** Lives are led side by side, for most of their time is waiting. */
const lanes = path === undefined ? Number(process.env["LANES"] ?? 2 * availableParallelism()) : 1;
/** How long a shorter life with the same end is looked for, in milliseconds. */
const shrinking = 120_000;

const begun = Date.now();
let lived = 0;
let abandoned = 0;
let failure: string | undefined;

/** Lives so many lives, one after the other; says how one went wrong. */
async function live(numRuns: number, seed: number): Promise<void> {
  const worlds: Partial<Record<Story["service"], World>> = {};
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(stories, async (story) => {
    if (Date.now() > shrinkUntil || (failure && shrinkUntil === Number.POSITIVE_INFINITY)) return;
    worlds[story.service] ??= await World.begin(story.service);
    try {
      await Living.through(story, worlds[story.service]!);
    } catch (error) {
      if (error instanceof Busy) {
        delete worlds[story.service];
        abandoned++;
        return;
      }
      shrinkUntil = Math.min(shrinkUntil, Date.now() + shrinking);
      failure ??= (error as Error).message;
      throw error;
    }
    if (++lived % 1000 === 0) process.stderr.write(`${lived} lives in ${Math.round((Date.now() - begun) / 1000)} s\n`);
  });
  const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(property, {
    numRuns,
    seed,
    ...(path !== undefined && { path }),
  });
  if (!failed) return;
  const again = `SEED=${seed} LIFE=${counterexamplePath} npm run test:lives`;
  failure = `${(errorInstance as Error).message}\n\nOnce more: ${again}\n\n${printed((counterexample as [Story])[0])}\n`;
}

test(
  `${lives} lives`,
  async () => {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => live(Math.ceil(lives / lanes), seed + lane)));
    if (failure) throw new Error(`After ${lived} lives with SEED=${seed}: ${failure}`);
    const seconds = ((Date.now() - begun) / 1000).toFixed(1);
    const busy = abandoned > 0 ? `, ${abandoned} more given up on a busy machine` : "";
    process.stderr.write(`${lived} lives with SEED=${seed} in ${seconds} s${busy}\n`);
  },
  24 * 3_600_000,
);
