// Draws docs/preview.svg: the first program of README.md, and what `pulumi preview --diff` prints for it.
//   node scripts/picture.mjs            runs the preview on the real CLI and draws what it prints
//   node scripts/picture.mjs --check    writes nothing, and fails when the picture is another
import fs from "node:fs";
import path from "node:path";
import { Failure, isMain, main, read, root, run, say, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const picture = path.join(root, "docs/preview.svg");
const command = "pulumi preview --diff";

/** What the CLI prints, colours included, for a program that has not run before. */
async function preview(program) {
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

/** The sixteen colours of a dark terminal; the other 240 follow from their numbers. */
const named =
  "#30363d #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 #6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #f0f6fc".split(
    " ",
  );

function colourOf(number) {
  if (number < 16) return named[number];
  const hex = (level) => level.toString(16).padStart(2, "0");
  if (number >= 232) return `#${hex(8 + (number - 232) * 10).repeat(3)}`;
  const level = (step) => hex(step ? 55 + step * 40 : 0);
  const cube = number - 16;
  return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`;
}

/** A style after the numbers of an escape sequence. */
function restyled(style, numbers) {
  const now = { ...style };
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at];
    if (number === 0) for (const key of Object.keys(now)) delete now[key];
    else if (number === 1) now.bold = true;
    else if (number === 22) now.bold = false;
    else if (number === 4) now.underlined = true;
    else if (number === 24) now.underlined = false;
    else if (number === 39) delete now.colour;
    else if (number === 38 && numbers[at + 1] === 5) {
      now.colour = colourOf(numbers[at + 2]);
      at += 2;
    } else if (number >= 30 && number <= 37) now.colour = colourOf(number - 30);
    else if (number >= 90 && number <= 97) now.colour = colourOf(number - 82);
  }
  return now;
}

/** A text with escape sequences, as lines of pieces of one style each. */
function piecesOf(text) {
  let style = {};
  return text.split("\n").map((line) =>
    line.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
      const numbers = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
      if (numbers === undefined) return part ? [{ text: part, ...style }] : [];
      style = restyled(style, numbers.split(";").map(Number));
      return [];
    }),
  );
}

const size = { font: 14, width: 8.43, height: 20, margin: 20, bar: 36 };
const escaped = (text) => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** The picture of a terminal that shows this text. Every piece stands in its column, whatever the reader's font. */
function draw(text) {
  const lines = piecesOf(text);
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
      const traits = [
        colour && ` fill="${colour}"`,
        bold && ' font-weight="bold"',
        underlined && ' text-decoration="underline"',
      ];
      const length = (text.length * size.width).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}"${traits.filter(Boolean).join("")}>${escaped(text)}</text>\n`;
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
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read(path.join(root, "README.md"))) ?? [];
    if (!program) throw new Failure("README.md has no program to draw the preview of.");
    const drawn = draw(`\x1b[1m$ ${command}\x1b[0m\n${(await preview(program)).trim()}`);
    const same = read(picture) === drawn;
    if (!same && check === "--check") throw new Failure("docs/preview.svg is not up to date. Run `npm run picture`.");
    fs.writeFileSync(picture, drawn);
    say(`docs/preview.svg is ${same ? "up to date" : "drawn"}.`);
  });
}
