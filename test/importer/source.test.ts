/** The source that the importer writes: it means what it says, and the formatter would write it the same. */
import { comment, type Declaration, declare, literal, Placeholder, type Source } from "../../src/importer/source";
import { formatted } from "./support";

/** Random numbers that are the same in every run. */
function dice(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const texts = [
  "",
  "ssh",
  'say "hello"',
  `both ' and "`,
  "it's",
  "$" + "{process.exit(1)} `x`",
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
  "a text that is long enough to reach the end of the line, and then goes on a little further",
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
  "import",
  "expressions",
];

function random(roll: (below: number) => number, depth: number): Source {
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
      return texts[roll(texts.length)]!;
    case 6:
      return Array.from({ length: roll(40) }, () => roll(1_000_000));
    case 7:
      return Array.from({ length: roll(5) }, () => random(roll, depth - 1));
    default:
      return bag(roll, depth - 1);
  }
}

const bag = (roll: (below: number) => number, depth: number): { [name: string]: Source } =>
  Object.fromEntries(Array.from({ length: roll(5) }, () => [names[roll(names.length)]!, random(roll, depth)]));

const types = ["ApiKey", "TcpEdge", "HttpsEdgeRouteRequestHeaders"];

const declarations = (count: number): Declaration[] => {
  const roll = dice(7);
  return Array.from({ length: count }, (_, at) => ({
    variable: ["x", "sshToTheBuildMachines", "aVariableWithAVeryLongNameIndeedWhichNobodyWants"][roll(3)]! + at,
    exported: roll(2) === 0,
    type: types[roll(3)]!,
    name: texts[roll(texts.length)]!,
    args: roll(8) === 0 ? {} : bag(roll, 3),
    id: ["edgtcp_1", "ak_2QSF0123456789012345678901", `edghts_${"2QSF".repeat(7)}/edghtsrt_${"2QSG".repeat(7)}`][
      roll(3)
    ]!,
    protect: roll(2) === 0,
  }));
};

/** What a statement does, with a class and a configuration that only remember. */
function run(statement: string): unknown[] {
  class Remembered {
    readonly given: unknown[];
    constructor(...given: unknown[]) {
      this.given = given;
    }
  }
  const tunnel = new Proxy({}, { get: () => Remembered });
  const config = { requireSecret: (key: string) => ({ placeholder: key }) };
  const [, variable] = /const (\S+) =/.exec(statement)!;
  const body = `"use strict"; ${statement.replace(/^export /, "")} return ${variable}.given;`;
  return new Function("tunnel", "config", body)(tunnel, config) as unknown[];
}

const meaning = (value: Source): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner) => (inner instanceof Placeholder ? { placeholder: inner.key } : inner)));

test("a statement means what was declared, whatever the texts hold", () => {
  for (const declaration of declarations(1500)) {
    const { name, args, id, protect } = declaration;
    const options = { import: id, ...(protect && { protect }) };
    expect(run(declare(declaration))).toEqual([name, meaning(args), options]);
  }
});

test("the formatter finds nothing to change", () => {
  const source = `${declarations(1500).map(declare).join("\n\n")}\n`;
  expect(formatted(source).split("\n")).toEqual(source.split("\n"));
});

test("every literal is one line of visible characters that means its text", () => {
  for (const text of texts) {
    expect(literal(text)).toMatch(/^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u200b\ufeff]*$/);
    expect(new Function(`return ${literal(text)}`)()).toBe(text);
  }
});

test("a field that is named like an object's prototype is an ordinary field", () => {
  const args = JSON.parse('{"config":{"__proto__":{"admin":true}}}') as { [name: string]: Source };
  const statement = declare({
    variable: "x",
    exported: false,
    type: "TcpEdge",
    name: "x",
    args,
    id: "edgtcp_1",
    protect: true,
  });
  const [, given] = run(statement) as [string, { config: object }];
  expect(Object.getPrototypeOf(given.config)).toBe(Object.prototype);
  expect(Object.keys(given.config)).toEqual(["__proto__"]);
});

test("a comment stays a comment", () => {
  for (const text of [...texts, "*/ alert(1)", "\n\nalert(1)", "\u2028alert(1)", "\ralert(1)"]) {
    for (const line of comment(text).split(/[\n\r\u2028\u2029]/)) expect(line).toMatch(/^\/\/ /);
  }
});
