// Draws the comment of a pull request as GitHub shows it: the Markdown that `report` prints, with its flowchart.

const page = { width: 880, margin: 24, font: 14, line: 21, bar: 40 };
const inner = page.width - 2 * page.margin;
const sans = 'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif"';
const mono = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"';

const escapeXml = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);

/** About how wide a string is. It is drawn exactly as wide, so that columns align in any font. */
function measure(text, { size = page.font, bold, code } = {}) {
  const widths = [...text].map((char) => {
    if (code) return 0.6;
    if (/\p{Extended_Pictographic}/u.test(char)) return 1.3;
    if (char === "\ufe0f") return 0;
    if (/[Iijl.,:;'|!]/.test(char)) return 0.26;
    if (/[ftr()[\]{}\-/" ]/.test(char)) return 0.34;
    if (/[mwMW]/.test(char)) return 0.84;
    return /[A-Z]/.test(char) ? 0.7 : 0.55;
  });
  return widths.reduce((sum, width) => sum + width, 0) * size * (bold ? 1.06 : 1);
}

function drawText(text, x, y, style = {}) {
  const { size = page.font, bold, code, fill, anchor } = style;
  const attributes = [
    `x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${measure(text, style).toFixed(1)}"`,
    size !== page.font && `font-size="${size}"`,
    bold && 'font-weight="600"',
    code && mono,
    fill && `fill="${fill}"`,
    anchor && `text-anchor="${anchor}"`,
  ];
  return `<text ${attributes.filter(Boolean).join(" ")}>${escapeXml(text)}</text>\n`;
}

const drawBox = (x, y, width, height, fill, stroke, radius = 6) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="${radius}" fill="${fill}"${stroke ? ` stroke="${stroke}"` : ""}/>\n`;

const decode = (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));

/** A line of Markdown as words, each with its style. */
const parseInline = (text, style = {}) =>
  text.split(/(\*\*.+?\*\*|`[^`]+`)/).flatMap((part) => {
    if (part.startsWith("**")) return parseInline(part.slice(2, -2), { ...style, bold: true });
    if (part.startsWith("`")) return [{ text: part.slice(1, -1), ...style, size: 12, code: true }];
    return [...part.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
      text: decode(word),
      ...style,
      isJoined: index === 0,
    }));
  });

/** Draws words from the left, in as many lines as they need. Returns the height, too. */
function drawWords(words, left, top, width, line = page.line) {
  let [x, y, drawn] = [left, top + line - 6, ""];
  words.forEach(({ isJoined, ...word }, index) => {
    const space = x === left || (isJoined && index > 0 && words[index - 1].code) ? 0 : measure(" ");
    const pad = word.code ? 4 : 0;
    const needed = measure(word.text, word) + 2 * pad;
    if (x > left && x + space + needed > left + width) [x, y] = [left, y + line];
    else x += space;
    if (word.code) drawn += drawBox(x, y - 13, needed, 18, "#eff1f3");
    drawn += drawText(word.text, x + pad, y, word);
    x += needed;
  });
  return { drawn, height: y + 6 - top };
}

const widthOf = (words) =>
  words.reduce((sum, word) => sum + measure(word.text, word) + (word.code ? 8 : 0) + measure(" "), 0);

function drawTable(lines, top) {
  const rows = lines
    .filter((_, index) => index !== 1)
    .map((line, index) => {
      const cells = line.slice(2, -2).split(" | ");
      return cells.map((cell) => parseInline(cell, { size: 13, bold: index === 0 }));
    });
  const padding = 10;
  const widest = (measureCell) => rows[0].map((_, column) => Math.max(...rows.map((row) => measureCell(row[column]))));
  const least = widest((words) => Math.max(...words.map((word) => widthOf([word])), 0) + 2 * padding);
  const wanted = widest((words) => widthOf(words) + 2 * padding);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const share = Math.min(1, (inner - sum(least)) / (sum(wanted) - sum(least) || 1));
  const widths = least.map((width, column) => width + (wanted[column] - width) * share);
  let [y, drawn] = [top, ""];
  rows.forEach((row) => {
    let x = page.margin;
    const cells = row.map((words, column) => {
      const cell = drawWords(words, x + padding, y + 5, widths[column] - 2 * padding, 19);
      x += widths[column];
      return cell;
    });
    const height = Math.max(...cells.map((cell) => cell.height)) + 10;
    x = page.margin;
    for (const width of widths) {
      drawn += drawBox(x, y, width, height, "none", "#d1d9e0", 0);
      x += width;
    }
    drawn += cells.map((cell) => cell.drawn).join("");
    y += height;
  });
  return { drawn, height: y - top };
}

/** The nodes of a flowchart, each with its column, its rows and its colours, and the links between them. */
function readFlowchart(lines) {
  const nodes = new Map();
  const links = new Set();
  lines
    .filter((line) => line.includes(" --> "))
    .forEach((line, row) => {
      const ids = line.split(" --> ").map((part, column) => {
        const [, id, label] = /^\s*(\w+)(?:\["(.*)"\])?$/.exec(part);
        const decoded = (label ?? "").replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
        if (!nodes.has(id)) nodes.set(id, { id, column, rows: [], lines: decoded.split("<br/>") });
        nodes.get(id).rows.push(row);
        return id;
      });
      for (const [index, id] of ids.slice(1).entries()) links.add(`${ids[index]} ${id}`);
    });
  const classes = new Map(
    lines.flatMap((line) => {
      const [, name, styles] = /^\s*classDef (\w+) (.*)$/.exec(line) ?? [];
      return name ? [[name, Object.fromEntries(styles.split(",").map((style) => style.split(":")))]] : [];
    }),
  );
  for (const line of lines) {
    const [, ids, name] = /^\s*class (\S+) (\w+)$/.exec(line) ?? [];
    for (const id of ids?.split(",") ?? []) Object.assign(nodes.get(id), { style: classes.get(name) });
  }
  return { nodes: [...nodes.values()], links: [...links].map((link) => link.split(" ")) };
}

/** Mermaid wraps labels at this width, too. */
const maxLabel = 200;

function wrapLabel(line, font) {
  const wrapped = [];
  for (const word of line.split(" ")) {
    const longer = `${wrapped.at(-1)} ${word}`;
    if (wrapped.length > 0 && measure(longer, font) <= maxLabel) wrapped[wrapped.length - 1] = longer;
    else wrapped.push(word);
  }
  return wrapped;
}

function drawFlowchart(source, top) {
  const { nodes, links } = readFlowchart(source);
  const font = { size: 12 };
  for (const node of nodes) node.lines = node.lines.flatMap((line) => wrapLabel(line, font));
  const columns = [...new Set(nodes.map(({ column }) => column))].map((column) =>
    nodes.filter((node) => node.column === column),
  );
  const widths = columns.map(
    (column) => Math.max(...column.flatMap((node) => node.lines.map((line) => measure(line, font)))) + 24,
  );
  const gap = (inner - widths.reduce((sum, width) => sum + width, 0)) / (columns.length - 1);
  const heightOf = (node) => node.lines.length * 16 + 22;
  const rowHeight = Math.max(...nodes.map(heightOf)) + 14;
  const centreOf = ({ rows }) => rows.reduce((sum, row) => sum + row, 0) / rows.length;
  let x = page.margin;
  columns.forEach((column, index) => {
    let next = 0;
    for (const node of [...column].sort((a, b) => centreOf(a) - centreOf(b))) {
      const row = Math.max(next, centreOf(node));
      const height = heightOf(node);
      Object.assign(node, { x, y: top + row * rowHeight + (rowHeight - height) / 2, width: widths[index], height });
      next = row + 1;
    }
    x += widths[index] + gap;
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const drawnLinks = links.map(([from, to]) => {
    const [a, b] = [byId.get(from), byId.get(to)];
    const [x1, y1, x2, y2] = [a.x + a.width, a.y + a.height / 2, b.x - 7, b.y + b.height / 2];
    const middle = (x1 + x2) / 2;
    const path = [x1, y1, middle, y1, middle, y2, x2, y2].map((number) => number.toFixed(1));
    return (
      `<path d="M${path[0]},${path[1]} C${path.slice(2).join(" ")}" fill="none" stroke="#333"/>\n` +
      `<path d="M${x2.toFixed(1)},${(y2 - 4).toFixed(1)} l7,4 l-7,4 z" fill="#333"/>\n`
    );
  });
  const drawnNodes = nodes.map(({ x, y, width, height, lines: texts, style = {} }) => {
    const { fill = "#ececff", stroke = "#9370db", color = "#333" } = style;
    const shown = texts.map((text, index) =>
      drawText(text, x + width / 2, y + 26 + index * 16 - 3, { ...font, fill: color, anchor: "middle" }),
    );
    return drawBox(x, y, width, height, fill, stroke, 2) + shown.join("");
  });
  const bottom = Math.max(...nodes.map(({ y, height }) => y + height));
  return { drawn: drawnLinks.join("") + drawnNodes.join(""), height: bottom - top };
}

/** Splits the report into its blocks, each with how it is drawn. What is collapsed shows its summary only. */
function readBlocks(markdown) {
  const blocks = [];
  const collapsed = /<details><summary>(.*?)<\/summary>[\s\S]*?<\/details>/g;
  for (const block of markdown.replace(collapsed, "▸ $1").trim().split("\n\n")) {
    const lines = block.split("\n");
    if (block.startsWith("<!--")) continue;
    if (block.startsWith("```mermaid")) blocks.push((top) => drawFlowchart(lines.slice(1, -1), top));
    else if (block.startsWith("|")) blocks.push((top) => drawTable(lines, top));
    else {
      const [, heading] = /^### (.*)/.exec(block) ?? [];
      const words = parseInline(heading ?? block, heading ? { size: 18, bold: true } : {});
      blocks.push((top) => drawWords(words, page.margin, top, inner, heading ? 26 : page.line));
    }
  }
  return blocks;
}

/** The picture of a comment. */
export function drawComment(markdown) {
  let [y, drawn] = [page.bar + 16, ""];
  for (const draw of readBlocks(markdown)) {
    const block = draw(y);
    drawn += block.drawn;
    y += block.height + 14;
  }
  const height = Math.ceil(y + 6);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${page.width} ${height}" width="${page.width}" height="${height}" role="img">
<title>The comment on a pull request</title>
<rect x="0.5" y="0.5" width="${page.width - 1}" height="${height - 1}" rx="6" fill="#ffffff" stroke="#d1d9e0"/>
<path d="M0.5,${page.bar} V6.5 a6,6 0 0 1 6,-6 H${page.width - 6.5} a6,6 0 0 1 6,6 V${page.bar} z" fill="#f6f8fa" stroke="#d1d9e0"/>
<g ${sans} font-size="${page.font}" fill="#1f2328">
${drawText("github-actions", page.margin, 26, { bold: true })}${drawText("bot commented", page.margin + measure("github-actions ", { bold: true }), 26, { fill: "#59636e" })}${drawn}</g>
</svg>
`;
}
