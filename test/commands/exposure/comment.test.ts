/** The comment of a pull request: `exposure --markdown`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseAccepted } from "../../../src/commands/exposure/accepted";
import { type CommentOptions, writeComment } from "../../../src/commands/exposure/comment";
import { main } from "../../../src/commands/exposure/main";
import { type Drawn, drawPicture } from "../../../src/commands/exposure/picture";

const folder = mkdtempSync(join(tmpdir(), "comment-"));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const backend = { backendId: "bkdhr_1" };
const ipRestriction = { ipPolicyIds: ["ipp_office"] };
const edgeType = "tunnel-edge:index:TcpEdge";

/** A step for a TCP edge, from the arguments before to those after. */
const step = (name: string, before: object | undefined, after: object | undefined, rest: object = {}) => ({
  op: before ? (after ? "update" : "delete") : "create",
  urn: `urn:pulumi:production::edges::${edgeType}::${name}`,
  ...(before && { oldState: { type: edgeType, id: `edgtcp_${name}`, inputs: before, outputs: before } }),
  ...(after && { newState: { type: edgeType, inputs: after } }),
  ...rest,
});
const open = (port: number, rest: object = {}) => ({ hostports: [`a.example:${port}`], backend, ...rest });
const preview = (...steps: object[]) => ({ steps, changeSummary: { update: steps.length, same: 0 } });
const refreshed = ({ steps, ...rest }: ReturnType<typeof preview>) => ({
  ...rest,
  steps: [{ ...(steps[0] as object), op: "refresh" }, ...steps],
});
const comment = (previews: unknown[], options?: CommentOptions) => {
  const files = previews.map((content, index) => write(`${index}.json`, JSON.stringify(content)));
  return writeComment(files, options).replaceAll(`${folder}/`, "");
};

const opening = preview(
  step("ssh", open(1, { ipRestriction }), open(1)),
  step("db", open(2, { ipRestriction }), open(2, { ipRestriction: { ipPolicyIds: ["ipp_world"] } })),
  step("old", open(3, { ipRestriction }), undefined),
);

test("the whole comment", () => {
  const text = comment([opening, refreshed(opening)]);
  expect(text).toMatchSnapshot();
});

test("nothing opens", () => {
  const text = comment([preview(step("ssh", open(1), open(1, { description: "x" })))]);
  expect(text).toContain("### ✅ This change opens no public address\n");
  expect(text).not.toContain("mermaid");
});

test("warns about a module that still has the id of a deleted edge", () => {
  const moduleType = "tunnel-edge:index:TcpEdgeIpRestriction";
  const module = { type: moduleType, id: "edgtcp_old", inputs: { edgeId: "edgtcp_old", ...ipRestriction } };
  const urn = `urn:pulumi:production::edges::${moduleType}::office`;
  const lost = preview(step("old", open(3, { ipRestriction }), undefined), {
    op: "same",
    urn,
    oldState: module,
    newState: module,
  });
  const text = comment([lost, refreshed(lost)]);
  expect(text).toMatch(
    /^### ✅ This change opens no public address\n\n⚠️ TcpEdgeIpRestriction "office" still has the id of/m,
  );
  expect(text.match(/still has the id of/g)).toHaveLength(1);
});

const diffOf = (text: string) => /<summary>(.*)<\/summary>\n\n```diff\n([\s\S]*?)\n```/.exec(text)!.slice(1);

test("two previews that differ only in the engine's order are shown once", () => {
  const steps = [step("a", undefined, open(1)), step("b", undefined, open(2))];
  const [title, diff] = diffOf(comment([preview(...steps), preview(...[...steps].reverse())]));
  expect(title).toBe("What changes");
  expect(diff).toMatch(/^@@ create TcpEdge "a"/);
  expect(diff!.match(/@@ create/g)).toHaveLength(2);
});

test("two previews that differ are both shown, and which is which", () => {
  const first = preview(step("ssh", open(1), open(1, { description: "x" })));
  const other = refreshed(preview(step("ssh", open(1), open(1, { ipRestriction }))));
  expect(diffOf(comment([first, other]))[1]!.split("\n")).toEqual([
    "# 0.json",
    '@@ update TcpEdge "ssh" edgtcp_ssh @@',
    '+ description: "x"',
    "# 1.json, with --refresh",
    '@@ update TcpEdge "ssh" edgtcp_ssh @@',
    '+ ipRestriction: {"ipPolicyIds":["ipp_office"]}',
  ]);
});

test("nothing changes", () => {
  expect(diffOf(comment([preview()]))).toEqual(["What changes", "# no changes"]);
});

test("a failed preview is an error, and what another shows is kept", () => {
  const failed = { ...preview(), diagnostics: [{ severity: "error", message: "error: a.yaml:1:2: wrong\n" }] };
  const text = comment([opening, failed], {
    messages: ["policy: ssh is open to everybody\n"],
    stack: "edges/production",
  });
  expect(text).toMatch(
    /^<!-- pulumi-tunnel-edge exposure: edges\/production -->\n\n### ❓ Who can connect after this change is not known/,
  );
  expect(text).toContain("A preview failed: 1.json.\n\n**After this change anyone can connect to 1 public address");
  expect(text).toContain("```text\nerror: a.yaml:1:2: wrong\npolicy: ssh is open to everybody\n```");
});

test("messages that say nothing are no errors", () => {
  expect(comment([opening], { messages: ["", "\n"] })).toBe(comment([opening]));
});

test("the comment names its project and stack, so that two stacks have two", () => {
  const [first] = comment([opening]).split("\n");
  expect(first).toBe("<!-- pulumi-tunnel-edge exposure: edges/production -->");
});

test("a secret that changes is shown as one", () => {
  const secret = step("ssh", { metadata: "[secret]" }, { metadata: "[secret]" }, { diffReasons: ["metadata"] });
  expect(comment([preview(secret)])).toContain('- metadata: "[secret]"\n+ metadata: "[secret]"\n');
});

describe("drift", () => {
  const closed = open(1, { ipRestriction });
  const disabled = open(1, { ipRestriction: { ...ipRestriction, enabled: false } });
  const same = (before: object, outputs: object = before) =>
    step("ssh", before, before, {
      op: "same",
      oldState: { type: edgeType, id: "edgtcp_ssh", inputs: before, outputs },
    });
  const differs = (inputs: object, outputs: object, rest: object = {}) =>
    step("ssh", inputs, inputs, { oldState: { type: edgeType, id: "edgtcp_ssh", inputs, outputs }, ...rest });
  const both = (recorded: object, found: object) => comment([preview(recorded), refreshed(preview(found))]);
  const rowsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("| `"));

  test("an address that is open now, and that a deployment closes, has a row, and is no change", () => {
    const text = both(same(closed), differs(closed, disabled, { detailedDiff: { "ipRestriction.enabled": {} } }));
    expect(text).toContain(
      "### ⚠️ Public addresses are open because of drift\n\n**Because of drift, anyone can connect to 1 public address now.**\n",
    );
    expect(text).not.toContain("This change");
    expect(rowsOf(text)).toEqual([
      '| `a.example:1` | **anyone** | restricted by ipRestriction (ipp_office) | `TcpEdge "ssh"` | open now, because of drift (ipRestriction is disabled); deploying closes it |',
    ]);
    expect(text).toContain('a0["a.example:1<br/>open now#44; because of drift#59; deploying closes it"]');
    expect(text).toMatch(/\n {2}class a0 open\n/);
  });

  test("what the program does not declare stays open", () => {
    const text = both(same(open(1), closed), same(open(1), open(1)));
    expect(rowsOf(text)).toEqual([
      '| `a.example:1` | **might be anyone** | anyone | `TcpEdge "ssh"` | might be open now, because of drift (ipRestriction is removed); deploying leaves it open |',
    ]);
  });

  test("a change that opens what drift has opened already is still a change", () => {
    const text = both(
      step("ssh", closed, open(1)),
      step("ssh", closed, open(1), {
        oldState: { type: edgeType, id: "edgtcp_ssh", inputs: closed, outputs: disabled },
      }),
    );
    expect(text).toContain("### ⚠️ This change opens public addresses\n");
    expect(text).toContain(
      "and could not before.**\n\n**Because of drift, anyone can connect to 1 public address now.**",
    );
    expect(rowsOf(text)).toEqual([
      '| `a.example:1` | restricted by ipRestriction (ipp_office) | **anyone** | `TcpEdge "ssh"` | ipRestriction is removed |',
      '| `a.example:1` | **anyone** | anyone | `TcpEdge "ssh"` | open now, because of drift (ipRestriction is disabled); deploying leaves it open |',
    ]);
  });

  test("another policy might be open", () => {
    const other = open(1, { ipRestriction: { ipPolicyIds: ["ipp_world"] } });
    expect(both(same(closed), differs(closed, other))).toContain(
      "**Because of drift, anyone might be able to connect to 1 public address now.**",
    );
  });

  test("an address that is open on purpose has no row", () => {
    expect(rowsOf(both(same(open(1)), same(open(1))))).toEqual([]);
  });

  test("a secret module has a row only if it may have drifted", () => {
    const secret = open(1, { ipRestriction: "[secret]" });
    expect(rowsOf(both(same(secret), same(secret)))).toEqual([]);
    const drifted = differs(secret, secret, {
      diffReasons: ["ipRestriction"],
      detailedDiff: { ipRestriction: { kind: "update" } },
    });
    expect(rowsOf(both(same(secret), drifted))).toEqual([
      expect.stringContaining("| ipRestriction is unknown |"),
      expect.stringContaining("| might be open now, because of drift"),
    ]);
  });

  test("an edge that leaves the program is closed", () => {
    const gone = { oldState: { type: edgeType, id: "edgtcp_ssh", inputs: closed, outputs: disabled } };
    expect(rowsOf(both(step("ssh", closed, undefined), step("ssh", closed, undefined, gone)))).toEqual([
      "| `a.example:1` | restricted by ipRestriction (ipp_office) | nobody |  |  |",
      '| `a.example:1` | **anyone** | nobody | `TcpEdge "ssh"` | open now, because of drift (ipRestriction is disabled); deploying closes it |',
    ]);
  });
});

describe("a list of accepted addresses", () => {
  const accept = (text: string, ...previews: unknown[]) => comment(previews, { list: parseAccepted(text, "open.txt") });

  test("an opening is said with its warning, and that it is accepted", () => {
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

  test("a line that is not needed is said, unless a preview failed", () => {
    const warning = "⚠️ open.txt, line 2: a.example:3 is not open after this change. Remove the line.\n";
    expect(accept("a.example:1\na.example:3", opening)).toContain(warning);
    expect(accept("a.example:1\na.example:3", opening, {})).not.toContain("is not open after");
  });
});

describe("what others wrote", () => {
  const hostile = ["a\r\n```\n# x", "<!-- x -->", "</details>", "`````", "| x |", "@everyone #1", "\u202Ex", "[a](b)"];

  test.each(hostile)("%j stays in its block", (text) => {
    const edge = step(text, open(1, { ipRestriction }), open(1, { description: text }));
    expectBlocks(comment([preview(edge)], { messages: [text], stack: text, list: { file: text, entries: [] } }));
  });

  test("anything stays in its block", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        const edge = step(text, open(1, { ipRestriction }), {
          hostports: [text],
          backend: { backendId: text },
          description: text,
        });
        expectBlocks(comment([preview(edge)], { messages: [text], stack: text, list: { file: text, entries: [] } }));
      }),
      { numRuns: 300 },
    );
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
    preview(
      ...Array.from({ length: count }, (_, index) =>
        step(`e${index}`, open(index + 1, { ipRestriction }), open(index + 1, { description })),
      ),
    );

  test.each([
    [500, "x"],
    [20, "`\u0000".repeat(5_000)],
    [20, "👩‍👩‍👧‍👦".repeat(160)], // which escaped is three times as long
    [3, "`".repeat(20_000)], // the fence is longer, too
    [1, "x".repeat(200_000)],
  ])("%i edges: it is shortened, and says so", (count, description) => {
    const all = edges(count, description);
    const text = comment([all, refreshed(edges(count, `${description}!`))], {
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

  test("has who can connect to which address, through which edge, to which backend", () => {
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
  ])("the name %j is %j, which Mermaid and its Markdown read as words", (name, label) => {
    const picture = drawPicture([drawn({ edge: name, backend: name, address: name, who: name, note: undefined })])!;
    expect(picture.match(/(?<=\[").*?(?="\])/gs)).toEqual([label, label, label, label]);
  });

  test("a picture that GitLab would not draw is left out", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => drawn({ address: `a.example:${index}` }));
    expect(drawPicture(many(100))).toBeUndefined();
    expect(drawPicture([])).toBeUndefined();
    for (let count = 1; count < 40; count++) expect((drawPicture(many(count)) ?? "").length).toBeLessThan(2_000);
    const text = comment([
      preview(...Array.from({ length: 100 }, (_, index) => step(`e${index}`, undefined, open(index + 1)))),
    ]);
    expect(text).toContain("| `a.example:100` | nobody | **anyone** |");
    expect(text).not.toContain("mermaid");
  });
});

describe("the command", () => {
  async function run(...args: string[]) {
    const printed = { out: "", err: "" };
    const code = await main(args, {
      out: (text) => {
        printed.out += text;
      },
      err: (text) => {
        printed.err += text;
      },
    });
    return { code, ...printed };
  }
  test("prints the comment of its files", async () => {
    const file = write("change.json", JSON.stringify(opening));
    const messages = write("policy.txt", "rejected by a policy\n");
    const list = write("open.txt", "a.example:1 # for everybody\n");
    const { code, out } = await run("--markdown", file, "--messages", messages, "--accept", list);
    expect(code).toBe(0);
    for (const part of ["rejected by a policy", ` (accepted in ${list}) |`]) expect(out).toContain(part);
  });

  test("a file that is no preview is part of the comment", async () => {
    const files = ["", "{}", "error: no stack"].map((content, index) => write(`empty${index}.json`, content));
    for (const file of [...files, "missing.json"]) {
      const { code, out } = await run("--markdown", file, "--stack", "edges/dev");
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("exposure: edges/dev -->\n\n### ❓") });
    }
  });

  test("a mistake in the list is part of the comment", async () => {
    const file = write("change.json", JSON.stringify(opening));
    const list = write("open.txt", "a.example\n");
    const { code, out } = await run("--markdown", file, "--accept", list);
    expect(code).toBe(0);
    expect(out).toContain(`**Errors**\n\n\`\`\`text\n${list}, line 1: "a.example" must be "<host>:<port>"`);
    expect(out).not.toContain("accepted in");
  });

  test("wrong arguments are rejected", async () => {
    const file = write("change.json", JSON.stringify(opening));
    for (const [args, err] of [
      [["--markdown"], "Name at least one file; see --help.\n"],
      [["--markdown", "--fail", file], "--markdown goes with neither --fail nor --json; see --help.\n"],
      [["--markdown", "--json", file], "--markdown goes with neither --fail nor --json; see --help.\n"],
      [["--messages", file, file], "--messages and --stack need --markdown; see --help.\n"],
      [["--markdown", "--messages", "missing.txt", file], "Cannot read missing.txt: there is no such file.\n"],
    ] as const)
      expect(await run(...args)).toEqual({ code: 2, out: "", err });
  });
});
