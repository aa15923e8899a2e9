/** Phrases and sentences that readers stumble over, or that use a word of Pulumi's in another sense, do not come back. */
import { filesIn, findInPages, pages, read } from "./pages";
import { findHardSentences } from "./sentences";

interface Phrase {
  pattern: RegExp;
  use: string;
  /** Sentences that have the phrase. */
  wrong: string[];
  /** Sentences that only look like it. */
  right?: string[];
}

const phrases: Phrase[] = [
  {
    pattern: /\b(an|the|this|that|same|next|last|one|each|every|no|unchanged) `?up\b(?!-| to\b)/i,
    use: "`pulumi up`, or deployment",
    wrong: ["an up of its own", "Remove it in the next up.", "in the same `up`", "an unchanged `up` asks nothing"],
    right: ["the next update", "the next `pulumi up`", "set up", "sign up", "one up to three", "an up-to-date list"],
  },
  {
    pattern: /\ba text\b(?! (file|editor))|\btexts\b/i,
    use: "string",
    wrong: ["must be a text", "It holds for texts and lists."],
    right: ["a text file", "the context", "as text, never as HTML", "const texture = 1"],
  },
  {
    pattern:
      /\b(un)?stated\b|\b(program|file|it|that|which|what|null) states\b|(?<!(the|its|a|this|that) )\bstate (it|them)\b/i,
    use: "declare; state is Pulumi's state",
    wrong: ["what is stated", "an unstated field", "What the program states is enforced.", "is required: state it."],
    right: ["the state it has", "in the state", "The states of released versions", "`pulumi state delete`"],
  },
  {
    pattern: /\btold\b/i,
    use: "returned, reported, or said in the active voice",
    wrong: ["Its token is told at creation."],
    right: ["toldYou"],
  },
  { pattern: /\bways? out\b/i, use: "fix", wrong: ["the way out", "two ways out"], right: ["always output"] },
  { pattern: /\bfilters want\b/i, use: "optionally filtered", wrong: ["those that the filters want"] },
  {
    pattern: /\b(take|takes|taking|taken|took) (it |them )?over\b(?! \d| an? )/i,
    use: "import",
    wrong: ["will be taken over as it is", "takes it over", "to take over an"],
    right: ["takes over 10 minutes", "took over a minute", "mistaken overlap"],
  },
  { pattern: /\bembedded service\b/i, use: "emulator", wrong: ["the embedded service"] },
  {
    pattern: /\b(makes?|made|making) nothing twice\b|\bnothing (is|was) made twice\b/i,
    use: "safe to repeat",
    wrong: ["where that makes nothing twice", "Nothing is made twice."],
  },
  {
    pattern: /\bwhatever case\b|\bcase of letters\b/i,
    use: "ignoring case",
    wrong: ["in whatever case of letters"],
    right: ["in whatever order", "in case of failure"],
  },
  {
    pattern: /\bdisplay calls (it|that|this|them)\b/i,
    use: "Pulumi displays this as",
    wrong: ['the display calls that "create"'],
  },
];

const files = [
  ...pages(),
  ...filesIn("src", ".ts"),
  ...[".ts", ".js", ".yaml", ".yml"].flatMap((ending) => filesIn("examples", ending)),
];

/** A file without what begins the lines of comments and quotes, and what joins strings. */
const toProse = (text: string) =>
  text.replace(/["'`] \+(\s+)["'`]/g, "$1").replace(/^[^\S\n]*(\*(?!\/)|\/\/|#|>)?[^\S\n]*/gm, "");

/** What is wrong with a text: each phrase, also across lines, with its line and the words around it. */
const findPhrases = (text: string): string[] => {
  const prose = toProse(text);
  return phrases.flatMap(({ pattern, use }) =>
    [...prose.matchAll(new RegExp(pattern.source.replaceAll(" ", "\\s+"), "gi"))].map(({ index }) => {
      const line = prose.slice(0, index).split("\n").length;
      const words = prose.slice(Math.max(0, index - 30), index + 40).replace(/\s+/g, " ");
      return `line ${line}, "${words}": use ${use}`;
    }),
  );
};

test("no page, source or example has a phrase to avoid", () => {
  expect(files.map((file) => file.split("/")[0])).toEqual(
    expect.arrayContaining(["README.md", "docs", "src", "examples"]),
  );
  expect(findInPages((file) => findPhrases(read(file)), files)).toEqual([]);
});

test("no page, comment or message has a sentence that must be read twice", () => {
  expect(findInPages((file) => findHardSentences(file, read(file)), files)).toEqual([]);
});

test('a long sentence, and a clause with "what" as the subject, are found', () => {
  const long = `${"A very long sentence, ".repeat(8)}which ends.`;
  const page = `# What is left is kept\n\n- What is left is kept. What is left?\n  \`What is left\`: it is kept.\n\n| ${long} |\n`;
  const found = [
    'line 3, "what" as a subject: name the person or thing: What is left is kept.',
    `line 6, 34 words: use at most 30: ${long}`,
  ];
  expect(findHardSentences("page.md", page)).toEqual(found);
  expect(
    findHardSentences(
      "a.ts",
      `\n\n// What is left is\n// kept.\n\nconst text = "A very long sentence, " + \`\${text} ${long.slice(21)}\`;\n`,
    ),
  ).toHaveLength(2);
});

describe("each phrase is found, and nothing that only looks like it", () => {
  test.each(phrases)("$pattern", ({ pattern, wrong, right = [] }) => {
    expect(wrong.filter((sentence) => !pattern.test(sentence))).toEqual([]);
    expect(right.filter((sentence) => pattern.test(sentence))).toEqual([]);
  });

  test("across the lines of a comment, a string and a quote", () => {
    expect(findPhrases("/**\n * Remove it in the next\n * up.\n */")).toEqual([
      expect.stringMatching(/^line 2, ".*Remove it in the next up\. .*": use `pulumi up`/),
    ]);
    expect(findPhrases('"Remove it in the " +\n  "next up."')).toHaveLength(1);
    expect(findPhrases("> This is the way\n> out.")).toHaveLength(1);
  });
});
