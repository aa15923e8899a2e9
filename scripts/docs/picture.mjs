// Draws the pictures in docs, and writes the comment in a page, from what the real CLI prints on the emulator:
//   docs/preview.svg    the preview of the first program of README.md
//   docs/drift.svg      how drift is shown and repaired, with the first program of docs/rule.md
//   docs/exposure.md    the comment on a pull request that changes examples/gitops, which GitHub draws itself
//
//   node scripts/docs/picture.mjs            runs the commands and draws their output; takes the screenshots in docs, too
//   node scripts/docs/picture.mjs --check    writes nothing, and fails if a picture is not up to date
import fs from "node:fs";
import path from "node:path";
import { setup } from "../dev/setup.mjs";
import { createEnvironment } from "../lib/environment.js";
import { Failure, isMain, log, main, readIfExists, root, run, runInTerminal, work } from "../lib/index.mjs";

/**
 * Runs a task with a new stack in a folder that `fill` fills: `pulumi` returns a command's output, with colours unless it
 * is JSON.
 */
async function withStack(stack, fill, task) {
  const directories = await setup();
  fs.mkdirSync(work, { recursive: true });
  const folder = fs.mkdtempSync(path.join(work, "picture-"));
  const { startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const emulator = await startEmulator();
  try {
    fill(folder);
    const options = {
      cwd: folder,
      env: {
        ...createEnvironment({
          home: path.join(folder, "home"),
          state: folder,
          stack,
          searchPath: [...directories, process.env.PATH],
          service: emulator,
        }),
        PULUMI_NODEJS_TRANSPILE_ONLY: "true", // a test checks the types of all programs in the pages
      },
    };
    await run("pulumi", ["stack", "init", stack, "--non-interactive"], options);
    return await task({
      emulator,
      folder,
      async pulumi(command) {
        const args = [...command.split(" ").slice(1), "--non-interactive", "--suppress-progress"];
        return (await run("pulumi", [...args, "--color=always"], options)).stdout.trim();
      },
    });
  } finally {
    await emulator.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the first program of a page. */
function readProgram(page) {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(readIfExists(path.join(root, page))) ?? [];
  if (!program) throw new Failure(`${page} has no program.`);
  const imports = 'import * as tunnel from "pulumi-tunnel-edge";\n';
  return program.includes(imports) ? program : imports + program;
}

const screenshots = ["test/emulator/dashboard.full.test.ts", "test/commands/inventory/html.full.test.ts"];

const preview = "pulumi preview --diff";
const previewDrift = "pulumi preview --refresh --diff";
const repairDrift = "pulumi up --refresh --yes";

const formatCommand = (command, output) => `\x1b[1m$ ${command}\x1b[0m\n${output}`;

/** Hides the end of an id, which is another one each time. */
const hideIds = (output) => output.replace(/\b(edgtcp_)\w+/g, "$12QSD…");

/** Keeps the summary of an update, without its duration. */
function keepSummary(output) {
  const lines = output.split("\n");
  const start = lines.findLastIndex((line) => line.includes("Resources:"));
  const end = lines.findLastIndex((line) => line.includes("Duration:"));
  return ["…", ...lines.slice(start, end)].join("\n").trim();
}

/** Returns what the terminals show, by the names of the pictures. */
function recordTerminals() {
  const fill = (folder) => {
    fs.writeFileSync(path.join(folder, "Pulumi.yaml"), "name: office\nruntime: nodejs\nmain: index.ts\n");
    fs.writeFileSync(path.join(folder, "package.json"), '{ "private": true }');
  };
  return withStack("dev", fill, async ({ emulator, folder, pulumi }) => {
    const setProgram = (program) => fs.writeFileSync(path.join(folder, "index.ts"), program);
    setProgram(readProgram("README.md"));
    const previewed = formatCommand(preview, await pulumi(preview));

    setProgram(readProgram("docs/rule.md"));
    await pulumi("pulumi up --yes --skip-preview");
    const [{ id, ip_restriction }] = emulator.account.tcpEdges;
    const ip_policy_ids = ip_restriction.ip_policies.map((policy) => policy.id);
    emulator.api("PATCH", `/edges/tcp/${id}`, { ip_restriction: { enabled: false, ip_policy_ids } });
    const drift = formatCommand(previewDrift, hideIds(await pulumi(previewDrift)));
    const repair = formatCommand(repairDrift, keepSummary(await pulumi(repairDrift)));
    const [edge] = emulator.account.tcpEdges;
    if (!edge.ip_restriction.enabled) throw new Failure(`\`${repairDrift}\` did not repair the drift.`);
    return {
      "docs/preview.svg": draw({ commands: preview, text: previewed }),
      "docs/drift.svg": draw({ commands: `${previewDrift} and ${repairDrift}`, text: `${drift}\n\n${repair}` }),
    };
  });
}

/** What the pull request changes in the files of examples/gitops: what it replaces, and by what. */
const pullRequest = {
  "edges/ssh.yaml": ["ipRestriction:\n  ipPolicyIds: [ipp_office]\n", ""],
  "edges/db.yaml": ["[ipp_warehouse, ipp_office]", "[ipp_suppliers]"],
  "edges/api.yaml": ["  - api.tunnel.example:443\n", "  - api.tunnel.example:443\n  - partners.tunnel.example:443\n"],
};
const previewChange = "pulumi preview --json --show-sames --show-replacement-steps";

/** The page with the comment in its place, without the hidden line that names the stack. */
function quoteComment(comment) {
  // The engine's order of the changes is another one each time.
  const shown = comment.replace(/^<!--.*-->\n/, "").replace(/(<\/summary>)[\s\S]*(<\/details>)/, "$1 … $2");
  const lines = shown.trim().split("\n");
  const quote = lines.map((line) => `> ${line}`.trimEnd()).join("\n");
  const page = fs.readFileSync(path.join(root, "docs/exposure.md"), "utf8");
  return page.replace(
    /(<!-- comment -->\n)[\s\S]*(<!-- \/comment -->)/,
    (_, begin, end) => `${begin}\n${quote}\n\n${end}`,
  );
}

/** Returns the comment on the pull request, made as the example's workflow makes it. */
function recordComment() {
  const example = path.join(root, "examples/gitops");
  const parts = ["Pulumi.yaml", "package.json", "index.ts", "files.ts", "edges"];
  const fill = (folder) => {
    for (const part of parts) fs.cpSync(path.join(example, part), path.join(folder, part), { recursive: true });
  };
  return withStack("production", fill, async ({ folder, pulumi }) => {
    await pulumi("pulumi up --yes --skip-preview");
    for (const [file, [find, replace]] of Object.entries(pullRequest)) {
      const [before, after, ...more] = fs.readFileSync(path.join(folder, file), "utf8").split(find);
      if (after === undefined || more.length > 0) throw new Failure(`${file} does not have ${find} once.`);
      fs.writeFileSync(path.join(folder, file), before + replace + after);
    }
    const files = ["change.json", "merge.json"].map((file) => path.join(folder, file));
    fs.writeFileSync(files[0], await pulumi(previewChange));
    fs.writeFileSync(files[1], await pulumi(`${previewChange} --refresh --run-program`));
    const args = [path.join(root, "dist/bin.js"), "exposure", "--markdown", ...files];
    const { stdout } = await run(process.execPath, args);
    return { "docs/exposure.md": quoteComment(stdout) };
  });
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
function draw({ commands, text }) {
  const lines = parsePieces(text);
  const columns = Math.max(...lines.map((pieces) => pieces.reduce((sum, piece) => sum + piece.text.length, 0)));
  const width = Math.ceil(columns * size.width + 2 * size.margin);
  const height = lines.length * size.height + size.bar + size.margin;
  const drawn = lines.flatMap((pieces, row) => {
    let column = 0;
    const y = size.bar + row * size.height + size.font;
    return pieces.map(({ text: whole, colour, bold, underlined }) => {
      const attributes = [
        colour && ` fill="${colour}"`,
        bold && ' font-weight="bold"',
        underlined && ' text-decoration="underline"',
      ];
      // Browsers show several spaces as one, so what follows them has a position of its own.
      const words = [...whole.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => {
        const x = (size.margin + (column + index) * size.width).toFixed(1);
        const length = (text.length * size.width).toFixed(1);
        return `<text x="${x}" y="${y}" textLength="${length}"${attributes.filter(Boolean).join("")}>${escapeXml(text)}</text>\n`;
      });
      column += whole.length;
      return words.join("");
    });
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, i) => `<circle cx="${20 + i * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A terminal with the output of ${commands}</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${dots.join("")}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${size.font}" fill="#e6edf3">
${drawn.join("")}</g>
</svg>
`;
}

if (isMain(import.meta.url)) {
  await main(async ([check]) => {
    const drawn = { ...(await recordTerminals()), ...(await recordComment()) };
    const changed = Object.entries(drawn).filter(([file, picture]) => readIfExists(path.join(root, file)) !== picture);
    const names = changed.map(([file]) => file).join(", ");
    if (check === "--check") {
      if (changed.length > 0) throw new Failure(`Not up to date: ${names}. Run \`node scripts/docs/picture.mjs\`.`);
      return;
    }
    for (const [file, picture] of changed) fs.writeFileSync(path.join(root, file), picture);
    log(changed.length > 0 ? `Drawn: ${names}.` : "All pictures are up to date.");
    // The tests that compare screenshots make them.
    const jest = path.join(root, "node_modules/jest/bin/jest.js");
    return runInTerminal(process.execPath, [jest, ...screenshots, "-u"], { cwd: root });
  });
}
