/** The command: runs scenarios, in several processes, and prints the first that fails, as small as it gets. */
import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Violation } from "../support/engine/provider";
import { checkDeclared } from "./declared";
import { compareExposure } from "./exposure";
import { findInfluences, listInfluences } from "./influence";
import { changes } from "./model";
import { faultNames } from "./network";
import { printScenario } from "./print";
import { Random } from "./random";
import { newScenario, type Scenario, shrink } from "./scenario";
import { type Counters, exceptions, Simulation } from "./simulation";

interface Outcome {
  violation?: string;
  log: string[];
  counters: Counters;
}

/** Runs one scenario. An error that nobody expects is a violation, too. */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  const simulation = new Simulation(scenario);
  const { log } = simulation.world;
  try {
    await simulation.run();
    return { log, counters: simulation.counters };
  } catch (error) {
    const { message, stack } = error as Error;
    return { log, counters: simulation.counters, violation: error instanceof Violation ? message : stack };
  }
}

/** What two violations of the same kind have in common. */
const kindOf = (violation: string) =>
  violation
    .replace(/\b[a-z]+_\w+/g, "…")
    .replace(/urn:\S+/g, "…")
    .slice(0, 40);

/** The smallest scenario that still fails for the same reason. */
async function shrinkScenario(scenario: Scenario, violation: string, until: number): Promise<[Scenario, Outcome]> {
  let smallest = scenario;
  let outcome = await simulate(scenario);
  for (let isSmaller = true; isSmaller && Date.now() < until; ) {
    isSmaller = false;
    for (const candidate of shrink(smallest)) {
      if (Date.now() > until) break;
      const tried = await simulate(candidate);
      if (tried.violation === undefined || kindOf(tried.violation) !== kindOf(violation)) continue;
      smallest = candidate;
      outcome = tried;
      isSmaller = true;
      break;
    }
  }
  return [smallest, outcome];
}

interface Failure {
  index: number;
  violation: string;
}

/** What a process reports. */
interface Report {
  finished: number;
  counters: Counters;
  failures: Failure[];
  sizes: { runs: number; resources: number; faults: number }[];
}

/** What a process of its own runs: every so many scenarios, beginning with its number. */
interface Share {
  seed: number;
  runs: number;
  worker: number;
  workers: number;
  all: boolean;
  /** Whether to look for all that changed an outcome, or for each only until it did once. */
  influence?: "always" | "once";
}

async function runShare({ seed, runs, worker, workers, all, influence }: Share, report: (report: Report) => void) {
  let pending: Report = { finished: 0, counters: {}, failures: [], sizes: [] };
  const wanted = new Set(influence ? listInfluences() : []);
  for (let index = worker; index < runs && !(influence === "once" && wanted.size === 0); index += workers) {
    const scenario = newScenario(Random.seedOf(seed, index));
    const { violation, counters }: Omit<Outcome, "log"> =
      influence === "once" ? { counters: {} } : await simulate(scenario);
    for (const name of await findInfluences(scenario, wanted)) {
      const changed = `changed by ${name}`;
      counters[changed] = (counters[changed] ?? 0) + 1;
      if (influence === "once") wanted.delete(name);
    }
    pending.finished++;
    for (const [name, count] of Object.entries(counters))
      pending.counters[name] = (pending.counters[name] ?? 0) + count;
    const { edges, keys, credentials } = scenario.runs[0]!.model;
    const resources =
      edges.length + edges.filter(({ module }) => module === "separate").length + keys.length + credentials.length;
    pending.sizes.push({ runs: scenario.runs.length, resources, faults: counters["faults met"] ?? 0 });
    if (violation !== undefined) pending.failures.push({ index, violation });
    if (pending.finished >= 100 || (violation !== undefined && !all)) {
      report(pending);
      if (violation !== undefined && !all) return;
      pending = { finished: 0, counters: {}, failures: [], sizes: [] };
    }
  }
  report(pending);
}

/** What happens in every large number of scenarios. */
const expectedCounters = [
  ...faultNames.map((name) => `fault ${name}`),
  ...Object.keys(changes).map((name) => `change ${name}`),
  ...["create", "same", "update", "replace", "delete"].map((op) => `step ${op}`),
  ...["up", "up --refresh", "refresh", "destroy"].map((command) => `command ${command}`),
  ...["targets", "replace", "replaceEdge", "protect", "continueOnError", "retries"].map((option) => `option ${option}`),
  ...["interrupt", "kill", "killHost"].map((kind) => `disruption ${kind}`),
  ...["deleteObject", "deleteModule", "lookalike"].map((kind) => `outsider ${kind}`),
  ...[1, 2, 4, 8].map((parallel) => `parallel ${parallel}`),
  ...Object.keys(exceptions).map((name) => `exception ${name}`),
  "rate limit",
];

const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      runs: { type: "string", default: "10000" },
      /** Only the scenario with this number. */
      scenario: { type: "string" },
      workers: { type: "string", default: String(availableParallelism()) },
      /** Runs so many scenarios before it, in the same process, as long as none fails. */
      after: { type: "string", default: "0" },
      /** Writes the scenario to a file, as data: it then stays the same when new ones are made in another way. */
      record: { type: "string" },
      /** Runs only the scenario that was written to this file. */
      recorded: { type: "string" },
      /** Prints the whole log of the scenario. */
      log: { type: "boolean", default: false },
      /** Lists all failures instead of shrinking the first. */
      all: { type: "boolean", default: false },
      /** Says only which scenario failed first. */
      first: { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
      counters: { type: "boolean", default: false },
      /** Counts also what changed an outcome: each scenario is run again without it. */
      influence: { type: "boolean", default: false },
      /** With --influence: looks for each only until it has changed an outcome, and runs nothing else. */
      once: { type: "boolean", default: false },
      /** Compares what previews say of public addresses with what the service then has. */
      exposure: { type: "boolean", default: false },
      /** Compares what programs declare with what the service then has. */
      declared: { type: "boolean", default: false },
    },
  });
  const [seed, runs, workers] = [Number(values.seed), Number(values.runs), Number(values.workers)];
  if (values.exposure) return printExposure(seed, runs);
  if (values.declared) return printDeclared(seed, runs, values.first);
  if (values.recorded !== undefined) {
    const scenario = JSON.parse(readFileSync(values.recorded, "utf8")) as Scenario;
    return runOne(scenario, values.recorded, `--recorded ${values.recorded}`, values.log);
  }
  if (values.scenario !== undefined) {
    const index = Number(values.scenario);
    if (values.record !== undefined) {
      const scenario = newScenario(Random.seedOf(seed, index));
      return writeFileSync(values.record, `${JSON.stringify(scenario, undefined, 1)}\n`);
    }
    for (let before = index - Number(values.after); before < index; before++) {
      const { violation } = await simulate(newScenario(Random.seedOf(seed, before)));
      if (violation !== undefined) return runNumbered(seed, before, false);
    }
    return runNumbered(seed, index, values.log);
  }
  const total: Report = { finished: 0, counters: {}, failures: [], sizes: [] };
  const started = Date.now();
  const add = ({ finished, counters, failures, sizes }: Report) => {
    const before = total.finished;
    total.finished += finished;
    total.failures.push(...failures);
    total.sizes.push(...sizes);
    for (const [name, count] of Object.entries(counters)) total.counters[name] = (total.counters[name] ?? 0) + count;
    const isNews = Math.floor(before / 1000) !== Math.floor(total.finished / 1000);
    if (isNews && !values.quiet)
      process.stderr.write(`${total.finished} scenarios in ${Math.round((Date.now() - started) / 1000)} s\n`);
  };
  const { all } = values;
  const influence = values.influence ? (values.once ? "once" : "always") : undefined;
  const children = Array.from({ length: workers }, (_, worker) => {
    const own: Share = { seed, runs, worker, workers, all, influence };
    const child = fork(__filename, [], { env: { ...process.env, SIMULATOR_SHARE: JSON.stringify(own) } });
    child.on("message", (message) => add(message as Report));
    return child;
  });
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((done) => {
          // After its last report.
          const isDisconnected = new Promise<void>((resolve) => child.on("disconnect", resolve));
          child.on("exit", async (code, signal) => {
            await isDisconnected;
            const isStopped = total.failures.length > 0 && !values.all;
            const how = signal ? `was ended by ${signal}` : `exited with ${code}`;
            if (code !== 0 && !isStopped) total.failures.push({ index: -1, violation: `a process ${how}` });
            if (total.failures.length > 0 && !values.all) for (const other of children) other.kill();
            done();
          });
        }),
    ),
  );
  // A process with nothing left to wait for ends without an error.
  const isUnfinished = total.finished < runs && influence !== "once";
  if (isUnfinished && (total.failures.length === 0 || values.all))
    total.failures.push({ index: -1, violation: `a scenario waits for ever: only ${total.finished} of ${runs} ended` });
  total.failures.sort((a, b) => a.index - b.index);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const medians = (["runs", "resources", "faults"] as const).map(
    (key) => `${median(total.sizes.map((size) => size[key]))} ${key}`,
  );
  process.stdout.write(
    `${total.finished} scenarios with seed ${seed} in ${seconds} s; in the median ${medians.join(", ")}; ${total.counters["runs with several processes"] ?? 0} runs with several processes; ${total.counters["moves"] ?? 0} runs with a module that leaves its edge for a resource, of which ${total.counters["deployed moves"] ?? 0} deployed it; ${total.failures.length} failed\n`,
  );
  if (values.counters)
    for (const name of Object.keys(total.counters).sort())
      process.stdout.write(`${String(total.counters[name]).padStart(9)} ${name}\n`);
  const expected = [
    ...(influence === "once" ? [] : expectedCounters),
    ...(influence ? listInfluences().map((name) => `changed by ${name}`) : []),
  ];
  const never = expected.filter((name) => !total.counters[name]);
  if (values.counters || influence) process.stdout.write(`Never: ${never.join(", ") || "none"}\n`);
  if (influence && never.length > 0) process.exitCode = 1;
  if (values.all)
    for (const { index, violation } of total.failures) process.stdout.write(`${index}: ${violation.split("\n")[0]}\n`);
  const [first] = total.failures;
  if (!first) return;
  if (values.first) return void process.stdout.write(`First: ${first.index}: ${first.violation.split("\n")[0]}\n`);
  process.exitCode = 1;
  if (!values.all && first.index >= 0) await runNumbered(seed, first.index, false);
}

async function printExposure(seed: number, runs: number): Promise<void> {
  const { changes, openings, strangers, mights, needlessMights, wrong } = await compareExposure(seed, runs);
  process.stdout.write(
    `${changes} changes, ${openings} openings, ${strangers} addresses with strangers, ${mights} might, ${needlessMights} of them without a stranger; ${wrong.length} wrong\n`,
  );
  for (const text of wrong) process.stdout.write(`${text}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}

async function printDeclared(seed: number, runs: number, isFirst: boolean): Promise<void> {
  const [first, ...others] = await checkDeclared(seed, runs);
  process.stdout.write(`${runs} scenarios; ${first ? others.length + 1 : 0} failed\n`);
  if (!first) return;
  process.stdout.write(`First: ${first}\n`);
  if (!isFirst) process.exitCode = 1;
}

const runNumbered = (seed: number, index: number, hasLog: boolean): Promise<void> =>
  runOne(
    newScenario(Random.seedOf(seed, index)),
    `Scenario ${index} of seed ${seed}`,
    `--seed ${seed} --scenario ${index}`,
    hasLog,
  );

/** Runs one scenario, and prints what happened. */
async function runOne(scenario: Scenario, name: string, repeat: string, hasLog: boolean): Promise<void> {
  const { violation, log } = await simulate(scenario);
  if (hasLog) process.stdout.write(`${log.join("\n")}\n`);
  if (violation === undefined) return void process.stdout.write(`${name} holds.\n`);
  process.exitCode = 1;
  if (hasLog) return void process.stdout.write(`${violation}\n`);
  const [smallest, outcome] = await shrinkScenario(scenario, violation, Date.now() + 60_000);
  process.stdout.write(
    `${outcome.violation}\n\n${printScenario(smallest)}\n\nWhat happened:\n${outcome.log.join("\n")}\n\n`,
  );
  process.stdout.write(`To repeat it: npm run simulate -- ${repeat}\n`);
}

const share = process.env["SIMULATOR_SHARE"];
if (share)
  void runShare(JSON.parse(share) as Share, (report) => process.send!(report)).then(() => process.disconnect());
else void main();
