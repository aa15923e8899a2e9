/** What changed an outcome: without it, the same run looks different. */
import { isDeepStrictEqual } from "node:util";
import { type Body, findRow } from "../../src/api/evidence";
import type { Method } from "../../src/api/routes";
import { Violation } from "../support/engine/provider";
import { changes } from "./model";
import { type Fault, faultKinds } from "./network";
import { type Observation, Rehearsal } from "./rehearsal";
import type { PlannedRun, Scenario } from "./scenario";
import { furtherStories, stories } from "./stories";

const options = [
  "targets",
  "replace",
  "replaceEdge",
  "protect",
  "continueOnError",
  "retries",
  "refresh",
  "rateLimit",
  "disk",
] as const;
const methods: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What cannot change an outcome. */
const uninfluential: Record<string, string> = {
  "change nothing": "It is the same program.",
  "change falseProof": "A refresh or a destroy, which it ends with, has no program.",
  "change sharedEdge": "A destroy, which it ends with, has no program.",
  "change deletedMeanwhile": "A destroy, which it ends with, has no program.",
  "change targetedTwin": "Its last run targets what the program no longer has.",
  "fault emptySuccess": "A success without a body is one.",
  "fault noContent": "A success without a body is one.",
  ...Object.fromEntries([1, 3, 6].map((row) => [`evidence row ${row}`, "It is what the service itself responds."])),
  ...Object.fromEntries([4, 5, 8].map((row) => [`evidence row ${row}`, "A success without a body is one."])),
  "evidence row 9": "It is one of the forms in which a module is not set.",
};

/** The row of evidence that a response is judged by. */
const rowName = (method: string, status: number, body: Fault["body"] | "documented"): string =>
  `evidence row ${findRow({ method: method as Method, status, body: body === "html" ? "foreign" : (body as Body), isProven: true })}`;

/** The rows that a fault can be judged by. */
const rowsOf = ({ status, body }: Fault): string[] =>
  status === undefined ? [] : methods.map((method) => rowName(method, status, body));

/** A response that a deletion outside of Pulumi leads to. */
const notFound = rowName("GET", 404, "error");

/** What can change an outcome. */
export function listInfluences(): string[] {
  const rows = methods.flatMap((method) =>
    [200, 202, 204, 400, 404, 408, 429, 500].flatMap((status) =>
      (["documented", "error", "foreign", "none"] as const).map((body) => rowName(method, status, body)),
    ),
  );
  const all = [
    ...Object.keys(faultKinds).map((kind) => `fault ${kind}`),
    ...rows,
    ...[...options, "parallel"].map((option) => `option ${option}`),
    ...[...Object.keys(changes), ...Object.keys({ ...stories, ...furtherStories }), "revert"].map(
      (change) => `change ${change}`,
    ),
    ...["interrupt", "kill", "killHost"].map((kind) => `disruption ${kind}`),
    ...["deleteObject", "deleteModule", "lookalike"].map((kind) => `outsider ${kind}`),
  ];
  return [...new Set(all)].filter((name) => !(name in uninfluential));
}

interface Omission {
  name: string;
  fault?: Fault;
  without: PlannedRun;
}

/** A run without each of the things that may influence it. */
function* leaveOut(runs: PlannedRun[], index: number): Generator<Omission> {
  const run = runs[index]!;
  const { faults, disruption, outsider, parallel } = run;
  for (const fault of faults) {
    yield { name: `fault ${fault.kind}`, fault, without: { ...run, faults: faults.filter((each) => each !== fault) } };
  }
  for (const option of options) {
    if (run[option] !== undefined && run[option] !== false)
      yield { name: `option ${option}`, without: { ...run, [option]: undefined } };
  }
  if (parallel > 1) yield { name: "option parallel", without: { ...run, parallel: 1 } };
  if (disruption) yield { name: `disruption ${disruption.kind}`, without: { ...run, disruption: undefined } };
  if (outsider) yield { name: `outsider ${outsider.kind}`, without: { ...run, outsider: undefined } };
  const [change, ...others] = run.changes;
  const before = runs.slice(0, index).findLast(({ stack }) => stack === run.stack);
  if (change !== undefined && others.length === 0 && before)
    yield { name: `change ${change}`, without: { ...run, model: before.model } };
}

async function rehearse(scenario: Scenario): Promise<Rehearsal | undefined> {
  const rehearsal = new Rehearsal(scenario);
  try {
    await rehearsal.run();
    return rehearsal;
  } catch (error) {
    if (error instanceof Violation) return undefined;
    throw error;
  }
}

/** What is compared: which objects are read one by one, and which in a list, is no outcome. */
function withoutReads({ run, calls, ...shown }: Observation, index: number): object[] {
  const writes = Object.entries(calls).filter(([call]) => !call.startsWith("GET"));
  return run === index ? [{ ...shown, writes }] : [];
}

/** What of that which is looked for changed the outcome of a scenario, as often as it did. */
export async function findInfluences(scenario: Scenario, wanted: Set<string>): Promise<string[]> {
  const { runs } = scenario;
  const stable: Scenario = { ...scenario, service: { ...scenario.service, hasStableIds: true } };
  const isWanted = ({ name, fault }: Omission) =>
    wanted.has(name) ||
    (fault ? rowsOf(fault).some((row) => wanted.has(row)) : name === "outsider deleteObject" && wanted.has(notFound));
  const omissions = runs.flatMap((_, index) => [...leaveOut(runs, index)].map((each) => ({ index, ...each })));
  const candidates = omissions.filter(isWanted);
  const whole = candidates.length > 0 ? await rehearse(stable) : undefined;
  const names: string[] = [];
  for (const { index, name, fault, without } of whole ? candidates : []) {
    const met = whole!.exchanges.filter((exchange) => exchange.fault === fault);
    if (fault && met.length === 0) continue;
    const other = await rehearse({ ...stable, runs: runs.with(index, without) });
    const [shown, before] = [other, whole].map((each) => each?.observations.flatMap((one) => withoutReads(one, index)));
    if (!shown || isDeepStrictEqual(shown, before)) continue;
    const { status, body } = fault ?? {};
    const rows = status === undefined ? [] : met.map(({ request }) => rowName(request.method, status, body));
    const isDeleted = name === "outsider deleteObject" && whole!.exchanges.some((each) => each.status === 404);
    names.push(name, ...new Set(rows), ...(isDeleted ? [notFound] : []));
  }
  return names.filter((name) => wanted.has(name));
}
