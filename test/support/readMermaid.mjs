/** Prints, as JSON, what Mermaid reads in each flowchart of a list on stdin: the labels of its nodes, and its links. */
import { text } from "node:stream/consumers";
import DOMPurify from "dompurify";
import { marked } from "marked";
import mermaid from "mermaid";

// It needs a browser only to sanitize labels, which are returned as they are here.
Object.assign(DOMPurify, { sanitize: (label) => label, addHook: () => {} });

mermaid.initialize({});

// Mermaid keeps entities in a form of its own until it draws.
const decode = (label) => label.replace(/(?:ﬂ°°|#)(\d+)(?:¶ß|;)/g, (_, code) => String.fromCodePoint(code));

/** What Mermaid's Markdown makes of each line: anything but plain words is drawn otherwise, or not at all. */
const kindsOf = (label) =>
  label
    .split("<br/>")
    .flatMap((line) =>
      marked.lexer(line).flatMap(({ type, tokens = [] }) => [type, ...tokens.map((each) => each.type)]),
    );

const read = [];
for (const picture of JSON.parse(await text(process.stdin))) {
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(picture);
  read.push({
    nodes: [...db.getVertices().values()].map(({ id, text: label, classes }) => ({
      id,
      label: decode(label),
      kinds: [...new Set(kindsOf(label))],
      classes,
    })),
    links: db.getEdges().map(({ start, end, text: label }) => ({ start, end, label })),
  });
}
process.stdout.write(JSON.stringify(read));
