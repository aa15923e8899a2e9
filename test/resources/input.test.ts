/**
 * Whatever a program states: it is refused at preview, by the argument's name, or the service takes it. Nothing in
 * between: no crash, and no refusal by `up` of what the preview could have known.
 */
import fc from "fast-check";
import { commands, definitions } from "../../src/resources";
import { account, invalidArgs, partlyUnknownArgs, validArgs } from "../support/arguments";
import { shareHost } from "../support/emulatorHost";
import type { Properties, ResourceDriver } from "../support/host";

const seed = Number(process.env["SEED"] ?? 1115);
const shared = shareHost({ emptyStrings: "reject" }, { config: { "tunnel-edge:maxRetries": "0" } });
const types = [...definitions, ...commands].map(({ type }) => type);

/** A new resource in an account that has nothing but what it may belong to. */
function fresh(type: string): ResourceDriver {
  const { emulator, host } = shared();
  emulator.reset();
  emulator.seed(account);
  return host.resource(type);
}

const errorOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error.message,
  );

/** What only the service can know: what exists there, and its versions of TLS, which the document does not show. */
const servicesOwn = /There is no |is not online|min_version" must be one of/;

/** What no message may have. */
const flawed = /\[object |undefined|Error:|\n\s+at |\?\.$|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/m;

const tally = { refused: 0, taken: 0, late: 0 };

/** An up is refused at preview, by the name of an argument that is wrong, or the service takes it and all is quiet. */
async function judged(resource: ResourceDriver, args: Properties, touched: string[]): Promise<void> {
  const early = await errorOf(resource.preview(args));
  expect(shared().host.printed).toBe("");
  if (early !== undefined) {
    tally.refused++;
    expect(early.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')).not.toMatch(flawed);
    for (const sentence of early.split("\n")) {
      expect(sentence.length).toBeLessThan(500);
      if (!touched.some((name) => names(sentence, name))) throw new Error(`names none of ${touched}: ${sentence}`);
    }
    return;
  }
  const late = await errorOf(resource.up(args));
  expect(shared().host.printed).toBe("");
  if (late !== undefined) {
    tally.late++;
    expect(late).toMatch(servicesOwn);
    return;
  }
  tally.taken++;
  expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
}

/** Odd names are quoted, and long ones cut. */
const names = (sentence: string, name: string) =>
  /^\w{1,40}$/.test(name) ? new RegExp(`(^|\\s)${name}\\b`).test(sentence) : sentence.startsWith('["');

/** How often each is tried, for each of the 11 resources: 2,000 bad sets of arguments in all. */
const times = { anew: 130, later: 55, legal: 40, unknown: 40 };

const property = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, check: (value: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(arbitrary, check), { seed, numRuns });

describe.each(types)(`%s, whatever is stated (SEED=${seed})`, (type) => {
  test("anew", () =>
    property(invalidArgs(type), times.anew, ({ args, mutated }) => judged(fresh(type), args, mutated)));

  test("later", () =>
    property(fc.tuple(validArgs[type]!, invalidArgs(type)), times.later, async ([before, { args, mutated }]) => {
      const resource = fresh(type);
      await resource.up(before);
      await judged(resource, args, mutated);
    }));

  test("as the document allows it is taken", () =>
    property(validArgs[type]!, times.legal, async (args) => {
      const resource = fresh(type);
      expect(await errorOf(resource.up(args))).toBeUndefined();
      expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
    }));

  test("and not known yet is not judged", () =>
    property(partlyUnknownArgs(type), times.unknown, async (args) => {
      expect(await errorOf(fresh(type).preview(args))).toBeUndefined();
    }));
});

test("both kinds of end were met, and often", () => {
  expect(tally.refused + tally.taken + tally.late).toBeGreaterThanOrEqual(2_000);
  expect(Math.min(tally.refused / 10, tally.taken, tally.late * 10)).toBeGreaterThan(100);
});
