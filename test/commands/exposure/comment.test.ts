/** The comment of a pull request: `exposure --markdown`. */
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseAccepted } from "../../../src/commands/exposure/accepted";
import { type CommentOptions, writeComment } from "../../../src/commands/exposure/comment";
import { main } from "../../../src/commands/exposure/main";
import { type Drawn, drawPicture } from "../../../src/commands/exposure/picture";
import type { Step } from "../../../src/commands/exposure/preview";
import type { Properties } from "../../support/engine/provider";
import { collectOutput } from "../output";
import { having, ipRestriction, preview, type StepOptions, step } from "./support/steps";

const folder = join(tmpdir(), `comment-${randomUUID()}`);
beforeAll(() => mkdirSync(folder));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** A TCP edge with the arguments before and afterwards. */
const edge = (name: string, was?: Properties, is?: Properties, options?: StepOptions) =>
  step("TcpEdge", name, was, is, { id: `edgtcp_${name}`, ...options });
const open = (port: number, args?: Properties) => having({ hostports: [`a.example:${port}`], ...args });
const closed = (port: number) => open(port, { ipRestriction });
const described = { ...open(1), description: "x" };
/** A preview with `--refresh`. */
const refreshed = (...steps: Step[]) => preview({ ...steps[0], op: "refresh" }, ...steps);
const comment = (previews: unknown[], options?: CommentOptions) => {
  const files = previews.map((content, index) => write(`${index}.json`, JSON.stringify(content)));
  return writeComment(files, options).replaceAll(`${folder}/`, "");
};

const changes = [
  edge("ssh", closed(1), open(1)),
  edge("db", closed(2), open(2, { ipRestriction: { ipPolicyIds: ["ipp_world"] } })),
  edge("old", closed(3)),
];
const opening = preview(...changes);

test("the whole comment", () => {
  expect(comment([opening, refreshed(...changes)])).toMatchSnapshot();
});

test("shows that nothing opens", () => {
  const text = comment([preview(edge("ssh", open(1), described))]);
  expect(text).toContain("### ✅ This change opens no public address\n");
  expect(text).not.toContain("mermaid");
});

test("warns about a module that still has the id of a deleted edge", () => {
  const module = { edgeId: "edgtcp_old", ...ipRestriction };
  const lost = [edge("old", closed(3)), step("TcpEdgeIpRestriction", "office", module, module, { id: "edgtcp_old" })];
  const text = comment([preview(...lost), refreshed(...lost)]);
  expect(text).toMatch(
    /^### ✅ This change opens no public address\n\n⚠️ TcpEdgeIpRestriction "office" still has the id of/m,
  );
  expect(text.match(/still has the id of/g)).toHaveLength(1);
});

const diffOf = (text: string) => /<summary>(.*)<\/summary>\n\n```diff\n([\s\S]*?)\n```/.exec(text)!.slice(1);

test("shows two previews once if they differ only in the engine's order", () => {
  const steps = [edge("a", undefined, open(1)), edge("b", undefined, open(2))];
  const [title, diff] = diffOf(comment([preview(...steps), preview(...[...steps].reverse())]));
  expect(title).toBe("What changes");
  expect(diff).toMatch(/^@@ create TcpEdge "a"/);
  expect(diff!.match(/@@ create/g)).toHaveLength(2);
});

test("shows two previews that differ, each below the name of its file", () => {
  const first = preview(edge("ssh", open(1), described));
  const other = refreshed(edge("ssh", open(1), closed(1)));
  expect(diffOf(comment([first, other]))[1]!.split("\n")).toEqual([
    "# 0.json",
    '@@ update TcpEdge "ssh" edgtcp_ssh @@',
    '+ description: "x"',
    "# 1.json, with --refresh",
    '@@ update TcpEdge "ssh" edgtcp_ssh @@',
    '+ ipRestriction: {"ipPolicyIds":["ipp_a"]}',
  ]);
});

test("shows that nothing changes", () => {
  expect(diffOf(comment([preview()]))).toEqual(["What changes", "# no changes"]);
});

test("shows the error of a preview that failed, and the changes of another", () => {
  const failed = { ...preview(), diagnostics: [{ severity: "error", message: "error: a.yaml:1:2: wrong\n" }] };
  const text = comment([opening, failed], {
    messages: ["policy: ssh is open to everybody\n"],
    stack: "test/dev",
  });
  expect(text).toMatch(
    /^<!-- pulumi-tunnel-edge exposure: test\/dev -->\n\n### ❓ Who can connect after this change is not known/,
  );
  expect(text).toContain("A preview failed: 1.json.\n\n**After this change anyone can connect to 1 public address");
  expect(text).toContain("```text\nerror: a.yaml:1:2: wrong\npolicy: ssh is open to everybody\n```");
});

test("ignores empty messages", () => {
  expect(comment([opening], { messages: ["", "\n"] })).toBe(comment([opening]));
});

test("names its project and stack, so that two stacks have two comments", () => {
  const [first] = comment([opening]).split("\n");
  expect(first).toBe("<!-- pulumi-tunnel-edge exposure: test/dev -->");
});

test("shows that a secret changes", () => {
  const secret = { metadata: "[secret]" };
  const changed = edge("ssh", secret, { ...secret }, { diffReasons: ["metadata"] });
  expect(comment([preview(changed)])).toContain('- metadata: "[secret]"\n+ metadata: "[secret]"\n');
});

describe("a comment on drift", () => {
  const restricted = closed(1);
  const reachable = open(1);
  const disabled = { ipRestriction: { ...ipRestriction, enabled: false } };
  const secret = open(1, { ipRestriction: "[secret]" });
  const same = (args: Properties, found?: Properties) => edge("ssh", args, args, { found });
  const differs = (args: Properties, found: Properties, options?: StepOptions) =>
    edge("ssh", args, args, { op: "update", found, ...options });
  const both = (recorded: Step, found: Step) => comment([preview(recorded), refreshed(found)]);
  const rowsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("| `"));

  test("shows an open address that a deployment closes, but not as a change", () => {
    const found = differs(restricted, disabled, { detailedDiff: { "ipRestriction.enabled": {} } });
    const text = both(same(restricted), found);
    expect(text).toContain(
      "### ⚠️ Public addresses are open because of drift\n\n**Because of drift, anyone can connect to 1 public address now.**\n",
    );
    expect(text).not.toContain("This change");
    expect(rowsOf(text)).toEqual([
      '| `a.example:1` | **anyone** | restricted by ipRestriction (ipp_a) | `TcpEdge "ssh"` | open now, because of drift (ipRestriction is disabled); deploying closes it |',
    ]);
    expect(text).toContain('a0["a.example:1<br/>open now#44; because of drift#59; deploying closes it"]');
    expect(text).toMatch(/\n {2}class a0 open\n/);
  });

  test("shows an address that lost a restriction which the program does not declare", () => {
    expect(rowsOf(both(same(reachable, { ipRestriction }), same(reachable)))).toEqual([
      '| `a.example:1` | **might be anyone** | anyone | `TcpEdge "ssh"` | might be open now, because of drift (ipRestriction is removed); deploying leaves it open |',
    ]);
  });

  test("shows a change that opens an address which drift has opened already", () => {
    const removed = (found?: Properties) => edge("ssh", restricted, reachable, { found });
    const text = both(removed(), removed(disabled));
    expect(text).toContain("### ⚠️ This change opens public addresses\n");
    expect(text).toContain(
      "and could not before.**\n\n**Because of drift, anyone can connect to 1 public address now.**",
    );
    expect(rowsOf(text)).toEqual([
      '| `a.example:1` | restricted by ipRestriction (ipp_a) | **anyone** | `TcpEdge "ssh"` | ipRestriction is removed |',
      '| `a.example:1` | **anyone** | anyone | `TcpEdge "ssh"` | open now, because of drift (ipRestriction is disabled); deploying leaves it open |',
    ]);
  });

  test("warns that another IP policy might let anyone in", () => {
    const found = differs(restricted, { ipRestriction: { ipPolicyIds: ["ipp_world"] } });
    expect(both(same(restricted), found)).toContain(
      "**Because of drift, anyone might be able to connect to 1 public address now.**",
    );
  });

  test("has no row for an address that is open on purpose", () => {
    expect(rowsOf(both(same(reachable), same(reachable)))).toEqual([]);
  });

  test("has a row for a secret module only if it may have drifted", () => {
    expect(rowsOf(both(same(secret), same(secret)))).toEqual([]);
    const drifted = { diffReasons: ["ipRestriction"], detailedDiff: { ipRestriction: { kind: "update" } } };
    expect(rowsOf(both(same(secret), differs(secret, {}, drifted)))).toEqual([
      expect.stringContaining("| ipRestriction is unknown |"),
      expect.stringContaining("| might be open now, because of drift"),
    ]);
  });

  test("shows that an edge closes when it leaves the program", () => {
    const gone = (found?: Properties) => edge("ssh", restricted, undefined, { found });
    expect(rowsOf(both(gone(), gone(disabled)))).toEqual([
      "| `a.example:1` | restricted by ipRestriction (ipp_a) | nobody |  |  |",
      '| `a.example:1` | **anyone** | nobody | `TcpEdge "ssh"` | open now, because of drift (ipRestriction is disabled); deploying closes it |',
    ]);
  });
});

describe("a comment with a list of accepted addresses", () => {
  const accept = (text: string, ...previews: unknown[]) => comment(previews, { list: parseAccepted(text, "open.txt") });

  test("warns about every opening, and shows which ones are accepted", () => {
    const text = accept("a.example:1\n", opening);
    expect(text).toContain("### ⚠️ This change opens public addresses\n");
    expect(text).toContain("not before.** 1 of 2 accepted in open.txt. Restrict the other, or list it there.\n");
    expect(text).toContain("| ipRestriction is removed (accepted in open.txt) |\n");
    expect(text).toContain("| ipp_world is new in ipRestriction |\n");
    expect(accept("a.example:1\na.example:2\n", opening)).toContain("not before.** Accepted in open.txt.\n");
    expect(accept("", opening)).toContain(
      "not before.** Not accepted in open.txt. Restrict them, or list them there.\n",
    );
  });

  test("warns about a line that is not needed, unless a preview failed", () => {
    const warning = "⚠️ open.txt, line 2: a.example:3 is not open after this change. Remove the line.\n";
    expect(accept("a.example:1\na.example:3", opening)).toContain(warning);
    expect(accept("a.example:1\na.example:3", opening, {})).not.toContain("is not open after");
  });
});

describe("text that others wrote", () => {
  const hostile = ["a\r\n```\n# x", "<!-- x -->", "</details>", "`````", "| x |", "@everyone #1", "\u202Ex", "[a](b)"];

  /** The comment on an edge whose name, texts and list are all this text. */
  const commentOn = (text: string, args: Properties) =>
    comment([preview(edge(text, closed(1), { ...args, description: text }))], {
      messages: [text],
      stack: text,
      list: { file: text, entries: [] },
    });

  test.each(hostile)("stays in its block: %j", (text) => expectBlocks(commentOn(text, open(1))));

  test("stays in its block, whatever it is", () => {
    const property = fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) =>
      expectBlocks(commentOn(text, { hostports: [text], backend: { backendId: text } })),
    );
    fc.assert(property, { numRuns: 100 });
  });

  /** The lines outside of blocks are the report's own, and nothing is left open. */
  function expectBlocks(text: string): void {
    let fence: string | undefined;
    const outside: string[] = [];
    for (const line of text.split(/\r\n|\n|\r/)) {
      const [, ticks] = /^(`{3,})(?:\w*)$/.exec(line) ?? [];
      if (fence === undefined && ticks) fence = ticks;
      else if (fence !== undefined) fence = ticks && ticks.length >= fence.length ? undefined : fence;
      else outside.push(line);
    }
    expect(fence).toBeUndefined();
    const ours =
      /^(|<!-- pulumi-tunnel-edge exposure: [^<>]* -->|### .*|\*\*.*|\| .* \||The API does not .*|<details><summary>[\w :,]+<\/summary>|<\/details>)$/;
    expect(outside.filter((line) => !ours.test(line))).toEqual([]);
    const rows = outside.filter((line) => line.startsWith("| "));
    for (const row of rows) expect(row.replaceAll("\\|", "").match(/\|/g)).toHaveLength(6);
    expect(outside.filter((line) => line.startsWith("<details>"))).toHaveLength(
      outside.filter((line) => line === "</details>").length,
    );
  }
});

describe("a comment that would be too long", () => {
  const edges = (count: number, description: string) =>
    Array.from({ length: count }, (_, index) => edge(`e${index}`, closed(index + 1), open(index + 1, { description })));

  test.each([
    [500, "x"],
    [20, "`\u0000".repeat(5_000)],
    [20, "👩‍👩‍👧‍👦".repeat(160)], // which escaped is three times as long
    [3, "`".repeat(20_000)], // the fence is longer, too
    [1, "x".repeat(200_000)],
  ])("is shortened, and shows how much is left out: %i edges", (count, description) => {
    const previews = [preview(...edges(count, description)), refreshed(...edges(count, `${description}!`))];
    const text = comment(previews, {
      messages: ["a message\n".repeat(10_000)],
      stack: description,
      list: {
        file: "open.txt",
        entries: Array.from({ length: 1_000 }, (_, line) => ({ entry: `b.example:${line}`, line })),
      },
    });
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/\n… \d+ more lines are not shown\.\n/);
    expect(text).toMatch(/\n⚠️ \d+ more are not shown\.\n/);
    expect(text.endsWith("</details>\n")).toBe(true);
    if (count > 400) expect(text).toMatch(/\n\d+ more are not shown\. Without `--markdown`, each address that opens/);
  });
});

describe("the picture", () => {
  const drawn = (rest: Partial<Drawn> = {}): Drawn => ({
    who: "anyone",
    address: "1.tcp.example:1",
    note: "before: nobody",
    edge: 'TcpEdge "ssh"',
    backend: "bkdhr_1",
    isOpen: true,
    ...rest,
  });

  test("shows who can connect to which address, through which edge, to which backend", () => {
    expect(drawPicture([drawn(), drawn({ address: "b.example:2", who: "nobody", isOpen: false })])).toBe(
      [
        "flowchart LR",
        '  w1["anyone"] --> a0["1.tcp.example:1<br/>before: nobody"] --> e2["TcpEdge #34;ssh#34;"] --> b3["bkdhr_1"]',
        '  w5["nobody"] --> a4["b.example:2<br/>before: nobody"] --> e2 --> b3',
        "  classDef open fill:#ffebe9,stroke:#cf222e,color:#1f2328",
        "  class a0 open",
      ].join("\n"),
    );
  });

  test.each([
    ["end", "end"],
    ["o---o", "o---o"],
    ["a.example:1/x (y_z)", "a.example:1/x (y_z)"],
    ["1. x", "#49;#46; x"],
    ["1) x", "#49;#41; x"],
    ["- x", "#45; x"],
    ["    x", "#32;#32;#32;#32;x"],
    ["_x_", "#95;x#95;"],
    ["`x`", "#96;x#96;"],
    ["**x**", "#42;#42;x#42;#42;"],
    ["# x", "#35; x"],
    ["> x", "#62; x"],
    ["[a](b)", "#91;a#93;(b)"],
    ["<b>", "#60;b#62;"],
    ["a --> b", "a --#62; b"],
    ['"]', "#34;#93;"],
    ["#quot;", "#35;quot#59;"],
    ["%% x", "#37;#37; x"],
    [";", "#59;"],
    ["é🙂", "#233;#128578;"],
    ["\n```", "#10;#96;#96;#96;"],
  ])("has the name %j as %j, which Mermaid and its Markdown read as words", (name, label) => {
    const picture = drawPicture([drawn({ edge: name, backend: name, address: name, who: name, note: undefined })])!;
    expect(picture.match(/(?<=\[").*?(?="\])/gs)).toEqual([label, label, label, label]);
  });

  test("is left out if GitLab would not draw it", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => drawn({ address: `a.example:${index}` }));
    expect(drawPicture(many(100))).toBeUndefined();
    expect(drawPicture([])).toBeUndefined();
    for (let count = 1; count < 40; count++) expect((drawPicture(many(count)) ?? "").length).toBeLessThan(2_000);
    const created = Array.from({ length: 100 }, (_, index) => edge(`e${index}`, undefined, open(index + 1)));
    const text = comment([preview(...created)]);
    expect(text).toContain("| `a.example:100` | nobody | **anyone** |");
    expect(text).not.toContain("mermaid");
  });
});

describe("the command", () => {
  async function run(...args: string[]) {
    const { printed, io } = collectOutput();
    expect(await main(args, io)).toBe(0);
    return printed.out;
  }
  let file: string;
  beforeAll(() => {
    file = write("change.json", JSON.stringify(opening));
  });

  test("prints the comment of its files", async () => {
    const messages = write("policy.txt", "rejected by a policy\n");
    const list = write("open.txt", "a.example:1 # for everybody\n");
    const text = await run("--markdown", file, "--messages", messages, "--accept", list);
    for (const part of ["rejected by a policy", ` (accepted in ${list}) |`]) expect(text).toContain(part);
  });

  test("prints a comment on a file that is no preview", async () => {
    const files = ["", "{}", "error: no stack"].map((content, index) => write(`empty${index}.json`, content));
    for (const each of [...files, "missing.json"])
      expect(await run("--markdown", each, "--stack", "edges/dev")).toContain("exposure: edges/dev -->\n\n### ❓");
  });

  test("prints a comment that shows a mistake in the list", async () => {
    const list = write("open.txt", "a.example\n");
    const text = await run("--markdown", file, "--accept", list);
    expect(text).toContain(`**Errors**\n\n\`\`\`text\n${list}, line 1: "a.example" must be "<host>:<port>"`);
    expect(text).not.toContain("accepted in");
  });
});
