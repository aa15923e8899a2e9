// Opens each hole of test/simulator/holes in a copy of the sources, and says after how many scenarios the simulator
// finds it: node scripts/holes.mjs [--runs 2000] [names]
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { main, root, run, work } from "./lib.mjs";
import { withSimulator } from "./simulate.mjs";

const folder = path.join(root, "test/simulator/holes");

await main(async (args) => {
  const { values, positionals } = parseArgs({
    args,
    options: { runs: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
    allowPositionals: true,
  });
  const all = fs.readdirSync(folder).map((file) => path.basename(file, ".patch"));
  for (const name of positionals.length > 0 ? positionals : all) {
    const copy = path.join(work, "hole");
    fs.rmSync(copy, { recursive: true, force: true });
    for (const part of ["src", "test", "package.json"]) {
      fs.cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    }
    await run("patch", ["-p1", "-s", "-i", path.join(folder, `${name}.patch`)], { cwd: copy });
    const options = ["--runs", values.runs, "--seed", values.seed, "--first", "--quiet"];
    const printed = await withSimulator(copy, (node, simulator) =>
      run(node, [...simulator, ...options], { cwd: root }).then(
        ({ stdout }) => stdout,
        (error) => error.message,
      ),
    );
    const [, index, violation] = /First: (\d+): (.*)/.exec(printed) ?? [];
    const found =
      index === undefined ? `not found in ${values.runs}` : `found by scenario ${Number(index) + 1}: ${violation}`;
    process.stdout.write(`${name}: ${found}\n`);
  }
});
