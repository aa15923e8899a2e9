/** What a diff says of a plan: whether something is sent, what is replaced and how, and what is ignored from now on. */

import type { JsonObject } from "../../../src/base/json";
import { pathsOf } from "../../../src/core/arguments";
import { describeDiff, describeIgnored, hasChanged, replacedBy, trackIgnored } from "../../../src/core/plan/diff";
import { planUpdate } from "../../../src/core/plan/plan";
import { newState } from "../../../src/core/state";
import { apiKey } from "../../../src/definitions/apiKey";
import type { Definition } from "../../../src/definitions/definition";
import { sshCredential } from "../../../src/definitions/sshCredential";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { publicKey } from "../../support/data/publicKey";

/** The diff from what was declared and applied to what is declared now. */
function diff(
  definition: Definition,
  before: JsonObject,
  after: JsonObject,
  given: { replaceOnChanges?: string[]; importId?: string } = {},
) {
  const options = { key: "it", resource: "it", ignoreChanges: [], replaceOnChanges: [], timeouts: {}, ...given };
  const state = newState({ id: "it", values: before, managed: pathsOf(definition.fields, before) });
  const plan = planUpdate(definition, state, after);
  const replaces = replacedBy(plan, state, after, options);
  return describeDiff(definition, { ...plan, needsRecord: false }, replaces, state, after, options);
}

const [old, changed] = [
  { description: "old", metadata: "old" },
  { description: "new", metadata: "new" },
];

test("needs a call for a change, and none if nothing changes", () => {
  expect(diff(tcpEdge, old, old)).toEqual({
    replaces: [],
    updates: [],
    changes: [],
    needsCall: false,
    needsRecord: false,
    deleteBeforeReplace: true,
  });
  expect(diff(tcpEdge, old, changed)).toMatchObject({ replaces: [], needsCall: true });
});

test("replaceOnChanges replaces for the changes that it names, and names each argument once", () => {
  expect(diff(tcpEdge, old, changed, { replaceOnChanges: ["metadata", "hostports"] })).toMatchObject({
    replaces: ["metadata"],
    changes: [
      { path: ["description"], replaces: false },
      { path: ["metadata"], replaces: true },
    ],
  });
  const [before, after] = [
    { backend: { backendId: "bkdhr_1", enabled: true } },
    { backend: { backendId: "bkdhr_2", enabled: false } },
  ];
  expect(diff(tcpEdge, before, after, { replaceOnChanges: ["backend"] }).replaces).toEqual(["backend"]);
});

test("an argument that always replaces comes before those that replaceOnChanges names", () => {
  const [before, after] = [
    { keepers: { rotated: "2026" }, description: "old" },
    { keepers: { rotated: "2027" }, description: "new" },
  ];
  expect(diff(apiKey, before, after, { replaceOnChanges: ["description"] })).toMatchObject({
    replaces: ["keepers", "description"],
    changes: [
      { path: ["keepers"], replaces: true },
      { path: ["description"], replaces: true },
    ],
  });
});

describe("the old object is deleted before its replacement is created", () => {
  test("if both would have the same hostports, unless the replacement is the object itself", () => {
    expect(diff(tcpEdge, old, changed).deleteBeforeReplace).toBe(true);
    expect(diff(tcpEdge, old, changed, { importId: "edgtcp_1" }).deleteBeforeReplace).toBe(false);
  });

  test("if both would have the same public key", () => {
    const [one, other] = [{ publicKey: publicKey("one") }, { publicKey: publicKey("other") }];
    expect(diff(sshCredential, one, { ...one, description: "new" }).deleteBeforeReplace).toBe(true);
    expect(diff(sshCredential, one, other).deleteBeforeReplace).toBe(false);
  });

  test("but not if both can exist at the same time", () => {
    expect(diff(apiKey, old, changed).deleteBeforeReplace).toBe(false);
  });
});

describe("ignoreChanges", () => {
  const stateWith = (ignored: string[], managed: string[] = []) => newState({ id: "it", values: {}, managed, ignored });

  test.each<
    [string, [before: string[], covered: string[], inInputs: string[]], [string[], string[], string[]], boolean]
  >([
    ["nothing", [[], [], []], [[], [], []], false],
    ["an argument from now on", [[], ["metadata"], ["metadata"]], [["metadata"], ["metadata"], []], true],
    [
      "a module, field by field",
      [[], ["backend"], ["backend.enabled", "backend.backendId"]],
      [["backend.enabled", "backend.backendId"], ["backend"], []],
      true,
    ],
    ["an argument as before", [["metadata"], ["metadata"], ["metadata"]], [["metadata"], [], []], false],
    [
      "an argument as before, which a refresh took out of the inputs",
      [["backend.backendId"], ["backend"], []],
      [["backend.backendId"], [], []],
      false,
    ],
    ["one argument less", [["metadata", "hostports"], ["hostports"], []], [["hostports"], [], ["metadata"]], true],
    [
      "one argument in place of another",
      [["metadata"], ["hostports"], ["hostports"]],
      [["hostports"], ["hostports"], ["metadata"]],
      true,
    ],
  ])("%s", (_, [before, covered, inInputs], [paths, began, ended], isChange) => {
    const ignored = trackIgnored(stateWith(before), covered, inInputs);
    expect(ignored).toEqual({ paths, began, ended });
    expect(hasChanged(ignored)).toBe(isChange);
  });

  test.each<[string, { began?: string[]; ended?: string[] }, managed: string[], desired: JsonObject, string[]]>([
    ["nothing", {}, ["metadata"], { metadata: "m" }, []],
    [
      "an argument that was managed",
      { began: ["metadata"] },
      ["metadata"],
      {},
      ["metadata is no longer managed, because of ignoreChanges."],
    ],
    [
      "two arguments that were managed, and not about one that was not",
      { began: ["metadata", "backend", "hostports"] },
      ["metadata", "backend.backendId"],
      {},
      ["metadata and backend are no longer managed, because of ignoreChanges."],
    ],
    [
      "an argument that is declared again, and one that is not",
      { ended: ["metadata", "hostports"] },
      [],
      { metadata: "m" },
      ["metadata is managed again.", "hostports is no longer ignored. It is left alone until the program declares it."],
    ],
    [
      "two arguments that are declared again",
      { ended: ["metadata", "hostports"] },
      [],
      { metadata: "m", hostports: [] },
      ["metadata and hostports are managed again."],
    ],
    [
      "two arguments that are not declared again",
      { ended: ["metadata", "hostports"] },
      [],
      {},
      ["metadata and hostports are no longer ignored. They are left alone until the program declares them."],
    ],
  ])("informs about %s", (_, { began = [], ended = [] }, managed, desired, sentences) => {
    expect(describeIgnored({ paths: [], began, ended }, stateWith([], managed), desired)).toEqual(sentences);
  });
});
