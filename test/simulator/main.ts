/** The command: runs scenarios, in several processes, and prints the first that fails, as small as it gets. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Violation } from "../support/engine/provider";
import { DeclaredSimulation } from "./declared";
import { ExposureSimulation } from "./exposure";
import { findInfluences, listInfluences } from "./influence";
import { printScenario } from "./print";
import { happenings, type Kind, newScenario, type Scenario, shrink } from "./scenario";
import { type Counters, exceptions, Simulation } from "./simulation";

interface Outcome {
  violation?: string;
  log: string[];
  counters: Counters;
}

/** Runs one scenario. An error that nobody expects is a violation, too. */
async function simulate(scenario: Scenario): Promise<Outcome> {
  const { kind } = scenario;
  const simulation = new (kind ? { exposure: ExposureSimulation, declared: DeclaredSimulation }[kind] : Simulation)(
    scenario,
  );
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
async function shrinkScenario(scenario: Scenario, violation: string, until: number): Promise<Scenario> {
  for (const candidate of shrink(scenario)) {
    if (Date.now() > until) return scenario;
    const tried = await simulate(candidate);
    const isSame = tried.violation !== undefined && kindOf(tried.violation) === kindOf(violation);
    if (isSame) return shrinkScenario(candidate, violation, until);
  }
  return scenario;
}

/** How a scenario ended. */
interface Ended {
  index: number;
  violation?: string;
  counters: Counters;
}

/** What a process of its own runs: every so many scenarios, beginning with its number. */
interface Share {
  kind?: Kind;
  seed: number;
  runs: number;
  worker: number;
  workers: number;
  all: boolean;
  /** Whether to look for all that changed an outcome, or for each only until it did once. */
  influence?: "always" | "once";
}

async function runShare({ kind, seed, runs, worker, workers, all, influence }: Share, report: (ended: Ended) => void) {
  const wanted = new Set(influence ? listInfluences() : []);
  for (let index = worker; index < runs && !(influence === "once" && wanted.size === 0); index += workers) {
    const scenario = { ...newScenario(seed, index), kind };
    const { violation, counters }: Omit<Outcome, "log"> =
      influence === "once" ? { counters: {} } : await simulate(scenario);
    for (const name of await findInfluences(scenario, wanted)) {
      addTo(counters, { [`changed by ${name}`]: 1 });
      if (influence === "once") wanted.delete(name);
    }
    const { edges, keys, credentials } = scenario.runs[0]!.model;
    const resources =
      edges.length + edges.filter(({ module }) => module === "separate").length + keys.length + credentials.length;
    report({ index, violation, counters: { ...counters, resources } });
    if (violation !== undefined && !all) return;
  }
}

const addTo = (counters: Counters, more: Counters): void => {
  for (const [name, count] of Object.entries(more)) counters[name] = (counters[name] ?? 0) + count;
};

/** What happens in every large number of scenarios. */
const expectedCounters = [
  ...happenings,
  ...["create", "same", "update", "replace", "delete"].map((op) => `step ${op}`),
  ...["up", "up --refresh", "refresh", "destroy"].map((command) => `command ${command}`),
  ...Object.keys(exceptions).map((name) => `exception ${name}`),
];

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
  const kind = values.exposure ? "exposure" : values.declared ? "declared" : undefined;
  if (values.recorded !== undefined) {
    const scenario = JSON.parse(readFileSync(values.recorded, "utf8")) as Scenario;
    return runOne(scenario, values.recorded, `--recorded ${values.recorded}`, values.log);
  }
  if (values.scenario !== undefined) {
    const index = Number(values.scenario);
    if (values.record !== undefined) {
      const scenario = newScenario(seed, index);
      return writeFileSync(values.record, `${JSON.stringify(scenario, undefined, 1)}\n`);
    }
    for (let before = index - Number(values.after); before < index; before++) {
      const { violation } = await simulate(newScenario(seed, before));
      if (violation !== undefined) return runNumbered({ seed }, before, false);
    }
    return runNumbered({ seed, kind }, index, values.log);
  }
  const influence = values.influence ? (values.once ? "once" : "always") : undefined;
  return runMany({ kind, seed, runs, workers, all: values.all, influence }, values);
}

/** Runs scenarios in processes, and prints how they went. */
async function runMany(
  shared: Omit<Share, "worker">,
  { quiet, counters: hasCounters }: Record<"quiet" | "counters", boolean>,
): Promise<void> {
  const { kind, seed, runs, workers, all, influence } = shared;
  const started = Date.now();
  const seconds = () => ((Date.now() - started) / 1000).toFixed(1);
  const total: Counters = {};
  let finished = 0;
  const failures: { index: number; violation: string }[] = [];
  const add = ({ index, violation, counters }: Ended) => {
    addTo(total, counters);
    finished++;
    if (violation !== undefined) failures.push({ index, violation });
    if (finished % 1000 === 0 && !quiet) process.stderr.write(`${finished} scenarios in ${seconds()} s\n`);
  };
  const children = Array.from({ length: workers }, (_, worker) => {
    const env = { ...process.env, SIMULATOR_SHARE: JSON.stringify({ ...shared, worker }) };
    return fork(__filename, [], { env }).on("message", (message) => add(message as Ended));
  });
  const isStopped = () => failures.length > 0 && !all;
  const exits = children.map(async (child) => {
    // After its last report.
    const [[code, signal]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
    const how = signal ? `was ended by ${signal}` : `exited with ${code}`;
    if (code !== 0 && !isStopped()) failures.push({ index: -1, violation: `a process ${how}` });
    if (isStopped()) for (const other of children) other.kill();
  });
  await Promise.all(exits);
  // A process with nothing left to wait for ends without an error.
  if (finished < runs && influence !== "once" && !isStopped())
    failures.push({ index: -1, violation: `a scenario waits for ever: only ${finished} of ${runs} ended` });
  failures.sort((a, b) => a.index - b.index);
  const means = ["runs", "resources", "faults met"].map(
    (name) => `${((total[name] ?? 0) / finished).toFixed(1)} ${name}`,
  );
  print(
    `${finished} scenarios with seed ${seed} in ${seconds()} s; in the mean ${means.join(", ")}; ` +
      `${total["runs with several processes"] ?? 0} runs with several processes; ${failures.length} failed`,
  );
  if (hasCounters) for (const name of Object.keys(total).sort()) print(`${String(total[name]).padStart(9)} ${name}`);
  const expected = [
    ...(kind || influence === "once" ? [] : expectedCounters),
    ...(influence ? listInfluences().map((name) => `changed by ${name}`) : []),
  ];
  const never = expected.filter((name) => !total[name]);
  if (hasCounters || influence) print(`Never: ${never.join(", ") || "none"}`);
  if (influence && never.length > 0) process.exitCode = 1;
  if (all) for (const { index, violation } of failures) print(`${index}: ${violation.split("\n")[0]}`);
  const [first] = failures;
  if (!first) return;
  process.exitCode = 1;
  print(`First: ${first.index}: ${first.violation.split("\n")[0]}`);
  if (!all && first.index >= 0) await runNumbered(shared, first.index, false);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function runNumbered({ seed, kind }: Pick<Share, "seed" | "kind">, index: number, hasLog: boolean): Promise<void> {
  const repeat = `${kind ? `--${kind} ` : ""}--seed ${seed} --scenario ${index}`;
  return runOne({ ...newScenario(seed, index), kind }, `Scenario ${index} of seed ${seed}`, repeat, hasLog);
}

/** Runs one scenario, and prints what happened. */
async function runOne(scenario: Scenario, name: string, repeat: string, hasLog: boolean): Promise<void> {
  const { violation, log } = await simulate(scenario);
  if (hasLog) print(log.join("\n"));
  if (violation === undefined) return print(`${name} holds.`);
  process.exitCode = 1;
  if (hasLog) return print(violation);
  const smallest = await shrinkScenario(scenario, violation, Date.now() + 60_000);
  const outcome = await simulate(smallest);
  print(`${outcome.violation}\n\n${printScenario(smallest)}\n\nWhat happened:\n${outcome.log.join("\n")}\n`);
  print(`To repeat it: npm run simulate -- ${repeat}`);
}

const share = process.env["SIMULATOR_SHARE"];
if (share)
  void runShare(JSON.parse(share) as Share, (report) => process.send!(report)).then(() => process.disconnect());
else void main();
