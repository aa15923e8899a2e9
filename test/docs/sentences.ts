/** The sentences of pages, comments and messages, and those that a reader has to read twice. */
import ts from "typescript";

/** A paragraph, list item, table cell, comment or message, with the line on which it begins. */
interface Block {
  line: number;
  text: string;
}

const maxWords = 30;

/** The one rule, as every page has it. */
const allowed = [
  "What your program declares is enforced.",
  "What it does not declare is left alone.",
  "What it stops declaring is removed.",
];

/** The sentences of a page or source that are too long, or have a clause with "what" as their subject. */
export const findHardSentences = (file: string, text: string): string[] =>
  (file.endsWith(".md") ? blocksOfPage(text) : blocksOfSource(text)).flatMap(({ line, text: block }) =>
    sentencesOf(block).flatMap((sentence) => {
      const words = countWords(sentence);
      if (words > maxWords) return `line ${line}, ${words} words: use at most ${maxWords}: ${sentence}`;
      return hasWhatAsSubject(sentence)
        ? `line ${line}, "what" as a subject: name the person or thing: ${sentence}`
        : [];
    }),
  );

const removeText = (text: string) => text.replace(/[^\n]/g, "");

/** The paragraphs, list items and table cells of Markdown, without headings and code. */
function blocksOfPage(page: string): Block[] {
  const prose = page
    .replace(/^---\n[\s\S]*?\n---\n/, removeText)
    .replace(/^[ >]*(`{3,})[\s\S]*?^[ >]*\1 *$/gm, removeText)
    .replace(/<!--[\s\S]*?-->|\{\{.*?\}\}/g, removeText);
  const blocks: Block[] = [];
  let current: Block | undefined;
  for (const [index, content] of prose.split("\n").entries()) {
    const line = index + 1;
    const text = content.replace(/^[\s>]+/, "");
    const item = /^([-*]|\d+\.) +/.exec(text)?.[0];
    if (text === "" || /^(#|\[!|\|)/.test(text)) {
      current = undefined;
      if (text.startsWith("|")) blocks.push(...text.split(/(?<!\\)\|/).map((cell) => ({ line, text: cell.trim() })));
    } else if (current && !item) {
      current.text += ` ${text}`;
    } else {
      current = { line, text: text.slice(item?.length ?? 0) };
      blocks.push(current);
    }
  }
  return blocks;
}

/** The comments and strings of a source. */
function blocksOfSource(source: string): Block[] {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const blocks: Block[] = [];
  let comments = source;
  const visit = (node: ts.Node, isPart: boolean) => {
    const [start, end] = [node.getStart(), node.end];
    const isText = isString(node);
    if (isText && !isPart) {
      const lines = textOf(node).split("\n");
      blocks.push(...lines.map((text) => ({ line: lineAt(start), text })));
    }
    // A literal may contain what begins a comment elsewhere.
    if (ts.isLiteralExpression(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      comments = comments.slice(0, start) + source.slice(start, end).replace(/[/*]/g, " ") + comments.slice(end);
    }
    ts.forEachChild(node, (child) => visit(child, isText && isString(child)));
  };
  visit(file, false);
  for (const { 0: comment, index } of comments.matchAll(/\/\*[\s\S]*?\*\/|(^ *\/\/.*\n)+|\/\/.*/gm)) {
    const text = comment
      .replace(/^\/\*\*?|\*\/$/g, "")
      .replace(/^ *(\*|\/\/) ?/gm, "")
      .replace(/^@(param \S+|\w+)/gm, "\n");
    blocks.push(...blocksOfPage(text).map((block) => ({ ...block, line: lineAt(index) + block.line - 1 })));
  }
  return blocks;
}

const isSum = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;

/** Whether a node is a string, or strings that `+` joins. */
const isString = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || (isSum(node) && isString(node.right));

/** The string of a node, in which each inserted value is one word. */
function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (isSum(node)) return textOf(node.left) + textOf(node.right);
  if (!ts.isTemplateExpression(node)) return "x";
  return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join("");
}

/** Sentences without the targets of links, in which code is one word. */
const sentencesOf = (block: string): string[] =>
  block
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/\*\*/g, "")
    .replace(/`[^`]*`|\{@\w+ [^}]*\}/g, "x")
    .split(/(?<=[.!?][)"]?)\s+(?=["(A-Zx])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[.,:;?]/.test(sentence));

const countWords = (sentence: string) => sentence.split(/\s+/).filter((word) => /[a-z0-9]/i.test(word)).length;

const auxiliary = "may|might|must|can|cannot|could|would|will|should";
const verb = new RegExp(`^(${auxiliary}|is|are|was|were|has|have|had|does|stays|keeps|goes|comes|belongs|declares)$`);

/** Whether the first clause begins with "what" and is followed by a verb of its own, as in "What is left is removed." */
function hasWhatAsSubject(sentence: string): boolean {
  if (!/^((and|but|so|only) )?what /i.test(sentence) || sentence.endsWith("?") || allowed.includes(sentence))
    return false;
  const words = sentence
    .replace(/^.*?what /i, "")
    .replace(/([,:;(]| (what|that|which|who|whom|whose|whether|if|when|before|after|as|because|until|where|in) ).*/, "")
    .replace(new RegExp(`\\b(${auxiliary}) (not )?(be|have)\\b|\\b(has|have|had) (not )?(been|had)\\b`, "g"), "has")
    .replace(/\bto (be|have)\b|\.$/g, "")
    .split(" ");
  const verbs = words.flatMap((word, index) => (verb.test(word) ? index : []));
  return verbs.length > 1 || (/[a-z]s$/.test(words[0]!) && !verb.test(words[0]!) && verbs.some((index) => index > 1));
}
