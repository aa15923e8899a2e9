// Draws docs/preview.svg: the output of `pulumi preview --diff` for the first program of README.md.
//   node scripts/picture.mjs            runs the preview and draws its output
//   node scripts/picture.mjs --check    writes nothing, and fails if the picture is not up to date
import fs from "node:fs";
import path from "node:path";
import { Failure, isMain, log, main, readIfExists, root, run, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const picture = path.join(root, "docs/preview.svg");
const command = "pulumi preview --diff";

/** Returns the CLI's output, with colours, for a new stack. */
async function runPreview(program) {
  const directories = await setup();
  fs.mkdirSync(work, { recursive: true });
  const folder = fs.mkdtempSync(path.join(work, "picture-"));
  const { startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const service = await startEmulator();
  try {
    fs.writeFileSync(path.join(folder, "Pulumi.yaml"), "name: office\nruntime: nodejs\nmain: index.ts\n");
    fs.writeFileSync(path.join(folder, "package.json"), '{ "private": true }');
    fs.writeFileSync(path.join(folder, "index.ts"), program);
    const options = {
      cwd: folder,
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|TUNNEL_EDGE)_/.test(name))),
        PATH: [...directories, process.env.PATH].join(path.delimiter),
        PULUMI_HOME: path.join(folder, "home"),
        PULUMI_BACKEND_URL: `file://${folder}`,
        PULUMI_CONFIG_PASSPHRASE: "picture",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        TUNNEL_EDGE_BASE_URL: service.url,
        TUNNEL_EDGE_API_KEY: service.apiKey,
      },
    };
    await run("pulumi", ["stack", "init", "dev", "--non-interactive"], options);
    const args = [...command.split(" ").slice(1), "--stack=dev", "--non-interactive", "--suppress-progress"];
    return (await run("pulumi", [...args, "--color=always"], options)).stdout;
  } finally {
    await service.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The sixteen colours of a dark terminal; the other 240 are computed. */
const baseColours =
  "#30363d #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 #6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #f0f6fc".split(
    " ",
  );

function toColour(number) {
  if (number < 16) return baseColours[number];
  const hex = (level) => level.toString(16).padStart(2, "0");
  if (number >= 232) return `#${hex(8 + (number - 232) * 10).repeat(3)}`;
  const level = (step) => hex(step ? 55 + step * 40 : 0);
  const cube = number - 16;
  return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`;
}

/** Applies the numbers of an escape sequence to a style. */
function updateStyle(style, numbers) {
  const next = { ...style };
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index];
    if (number === 0) for (const key of Object.keys(next)) delete next[key];
    else if (number === 1) next.bold = true;
    else if (number === 22) next.bold = false;
    else if (number === 4) next.underlined = true;
    else if (number === 24) next.underlined = false;
    else if (number === 39) delete next.colour;
    else if (number === 38 && numbers[index + 1] === 5) {
      next.colour = toColour(numbers[index + 2]);
      index += 2;
    } else if (number >= 30 && number <= 37) next.colour = toColour(number - 30);
    else if (number >= 90 && number <= 97) next.colour = toColour(number - 82);
  }
  return next;
}

/** Splits output with escape sequences into lines, and lines into pieces of one style. */
function parsePieces(text) {
  let style = {};
  return text.split("\n").map((line) =>
    line.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
      const numbers = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
      if (numbers === undefined) return part ? [{ text: part, ...style }] : [];
      style = updateStyle(style, numbers.split(";").map(Number));
      return [];
    }),
  );
}

const size = { font: 14, width: 8.43, height: 20, margin: 20, bar: 36 };
const escapeXml = (text) => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Draws a terminal with this text. Every piece has a fixed position, so that columns align in any font. */
function draw(text) {
  const lines = parsePieces(text);
  const columns = Math.max(...lines.map((pieces) => pieces.reduce((sum, piece) => sum + piece.text.length, 0)));
  const width = Math.ceil(columns * size.width + 2 * size.margin);
  const height = lines.length * size.height + size.bar + size.margin;
  const drawn = lines.flatMap((pieces, row) => {
    let column = 0;
    const y = size.bar + row * size.height + size.font;
    return pieces.map(({ text: whole, colour, bold, underlined }) => {
      const text = whole.trim();
      const x = (size.margin + (column + whole.indexOf(text)) * size.width).toFixed(1);
      column += whole.length;
      if (text === "") return "";
      const attributes = [
        colour && ` fill="${colour}"`,
        bold && ' font-weight="bold"',
        underlined && ' text-decoration="underline"',
      ];
      const length = (text.length * size.width).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}"${attributes.filter(Boolean).join("")}>${escapeXml(text)}</text>\n`;
    });
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, i) => `<circle cx="${20 + i * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A terminal that shows what ${command} prints</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${dots.join("")}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${size.font}" fill="#e6edf3">
${drawn.join("")}</g>
</svg>
`;
}

if (isMain(import.meta.url)) {
  await main(async ([check]) => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(readIfExists(path.join(root, "README.md"))) ?? [];
    if (!program) throw new Failure("README.md has no program.");
    const drawn = draw(`\x1b[1m$ ${command}\x1b[0m\n${(await runPreview(program)).trim()}`);
    const isUpToDate = readIfExists(picture) === drawn;
    if (!isUpToDate && check === "--check")
      throw new Failure("docs/preview.svg is not up to date. Run `npm run picture`.");
    fs.writeFileSync(picture, drawn);
    log(`docs/preview.svg is ${isUpToDate ? "up to date" : "drawn"}.`);
  });
}
