/**
 * Any input is either rejected in the preview, by the argument's name, or accepted by the service. It never causes a
 * crash, and `pulumi up` never fails for something that the preview could have found. The exported checks find what the
 * preview finds.
 * Promise: "Invalid arguments fail at preview".
 */
import fc from "fast-check";
import { check } from "pulumi-tunnel-edge/checks";
import { agentCommands, definitions } from "../../src/definitions";
import { account, invalidArgs, partlyUnknownArgs, validArgs } from "../support/data/arguments";
import type { Properties } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";

let stack: Stack;
beforeEach(async () => {
  stack = await Stack.start({ emptyStrings: "reject", config: { "tunnel-edge:maxRetries": "0" } });
});
const types = [...definitions, ...agentCommands].map(({ type }) => type);

/** A new resource in an account with nothing but its parents. */
function newResource(type: string): ResourceDriver {
  stack.emulator.reset();
  stack.emulator.seed(account);
  return stack.provider.resource(type);
}

const errorOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error.message,
  );

/** What only the service can know: which objects exist, and its TLS versions, which the document does not list. */
const serviceOnly = /There is no |is not online|min_version" must be one of|ERR_TUNNEL_BODY_TOO_LARGE/;

/** What no message may contain. */
const unreadable = /\[object |undefined|Error:|\n\s+at |\?\.$|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/m;

const tally = { rejected: 0, accepted: 0, late: 0 };

/** Expects that the preview rejects the arguments, by the name of a wrong one, or that the service accepts them. */
async function expectRejectedOrAccepted(resource: ResourceDriver, args: Properties, mutated: string[]): Promise<void> {
  const previewError = await errorOf(resource.preview(args));
  // The engine sends the arguments in another order.
  const problems = check(resource.type, args).map(({ message }) => message);
  expect(problems.sort()).toEqual((previewError?.split("\n") ?? []).sort());
  if (previewError !== undefined) {
    tally.rejected++;
    expect(previewError.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')).not.toMatch(unreadable);
    for (const sentence of previewError.split("\n")) {
      expect(sentence.length).toBeLessThan(500);
      if (!mutated.some((name) => namesArgument(sentence, name)))
        throw new Error(`names none of ${mutated}: ${sentence}`);
    }
    return;
  }
  const upError = await errorOf(resource.up(args));
  if (upError !== undefined) {
    tally.late++;
    expect(upError).toMatch(serviceOnly);
    // After a failure, the check does not require the parents' ids.
    stack.next();
    return;
  }
  tally.accepted++;
  expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
}

/** Odd names are quoted, and long ones are shortened. */
const namesArgument = (sentence: string, name: string) =>
  /^\w{1,40}$/.test(name) ? new RegExp(`(^|\\s)${name}\\b`).test(sentence) : sentence.startsWith('["');

/** The tests of so many invalid inputs in all, and of fewer valid and unknown ones. */
export function testInput(inputs: number, seed: number): void {
  const perType = Math.ceil(inputs / types.length);
  const times = { create: Math.ceil(perType * 0.7), update: Math.ceil(perType * 0.3), other: Math.ceil(perType / 4.5) };

  const property = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, check: (value: T) => Promise<void>) =>
    fc.assert(fc.asyncProperty(arbitrary, check), { seed, numRuns });

  describe.each(types)(`%s with random input (SEED=${seed})`, (type) => {
    test("invalid, on creation: rejected by the argument's name, or accepted by the service", () =>
      property(invalidArgs(type), times.create, ({ args, mutated }) =>
        expectRejectedOrAccepted(newResource(type), args, mutated),
      ));

    test("invalid, on update: rejected by the argument's name, or accepted by the service", () =>
      property(fc.tuple(validArgs[type]!, invalidArgs(type)), times.update, async ([before, { args, mutated }]) => {
        const resource = newResource(type);
        await resource.up(before);
        await expectRejectedOrAccepted(resource, args, mutated);
      }));

    test("valid according to the document: accepted", () =>
      property(validArgs[type]!, times.other, async (args) => {
        const resource = newResource(type);
        expect(await errorOf(resource.up(args))).toBeUndefined();
        expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
      }));

    test("unknown: not checked", () =>
      property(partlyUnknownArgs(type), times.other, async (args) => {
        expect(await errorOf(newResource(type).preview(args))).toBeUndefined();
      }));
  });

  test("enough inputs were rejected, accepted and rejected late", () => {
    expect(tally.rejected + tally.accepted + tally.late).toBeGreaterThanOrEqual(inputs);
    expect(Math.min(tally.rejected / 10, tally.accepted, tally.late * 10)).toBeGreaterThan(inputs / 20);
  });
}
