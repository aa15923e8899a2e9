/** What changed an outcome: without it, the same run looks different. */
import { isDeepStrictEqual } from "node:util";
import { type Body, findRow } from "../../src/api/evidence";
import type { Method } from "../../src/api/routes";
import { type Fault, faultKinds } from "./network";
import { type Observation, Rehearsal } from "./rehearsal";
import type { PlannedRun, Scenario } from "./scenario";
import { Violation } from "./world";

const options = ["targets", "replace", "continueOnError", "refresh", "rateLimit"] as const;

/** The row of evidence that a fault is judged by, for a request with this method. */
const rowName = (method: string, { status, body }: Pick<Fault, "status" | "body">): string | undefined =>
  status === undefined
    ? undefined
    : `evidence row ${findRow({ method: method as Method, status, body: body === "html" ? "foreign" : (body as Body), isProven: true })}`;

/** Of a success without a body the outcome is the same: it is left out. */
const influential = Object.entries(faultKinds).filter(([, kind]) => !("isTrue" in kind));

/** What can change an outcome. */
export function listInfluences(): string[] {
  const rows = influential.flatMap(([, kind]) => {
    const {
      status = [],
      body = [],
      methods,
    } = kind as { status?: number[]; body?: Fault["body"][]; methods?: string[] };
    return (methods ?? ["GET", "POST", "PUT", "PATCH", "DELETE"]).flatMap((method) =>
      status.flatMap((each) => body.map((one) => rowName(method, { status: each, body: one })!)),
    );
  });
  return [
    ...influential.map(([kind]) => `fault ${kind}`),
    ...new Set(rows),
    ...options.map((option) => `option ${option}`),
    "option parallel",
    ...["interrupt", "kill", "killHost"].map((kind) => `disruption ${kind}`),
    ...["deleteObject", "deleteModule", "lookalike"].map((kind) => `outsider ${kind}`),
  ];
}

interface Omission {
  name: string;
  fault?: Fault;
  without: PlannedRun;
}

/** A run without each of the things that may influence it. */
function* leaveOut(run: PlannedRun): Generator<Omission> {
  const { faults, disruption, outsider, parallel } = run;
  for (const fault of faults) {
    yield { name: `fault ${fault.kind}`, fault, without: { ...run, faults: faults.filter((each) => each !== fault) } };
  }
  for (const option of options) {
    if (run[option]) yield { name: `option ${option}`, without: { ...run, [option]: undefined } };
  }
  if (parallel > 1) yield { name: "option parallel", without: { ...run, parallel: 1 } };
  if (disruption) yield { name: `disruption ${disruption.kind}`, without: { ...run, disruption: undefined } };
  if (outsider) yield { name: `outsider ${outsider.kind}`, without: { ...run, outsider: undefined } };
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

/** What changed the outcome of a scenario. */
export async function findInfluences(scenario: Scenario): Promise<string[]> {
  const stable: Scenario = { ...scenario, service: { ...scenario.service, hasStableIds: true } };
  const whole = await rehearse(stable);
  const names: string[] = [];
  for (const [index, run] of stable.runs.entries()) {
    for (const { name, fault, without } of whole ? leaveOut(run) : []) {
      const met = whole!.exchanges.filter((exchange) => exchange.fault === fault);
      if (fault && met.length === 0) continue;
      const other = await rehearse({ ...stable, runs: stable.runs.with(index, without) });
      const [shown, before] = [other, whole].map((each) =>
        each?.observations.flatMap((one) => withoutReads(one, index)),
      );
      if (!shown || isDeepStrictEqual(shown, before)) continue;
      const rows = fault ? met.map(({ request }) => rowName(request.method, fault)) : [];
      names.push(name, ...new Set(rows.filter((row) => row !== undefined)));
    }
  }
  return names;
}
