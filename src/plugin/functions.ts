/** The functions, by name: `getTunnels`. */

import { ProviderError } from "../core/errors";
import { type Query, readList, readOne } from "../core/functions/query";
import type { SharedReads } from "../core/functions/sharedReads";
import { type Marked, markNames } from "../core/secrets";
import { definitions, readOnly } from "../definitions";
import { parseToken } from "./urn";

const readable = [...definitions, ...readOnly];
const queries = new Map<string, Query>(
  [
    ...readable.map((each) => readOne<Record<string, string>, object>(each)),
    ...readable.flatMap((each) => (each.kind === "module" ? [] : readList(each))),
  ].map((query) => [query.name, query as Query]),
);

/** Runs the function of a token, `tunnel-edge:index:getTunnels`. If an argument is secret, the whole result is. */
export async function invoke(token: string, args: Marked, connect: () => SharedReads): Promise<Marked> {
  const query = queries.get(parseToken(token));
  if (!query) throw new ProviderError(`This version of pulumi-tunnel-edge has no function ${token}.`);
  const service = connect();
  try {
    const values = await query.run(service, args.values);
    return { values, marks: args.marks ? true : markNames(query.secrets) };
  } catch (error) {
    throw new ProviderError(service.redaction.format((error as Error).message));
  }
}
