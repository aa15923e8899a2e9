// Changes the code in the small ways that StrykerJS knows, prints what no test notices, and compares each file's score with
// the one that it needs:
//   node scripts/test/mutate.mjs [OPTION]...   all files, or those of StrykerJS's options, as in --mutate src/core/plan/plan.ts
//   node scripts/test/mutate.mjs --record [OPTION]...   writes the scores of these files into the table instead
import fs from "node:fs";
import path from "node:path";
import { install } from "../dev/setup.mjs";
import { installTool, isMain, main, root, runInTerminal } from "../lib/index.mjs";
import config from "./mutation/stryker.config.mjs";

/** What a file needs that is not in scripts/test/mutation/thresholds.json. */
const defaultThreshold = 90;

/** The scores of the files in a report of StrykerJS, in percent. What has no mutants has none. */
function scoresOf({ files }) {
  const scores = Object.entries(files).map(([file, { mutants }]) => {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    const [noticed, missed] = [count("Killed", "Timeout"), count("Survived", "NoCoverage")];
    return [file, (100 * noticed) / (noticed + missed)];
  });
  return scores.filter(([, score]) => !Number.isNaN(score));
}

/** What is wrong with the scores in a report. */
export function findLowScores(report, thresholds) {
  return scoresOf(report)
    .map(([file, score]) => ({ file, score, threshold: thresholds[file] ?? defaultThreshold }))
    .filter(({ score, threshold }) => score < threshold)
    .map(({ file, score, threshold }) => `${file} has a score of ${score.toFixed(2)} %, and needs ${threshold} %.`);
}

/** The thresholds with those that a report has. */
export function recordScores(report, thresholds) {
  const recorded = scoresOf(report).map(([file, score]) => [file, Math.floor(score)]);
  const all = Object.entries({ ...thresholds, ...Object.fromEntries(recorded) });
  return Object.fromEntries(all.filter(([, score]) => score < defaultThreshold).sort());
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    const isRecording = args[0] === "--record";
    await install();
    const stryker = path.join(
      await installTool("scripts/test/mutation"),
      "node_modules/@stryker-mutator/core/bin/stryker.js",
    );
    const options = isRecording ? args.slice(1) : args;
    const command = [stryker, "run", "scripts/test/mutation/stryker.config.mjs", ...options];
    const code = await runInTerminal(process.execPath, command, { cwd: root });
    if (code !== 0) return code;
    const table = path.join(root, "scripts/test/mutation/thresholds.json");
    const report = JSON.parse(fs.readFileSync(path.join(root, config.jsonReporter.fileName), "utf8"));
    const thresholds = JSON.parse(fs.readFileSync(table, "utf8"));
    if (isRecording) {
      fs.writeFileSync(table, `${JSON.stringify(recordScores(report, thresholds), undefined, 2)}\n`);
      return 0;
    }
    const problems = findLowScores(report, thresholds);
    for (const problem of problems) console.log(problem);
    return problems.length > 0 ? 1 : 0;
  });
}
