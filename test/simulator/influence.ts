/** What changed an outcome: without it, the same run looks different. */
import { isDeepStrictEqual } from "node:util";
import { type Body, findRow } from "../../src/api/evidence";
import type { Method } from "../../src/api/routes";
import type { Fault } from "./network";
import { type Observation, rehearse } from "./rehearsal";
import { happenings, listOmissions, type Omission, type PlannedRun, type Scenario } from "./scenario";

const methods: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What cannot change an outcome. */
const uninfluential: Record<string, string> = {
  "change nothing": "It is the same program.",
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
  return [...new Set([...happenings, ...rows])].filter((name) => !(name in uninfluential));
}

/** The program as it was before the run, if it was changed in one way. */
function omitChange(runs: PlannedRun[], index: number): Omission[] {
  const run = runs[index]!;
  const [change, ...others] = run.changes;
  const before = runs.slice(0, index).findLast(({ stack }) => stack === run.stack);
  const isOne = change !== undefined && others.length === 0 && before;
  return isOne ? [{ name: `change ${change}`, without: { ...run, model: before.model } }] : [];
}

/** What is compared: which objects are read one by one, and which in a list, is no outcome. */
function withoutReads({ run, calls, ...shown }: Observation, index: number): object[] {
  const writes = Object.entries(calls).filter(([call]) => !call.startsWith("GET"));
  return run === index ? [{ ...shown, writes }] : [];
}

/** What of that which is looked for changed the outcome of a scenario, as often as it did. */
export async function findInfluences(scenario: Scenario, wanted: Set<string>): Promise<string[]> {
  const { runs } = scenario;
  const isWanted = ({ name, fault }: Omission) =>
    wanted.has(name) ||
    (fault ? rowsOf(fault).some((row) => wanted.has(row)) : name === "outsider deleteObject" && wanted.has(notFound));
  const omissions = runs.flatMap((run, index) =>
    [...listOmissions(run), ...omitChange(runs, index)].map((each) => ({ index, ...each })),
  );
  const candidates = omissions.filter(isWanted);
  const whole = candidates.length > 0 ? await rehearse(scenario) : undefined;
  const names: string[] = [];
  for (const { index, name, fault, without } of whole ? candidates : []) {
    const met = whole!.exchanges.filter((exchange) => exchange.fault === fault);
    if (fault && met.length === 0) continue;
    const other = await rehearse({ ...scenario, runs: runs.with(index, without) });
    const [shown, before] = [other, whole].map((each) => each?.observations.flatMap((one) => withoutReads(one, index)));
    if (!shown || isDeepStrictEqual(shown, before)) continue;
    const { status, body } = fault ?? {};
    const rows = status === undefined ? [] : met.map(({ request }) => rowName(request.method, status, body));
    const isDeleted = name === "outsider deleteObject" && whole!.exchanges.some((each) => each.status === 404);
    names.push(name, ...new Set(rows), ...(isDeleted ? [notFound] : []));
  }
  return names.filter((name) => wanted.has(name));
}
