/** How the output of `pulumi preview --json` is read. */
import {
  PreviewError,
  parsePreview,
  readPreview,
  resolveSteps,
  type Step,
} from "../../../src/commands/exposure/preview";

const type = "tunnel-edge:index:TcpEdge";
const step = { op: "same", urn: "urn:a", oldState: { type }, newState: { type } };
const preview = (more: object = {}) => ({ steps: [step], changeSummary: { same: 1 }, ...more });

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["a list", []],
  ["no steps", { changeSummary: {} }],
  ["steps that are no list", preview({ steps: {} })],
  ["no summary", { steps: [] }],
  ["a summary that is a number", preview({ changeSummary: 1 })],
  ["diagnostics that are no list", preview({ diagnostics: {} })],
  ["a step that is a string", preview({ steps: [step, "same"] })],
  ["a step without an operation", preview({ steps: [{ urn: "urn:a" }] })],
  ["a step without a URN", preview({ steps: [{ op: "same" }] })],
  ["an old state that is a string", preview({ steps: [{ ...step, oldState: "state" }] })],
  ["an old state without a type", preview({ steps: [{ ...step, oldState: {} }] })],
  ["a new state without a type", preview({ steps: [{ ...step, newState: {} }] })],
])("rejects a file that is no preview: %s", (_, value) => {
  expect(() => readPreview(value)).toThrow(PreviewError);
  expect(() => readPreview(value)).toThrow(/^This is not the output of /);
});

test("reads the steps of a preview, and whether it was refreshed", () => {
  expect(readPreview(preview())).toEqual({ steps: [step], errors: [], isRefreshed: false });
  const withoutStates = { op: "create", urn: "urn:b" };
  const refresh = { ...step, op: "refresh" };
  expect(readPreview({ steps: [refresh, withoutStates], changeSummary: {} })).toEqual({
    steps: [refresh, withoutStates],
    errors: [],
    isRefreshed: true,
  });
});

test("rejects a preview without unchanged resources, unless it failed", () => {
  const diagnostics = [{ severity: "error", message: "broken" }];
  const without = { steps: [{ ...step, op: "update" }], changeSummary: { same: 1 } };
  expect(() => readPreview(without)).toThrow(/^The preview leaves out unchanged resources\. /);
  expect(readPreview({ ...without, diagnostics }).errors).toEqual(["broken"]);
  expect(readPreview(preview({ steps: [step, step] })).errors).toEqual([]);
});

test("rejects a failed preview, which does not show the changes", () => {
  expect(parsePreview(preview())).toEqual([step]);
  const failed = preview({ diagnostics: [{ severity: "error", message: "broken" }] });
  expect(() => parsePreview(failed)).toThrow(/^The preview failed, /);
});

const red = (text: string) => `\x1b[31m${text}\x1b[0m`;
const printed = (...messages: string[]) => messages.map((message) => ({ severity: "info#err", message }));

test.each<[string, diagnostics: unknown[], ...errors: string[]]>([
  [
    "none in a warning and an information",
    [
      { severity: "warning", message: "careful" },
      { severity: "info", message: "Error: no" },
    ],
  ],
  [
    "none in output that is not the program's",
    ["Error: a", "  on Pulumi.yaml line 12:"].map((message) => ({ severity: "info", message })),
  ],
  ["none in values that are no diagnostics", ["error", null, { severity: "error" }, { severity: "error", message: 1 }]],
  ["two", [1, 2].map((each) => ({ severity: "error", message: `error ${each}` })), "error 1", "error 2"],
  ["one in colours", [{ severity: "error", message: `\x1b[1;31m${red("bro")}ken\x1b[m\n` }], "broken"],
  ["one of a YAML program", printed("Warning: a\n", `${red("Error")}: b\n`), "Warning: a\nError: b"],
  [
    "one of a YAML program, without colours",
    printed("Error: a\n", "  on Pulumi.yaml line 12:\n"),
    "Error: a\n  on Pulumi.yaml line 12:",
  ],
  ["none in the output of a program", printed("Error: a\n")],
  ["none in the output of a program, in colours", printed(`It is no ${red("Error")}: a\n`)],
  ["none in the output of a program, before a position", printed("Error: a\n", "b\n", "  on Pulumi.yaml line 12:\n")],
  ["none in the output of a program, with a position", printed("No Error: a\n", "  on Pulumi.yaml line 12:\n")],
  [
    "none in the output of a program, with a line like a position",
    printed("Error: a\n", "see  on Pulumi.yaml line 12:\n"),
  ],
])("finds the errors of a preview: %s", (_, diagnostics, ...errors) => {
  expect(readPreview(preview({ diagnostics })).errors).toEqual(errors);
});

describe("steps", () => {
  const replaced = (op: string, urn: string, id?: string): Step => ({ op, urn, ...(id && { oldState: { type, id } }) });

  test.each<[string, Step[], Step[]]>([
    ["leave out a refresh, which precedes another step", [{ ...step, op: "refresh" }, step], [step]],
    [
      "have one step for a replacement",
      ["create-replacement", "replace", "delete-replaced"].map((op) => replaced(op, "urn:a", "1")),
      [replaced("replace", "urn:a", "1")],
    ],
    ["leave out the replacement of a resource that is only read", [replaced("read-replacement", "urn:a")], []],
    [
      "delete an object that an earlier deployment replaced",
      [replaced("replace", "urn:a", "2"), replaced("delete-replaced", "urn:a", "1")],
      [replaced("replace", "urn:a", "2"), replaced("delete", "urn:a", "1")],
    ],
    [
      "delete it if another resource has its id",
      [replaced("replace", "urn:b", "1"), replaced("delete-replaced", "urn:a", "1")],
      [replaced("replace", "urn:b", "1"), replaced("delete", "urn:a", "1")],
    ],
    [
      "delete it if its resource is not replaced now",
      [replaced("update", "urn:a", "1"), replaced("delete-replaced", "urn:a", "1")],
      [replaced("update", "urn:a", "1"), replaced("delete", "urn:a", "1")],
    ],
    [
      "may lack states",
      [replaced("replace", "urn:a"), replaced("delete-replaced", "urn:a", "1"), replaced("delete-replaced", "urn:a")],
      [replaced("replace", "urn:a"), replaced("delete", "urn:a", "1")],
    ],
  ])("%s", (_, all, expected) => {
    expect(resolveSteps(all)).toEqual(expected);
  });
});
