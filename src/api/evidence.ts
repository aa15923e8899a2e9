/**
 * What a response proves: whether the service executed the call, and whether the call's object exists. A status is not
 * proof by itself, because gateways, login pages and servers at a wrong address respond with any status. Everything
 * that depends on a response asks this table.
 */

import type { Method } from "./routes";

/**
 * Whose body a response has: what the API document promises, or an error, from the service; something that is neither; or
 * no body at all.
 */
export type Body = "documented" | "error" | "foreign" | "none";

export interface Response {
  method: Method;
  /** Without a response, whether the request was sent. */
  status: number | "unsent" | "lost";
  body: Body;
  /** Whether this process has proof that the address is the service's. */
  isProven: boolean;
}

export interface Evidence {
  /** Whether the service executed the call. */
  call: "executed" | "not executed" | "unknown";
  /** Whether the object exists. */
  object: "exists" | "deleted" | "unknown";
}

interface Row {
  /** All methods, unless given. */
  methods?: Method[];
  statuses: (number | "unsent" | "2xx" | "4xx")[];
  /** All bodies, unless given. */
  bodies?: Body[];
  /** Applies only if the address is proven. */
  proven?: true;
  proves: Evidence;
}

export const proofOfNothing: Evidence = { call: "unknown", object: "unknown" };

/** The first row that applies counts. Where none does, nothing is known. */
const table: Row[] = [
  { statuses: ["unsent", 429, 501], proves: { call: "not executed", object: "unknown" } },

  { methods: ["DELETE"], statuses: [204], bodies: ["none"], proves: { call: "executed", object: "deleted" } },
  // Accepted, and perhaps not executed yet.
  { methods: ["DELETE"], statuses: [202], proves: proofOfNothing },
  { methods: ["DELETE"], statuses: ["2xx"], bodies: ["documented"], proves: { call: "executed", object: "deleted" } },
  {
    methods: ["DELETE"],
    statuses: ["2xx"],
    bodies: ["none"],
    proven: true,
    proves: { call: "executed", object: "deleted" },
  },

  { methods: ["POST"], statuses: [204], bodies: ["none"], proves: { call: "executed", object: "unknown" } },
  { statuses: ["2xx"], bodies: ["documented"], proves: { call: "executed", object: "exists" } },
  { statuses: [202], bodies: ["none"], proves: proofOfNothing },
  {
    methods: ["PUT", "PATCH"],
    statuses: ["2xx"],
    bodies: ["none"],
    proven: true,
    proves: { call: "executed", object: "exists" },
  },
  { statuses: ["2xx"], bodies: ["none"], proven: true, proves: { call: "executed", object: "unknown" } },

  { statuses: [404], bodies: ["error"], proven: true, proves: { call: "not executed", object: "deleted" } },
  // The server gave up waiting for the request, but may have received enough of it.
  { statuses: [408], proves: proofOfNothing },
  { statuses: ["4xx"], bodies: ["error"], proves: { call: "not executed", object: "unknown" } },
];

/** The number of the row that applies to a response; -1 if none does. */
export const findRow = (response: Response): number => table.findIndex((row) => applies(row, response));

/** What a response proves. */
export const judge = (response: Response): Evidence => table[findRow(response)]?.proves ?? proofOfNothing;

/** Whether a response proves more once the address is proven. */
export const dependsOnProof = (response: Response): boolean =>
  !response.isProven && judge(response) !== judge({ ...response, isProven: true });

function applies({ methods, statuses, bodies, proven }: Row, { method, status, body, isProven }: Response): boolean {
  return (
    (methods?.includes(method) ?? true) &&
    (statuses.includes(status as number) || statuses.includes(`${Math.floor(Number(status) / 100)}xx` as "2xx")) &&
    (bodies?.includes(body) ?? true) &&
    (isProven || !proven)
  );
}

/** Whether the same request may succeed a moment later: it, or its response, was lost on its way. */
export const isTemporary = (status: Response["status"]): boolean =>
  status === "lost" || status === 408 || (typeof status === "number" && status >= 500 && status !== 501);
