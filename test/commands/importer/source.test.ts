/** The source that the importer writes has the declared values. */
import { parse } from "yaml";
import {
  type Declaration,
  formatComment,
  formatDeclaration,
  formatString,
  Placeholder,
  type SourceValue,
} from "../../../src/commands/importer/source";
import { findYamlProblem, formatYamlProgram } from "../../../src/commands/importer/yaml";

/** Creates a generator of random numbers that are the same in every run. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const strings = [
  "",
  "ssh",
  'say "hello"',
  `both ' and "`,
  "it's",
  "$" + "{process.exit(1)} `x`",
  "$5 $$ $$" + "{ssh.id}",
  "true",
  "No",
  "~",
  "12",
  "1.5e3",
  "2027-01-01",
  "0o17",
  "017",
  "1_000",
  "1:30",
  "<<",
  "y",
  "  indented\n  more\n\n",
  "- item\n# no comment",
  "a: b # c",
  "tunnel-edge:TcpEdge",
  "*/ process.exit(1) /*",
  "</script><!--",
  "\\",
  'a\\"b\\',
  "line\nbreak\r\n\tand\0more\u001b[31m",
  "\u2028\u2029\u202e\u200b\ufeff\u00ad",
  "東京のビルド",
  "é e\u0301 ü",
  "🙂",
  "\ud800 alone",
  "a string that is long enough to reach the end of the line, and then goes on a little further",
  'ip.src.startsWith("10.") && req.headers["X-Tenant"] == "acme corporation of somewhere far away"',
];
const names = [
  "a",
  "add",
  "some",
  "longer_Key",
  "X-Api_Key",
  "1",
  "a b",
  "it's",
  "constructor",
  "yes",
  "<<",
  "import",
  "expressions",
];

function randomValue(roll: (below: number) => number, depth: number): SourceValue {
  const kinds = depth > 0 ? 9 : 6;
  switch (roll(kinds)) {
    case 0:
      return [null, true, false][roll(3)]!;
    case 1:
      return [0, 1, -1, 1.5, 4294967295, 1e21, 1e-7, 123456789][roll(8)]!;
    case 2:
      return new Placeholder(["shortKey", "aRatherLongKeyOfAConfigurationValueClientSecret"][roll(2)]!);
    case 3:
    case 4:
    case 5:
      return strings[roll(strings.length)]!;
    case 6:
      return Array.from({ length: roll(40) }, () => roll(1_000_000));
    case 7:
      return Array.from({ length: roll(5) }, () => randomValue(roll, depth - 1));
    default:
      return randomObject(roll, depth - 1);
  }
}

const randomObject = (roll: (below: number) => number, depth: number): { [name: string]: SourceValue } =>
  Object.fromEntries(Array.from({ length: roll(5) }, () => [names[roll(names.length)]!, randomValue(roll, depth)]));

const types = ["ApiKey", "TcpEdge", "HttpsEdgeRouteRequestHeaders"];

const createDeclarations = (count: number): Declaration[] => {
  const roll = createRandom(7);
  return Array.from({ length: count }, (_, index) => ({
    variable: ["x", "sshToTheBuildMachines", "aVariableWithAVeryLongNameThatDoesNotFitOnALine"][roll(3)]! + index,
    isExported: roll(2) === 0,
    type: types[roll(3)]!,
    name: strings[roll(strings.length)]!,
    args: roll(8) === 0 ? {} : randomObject(roll, 3),
    notes: [],
    id: ["edgtcp_1", "ak_2QSF0123456789012345678901", `edghts_${"2QSF".repeat(7)}/edghtsrt_${"2QSG".repeat(7)}`][
      roll(3)
    ]!,
    protect: roll(2) === 0,
  }));
};

/** Runs a statement with a class that records its arguments, and returns them. */
function run(statement: string): unknown[] {
  class Recorder {
    readonly args: unknown[];
    constructor(...args: unknown[]) {
      this.args = args;
    }
  }
  const tunnel = new Proxy({}, { get: () => Recorder });
  const config = { requireSecret: (key: string) => ({ placeholder: key }) };
  const [, variable] = /const (\S+) =/.exec(statement)!;
  const body = `"use strict"; ${statement.replace(/^export /, "")} return ${variable}.args;`;
  return new Function("tunnel", "config", body)(tunnel, config) as unknown[];
}

const toPlain = (value: SourceValue): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner) => (inner instanceof Placeholder ? { placeholder: inner.key } : inner)));

test("a statement has the declared values", () => {
  for (const declaration of createDeclarations(500)) {
    const { name, args, id, protect } = declaration;
    const options = { import: id, ...(protect && { protect }) };
    expect(run(formatDeclaration(declaration))).toEqual([name, toPlain(args), options]);
  }
});

/** A value as pulumi-yaml evaluates it: `$$` is "$", and other expressions fail here. */
function evaluate(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.replaceAll("$$", "").includes("$" + "{")) throw new Error(`${value} is an expression.`);
    return value.replaceAll("$$", "$");
  }
  if (Array.isArray(value)) return value.map(evaluate);
  if (typeof value !== "object" || value === null) return value;
  const secret = (value as Record<string, string>)["fn::secret"];
  if (secret) return { placeholder: /^\$\{(\w+)\}$/.exec(secret)![1] };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [evaluate(key), evaluate(each)]));
}

test("a YAML program has the declared values", () => {
  const declarations = createDeclarations(500);
  const comments = ["Written\nby a test"];
  const program = formatYamlProgram("a test", [{ comments, declarations }], ["shortKey"]);
  expect(program).toMatch(/^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u200b\ufeff]*$/);
  // Pulumi's parser reads some of 1.1 and some of 1.2.
  for (const version of ["1.1", "1.2"] as const) {
    const { config, resources } = parse(program, { version }) as { config: object; resources: Record<string, object> };
    expect(config).toEqual({ shortKey: { type: "string", secret: true } });
    expect(evaluate(resources)).toEqual(
      Object.fromEntries(
        declarations.map(({ variable, type, name, args, id, protect }) => [
          variable,
          {
            type: `tunnel-edge:${type}`,
            name,
            ...(Object.keys(args).length > 0 && { properties: toPlain(args) }),
            options: { import: id, ...(protect && { protect }) },
          },
        ]),
      ),
    );
  }
});

const withConfig = (config: unknown) => ({ policy: { inbound: [{ actions: [{ config }] }] } });
test.each([
  [withConfig({ "fn::secret": "x" }), "fn::"],
  [withConfig({ "Fn::ReadFile": "x", a: 1 }), "fn::"],
  [withConfig({ a: [{ b: null }] }), "null"],
  [withConfig({ a: [null], b: "fn::secret" }), undefined],
])("finds what YAML cannot declare in %j: %s", (args, problem) => {
  if (problem) expect(findYamlProblem(args)).toContain(problem);
  else expect(findYamlProblem(args)).toBeUndefined();
});

test("every literal is one line of visible characters with the value of its string", () => {
  for (const value of strings) {
    expect(formatString(value)).toMatch(/^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u200b\ufeff]*$/);
    expect(new Function(`return ${formatString(value)}`)()).toBe(value);
  }
});

test("__proto__ is an ordinary field", () => {
  const args = JSON.parse('{"config":{"__proto__":{"admin":true}}}') as { [name: string]: SourceValue };
  const statement = formatDeclaration({
    variable: "x",
    isExported: false,
    type: "TcpEdge",
    name: "x",
    args,
    notes: [],
    id: "edgtcp_1",
    protect: true,
  });
  const [, recorded] = run(statement) as [string, { config: object }];
  expect(Object.getPrototypeOf(recorded.config)).toBe(Object.prototype);
  expect(Object.keys(recorded.config)).toEqual(["__proto__"]);
});

test("a comment stays a comment", () => {
  for (const text of [...strings, "*/ alert(1)", "\n\nalert(1)", "\u2028alert(1)", "\ralert(1)"]) {
    for (const line of formatComment(text).split(/[\n\r\u2028\u2029]/)) expect(line).toMatch(/^\/\/ /);
  }
});
