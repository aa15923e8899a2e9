/** The table of evidence, row by row: every method, status, body and proof. Promise: "Proof, not status codes". */
import { type Body, dependsOnProof, type Evidence, isTemporary, judge, type Response } from "../../src/api/evidence";
import type { Method } from "../../src/api/routes";

const methods: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const writes: Method[] = ["POST", "PUT", "PATCH", "DELETE"];
const bodies: Body[] = ["documented", "error", "foreign", "none"];
const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const statuses: Response["status"][] = ["unsent", "lost", ...between(100, 599)];
const except = (all: number[], ...others: number[]) => all.filter((each) => !others.includes(each));

const everything = methods.flatMap((method) =>
  statuses.flatMap((status) =>
    bodies.flatMap((body) => [true, false].map((isProven): Response => ({ method, status, body, isProven }))),
  ),
);

type Rule = [name: string, Method[], statuses: Response["status"][], Body[], proofs: boolean[], Evidence];
const both = [true, false];
const proven = [true];
const ok = between(200, 299);
const none: Body[] = ["none"];
const documented: Body[] = ["documented"];
const error: Body[] = ["error"];
const notExecuted: Evidence = { call: "not executed", object: "unknown" };
const executed: Evidence = { call: "executed", object: "unknown" };
const exists: Evidence = { call: "executed", object: "exists" };
const deleted: Evidence = { call: "executed", object: "deleted" };

/** What the package promises, each combination at most once. All others prove nothing. */
const rules: Rule[] = [
  ["nothing was sent", methods, ["unsent"], bodies, both, notExecuted],
  ["a rate limit, or an operation that does not exist", methods, [429, 501], bodies, both, notExecuted],
  [
    "a read, create or update with what the document promises",
    ["GET", "POST", "PUT", "PATCH"],
    ok,
    documented,
    both,
    exists,
  ],
  ["an update without a body, from a proven address", ["PUT", "PATCH"], except(ok, 202), none, proven, exists],
  ["a read without a body, from a proven address", ["GET"], except(ok, 202), none, proven, executed],
  ["a command without a body, from a proven address", ["POST"], except(ok, 202, 204), none, proven, executed],
  ["a command with 204", ["POST"], [204], none, both, executed],
  ["a deletion with 204", ["DELETE"], [204], none, both, deleted],
  ["a deletion that returns the object", ["DELETE"], except(ok, 202), documented, both, deleted],
  ["a deletion without a body, from a proven address", ["DELETE"], except(ok, 202, 204), none, proven, deleted],
  [
    "the service's own 404, from a proven address",
    methods,
    [404],
    error,
    proven,
    { ...notExecuted, object: "deleted" },
  ],
  ["the service's own 404, from an address that is not proven", methods, [404], error, [false], notExecuted],
  ["another rejection by the service", methods, except(between(400, 499), 404, 408, 429), error, both, notExecuted],
];
const covers = ([, methods, statuses, bodies, proofs]: Rule, { method, status, body, isProven }: Response) =>
  methods.includes(method) && statuses.includes(status) && bodies.includes(body) && proofs.includes(isProven);

test.each(rules)("%s", (...rule) => {
  const covered = everything.filter((response) => covers(rule, response));
  expect(covered.length).toBeGreaterThan(0);
  const [proves] = rule.slice(-1);
  for (const response of covered) expect({ response, proves: judge(response) }).toEqual({ response, proves });
});

test(`nothing else proves anything, of ${everything.length} combinations`, () => {
  const others = everything.filter((response) => !rules.some((rule) => covers(rule, response)));
  expect(
    others.filter((response) => judge(response).call !== "unknown" || judge(response).object !== "unknown"),
  ).toEqual([]);
});

test("every 5xx of a write, except 501, may have been executed, and so may a redirect", () => {
  const unclear = [...except(between(500, 599), 501), ...between(300, 399)];
  const proven = everything.filter(
    ({ method, status }) => writes.includes(method) && unclear.includes(status as number),
  );
  expect(new Set(proven.map((response) => judge(response).call))).toEqual(new Set(["unknown"]));
});

test("asks whether the address is the service's only where that proves something", () => {
  const asked = everything.filter(dependsOnProof);
  expect(asked.length).toBeGreaterThan(0);
  for (const response of asked) {
    expect(response.isProven).toBe(false);
    expect(judge(response)).not.toEqual(judge({ ...response, isProven: true }));
  }
});

test("counts lost responses, 408 and 5xx except 501 as temporary", () => {
  expect(statuses.filter(isTemporary)).toEqual(["lost", 408, ...except(between(500, 599), 501)]);
});
