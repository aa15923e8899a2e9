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
])("not a preview: %s", (_, value) => {
  expect(() => readPreview(value)).toThrow(PreviewError);
  expect(() => readPreview(value)).toThrow(/^This is not the output of /);
});

test("a preview, with its summary and whether it was refreshed", () => {
  expect(readPreview(preview())).toEqual({ steps: [step], errors: [], isRefreshed: false });
  const withoutStates = { op: "create", urn: "urn:b" };
  const refresh = { ...step, op: "refresh" };
  expect(readPreview({ steps: [refresh, withoutStates], changeSummary: {} })).toEqual({
    steps: [refresh, withoutStates],
    errors: [],
    isRefreshed: true,
  });
});

test("unchanged resources must be in it, unless it failed", () => {
  const diagnostics = [{ severity: "error", message: "broken" }];
  const without = { steps: [{ ...step, op: "update" }], changeSummary: { same: 1 } };
  expect(() => readPreview(without)).toThrow(/^The preview leaves out unchanged resources\. /);
  expect(readPreview({ ...without, diagnostics }).errors).toEqual(["broken"]);
  expect(readPreview(preview({ steps: [step, step] })).errors).toEqual([]);
});

test("a preview that failed does not show what would change", () => {
  expect(parsePreview(preview())).toEqual([step]);
  const failed = preview({ diagnostics: [{ severity: "error", message: "broken" }] });
  expect(() => parsePreview(failed)).toThrow(/^The preview failed, /);
});

const red = (text: string) => `\x1b[31m${text}\x1b[0m`;
const printed = (...messages: string[]) => messages.map((message) => ({ severity: "info#err", message }));

test.each<[string, diagnostics: unknown[], ...errors: string[]]>([
  [
    "no error",
    [
      { severity: "warning", message: "careful" },
      { severity: "info", message: "Error: no" },
    ],
  ],
  [
    "what is printed elsewhere",
    ["Error: a", "  on Pulumi.yaml line 12:"].map((message) => ({ severity: "info", message })),
  ],
  ["what is no diagnostic", ["error", null, { severity: "error" }, { severity: "error", message: 1 }]],
  ["two", [1, 2].map((each) => ({ severity: "error", message: `error ${each}` })), "error 1", "error 2"],
  ["one in colours", [{ severity: "error", message: `\x1b[1;31m${red("bro")}ken\x1b[m\n` }], "broken"],
  ["one of a YAML program", printed("Warning: a\n", `${red("Error")}: b\n`), "Warning: a\nError: b"],
  [
    "one of a YAML program, without colours",
    printed("Error: a\n", "  on Pulumi.yaml line 12:\n"),
    "Error: a\n  on Pulumi.yaml line 12:",
  ],
  ["what a program prints", printed("Error: a\n")],
  ["what a program prints in colours", printed(`It is no ${red("Error")}: a\n`)],
  ["what a program prints before a position", printed("Error: a\n", "b\n", "  on Pulumi.yaml line 12:\n")],
  ["what a program prints with a position", printed("No Error: a\n", "  on Pulumi.yaml line 12:\n")],
  ["what a program prints with a word like a position", printed("Error: a\n", "see  on Pulumi.yaml line 12:\n")],
])("errors: %s", (_, diagnostics, ...errors) => {
  expect(readPreview(preview({ diagnostics })).errors).toEqual(errors);
});

describe("steps", () => {
  const replaced = (op: string, urn: string, id?: string): Step => ({ op, urn, ...(id && { oldState: { type, id } }) });

  test.each<[string, Step[], Step[]]>([
    ["a refresh comes before the step that it leads to", [{ ...step, op: "refresh" }, step], [step]],
    [
      "a replacement is one",
      ["create-replacement", "replace", "delete-replaced"].map((op) => replaced(op, "urn:a", "1")),
      [replaced("replace", "urn:a", "1")],
    ],
    ["a read replacement is none", [replaced("read-replacement", "urn:a")], []],
    [
      "what an earlier deployment replaced is deleted",
      [replaced("replace", "urn:a", "2"), replaced("delete-replaced", "urn:a", "1")],
      [replaced("replace", "urn:a", "2"), replaced("delete", "urn:a", "1")],
    ],
    [
      "also if another resource has its id",
      [replaced("replace", "urn:b", "1"), replaced("delete-replaced", "urn:a", "1")],
      [replaced("replace", "urn:b", "1"), replaced("delete", "urn:a", "1")],
    ],
    [
      "also if the resource is not replaced now",
      [replaced("update", "urn:a", "1"), replaced("delete-replaced", "urn:a", "1")],
      [replaced("update", "urn:a", "1"), replaced("delete", "urn:a", "1")],
    ],
    [
      "states may be missing",
      [replaced("replace", "urn:a"), replaced("delete-replaced", "urn:a", "1"), replaced("delete-replaced", "urn:a")],
      [replaced("replace", "urn:a"), replaced("delete", "urn:a", "1")],
    ],
  ])("%s", (_, all, expected) => {
    expect(resolveSteps(all)).toEqual(expected);
  });
});
