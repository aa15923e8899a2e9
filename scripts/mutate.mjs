// Changes the code in the small ways that StrykerJS knows, prints what no test notices, and compares each file's score with
// the one that it needs:
//   node scripts/mutate.mjs [OPTION]...   all files, or those of StrykerJS's options, as in --mutate src/core/plan/plan.ts
//   node scripts/mutate.mjs --day 1       the files of one of the days 1 to 7, which have them all
import fs from "node:fs";
import path from "node:path";
import { installTool, isMain, main, root, runInTerminal } from "./lib.mjs";
import config from "./mutation/stryker.config.mjs";
import { install } from "./setup.mjs";

/** What a file needs that is not in scripts/mutation/thresholds.json. */
const defaultThreshold = 90;

/** The files of a day of the week. */
export const filesOf = (files, day) => files.filter((_, index) => index % 7 === day % 7);

/** What is wrong with the scores in a report of StrykerJS. */
export function findLowScores({ files }, thresholds) {
  return Object.entries(files).flatMap(([file, { mutants }]) => {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    const [noticed, missed] = [count("Killed", "Timeout"), count("Survived", "NoCoverage")];
    const [score, threshold] = [(100 * noticed) / (noticed + missed), thresholds[file] ?? defaultThreshold];
    return score < threshold ? [`${file} has a score of ${score.toFixed(2)} %, and needs ${threshold} %.`] : [];
  });
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    await install();
    const tool = await installTool("mutation");
    const stryker = path.join(tool, "node_modules/@stryker-mutator/core/bin/stryker.js");
    const [option, day] = args;
    const options = option === "--day" ? ["--mutate", filesOf(config.mutate, Number(day)).join(",")] : args;
    const code = await runInTerminal(
      process.execPath,
      [stryker, "run", "scripts/mutation/stryker.config.mjs", ...options],
      { cwd: root },
    );
    if (code !== 0) return code;
    const read = (file) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
    const problems = findLowScores(read(config.jsonReporter.fileName), read("scripts/mutation/thresholds.json"));
    for (const problem of problems) console.log(problem);
    return problems.length > 0 ? 1 : 0;
  });
}
