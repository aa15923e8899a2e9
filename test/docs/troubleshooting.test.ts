/** The messages on the page on troubleshooting are those of the source: a user finds the entry by searching for one. */
import ts from "typescript";
import { filesIn, read } from "./pages";

const [messages = ""] = read("docs/troubleshooting.md").split("\n## Log requests and plans\n");
const [ours = "", pulumis = ""] = messages.split("\n## From Pulumi and Node\n");

/** The parts of messages that a page quotes: in headings, in lines that begin with "Also", and after "says". */
const quotedIn = (page: string): string[] =>
  [...page.matchAll(/^(?:### |Also ).*$|\bsays `[^`]+`/gm)].flatMap(([text]) =>
    [...text.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted!),
  );

/** What stands for a value in a message, on the page and in the texts of the source. */
const value = "…";

/** The text of a string in the source, also of one that is joined from several. */
function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return (
      node.head.text + node.templateSpans.map(({ expression, literal }) => textOf(expression) + literal.text).join("")
    );
  }
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
    ? textOf(node.left) + textOf(node.right)
    : value;
}

/** All strings of the source, without its comments. */
function stringsIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const text = textOf(node);
    if (text !== value) found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022));
  return found;
}

const strings = filesIn("src", ".ts").flatMap(stringsIn);
const occurs = (fragment: string) => strings.some((text) => text.includes(fragment));

test("every message of the provider is in the source", () => {
  const quoted = quotedIn(ours);
  expect(quoted.length).toBeGreaterThan(20);
  expect(quoted.filter((fragment) => !occurs(fragment))).toEqual([]);
});

test("the messages of Pulumi and Node are not the provider's own", () => {
  const quoted = quotedIn(pulumis);
  expect(quoted.length).toBeGreaterThan(5);
  expect(quoted.filter(occurs)).toEqual([]);
});

test("a message that is not in the source is found", () => {
  const page = "### `is no message`\n\nAlso `nor is this`.\n\nA warning says `or this`. `pulumi up` says nothing.\n";
  expect(quotedIn(page)).toEqual(["is no message", "nor is this", "or this"]);
  expect(occurs("is no message")).toBe(false);
});

test("every entry has its cause and its fix", () => {
  const entries = messages.split(/^### /m).slice(1);
  const incomplete = entries.filter((entry) => !/\bCause\b/.test(entry) || !/\bFix\b/.test(entry));
  expect(incomplete.map((entry) => entry.split("\n")[0])).toEqual([]);
});
