/** The functions, by name: `getTunnels`. */

import { ProviderError } from "../core/errors";
import { type Query, readList, readOne } from "../core/functions/query";
import type { SharedReads } from "../core/functions/sharedReads";
import { definitions, readOnly } from "../definitions";
import type { JsonObject } from "../json";

const readable = [...definitions, ...readOnly];
const queries = new Map<string, Query>(
  [
    ...readable.map((each) => readOne<Record<string, string>, object>(each)),
    ...readable.flatMap((each) => (each.kind === "module" ? [] : readList(each))),
  ].map((query) => [query.name, query as Query]),
);

/** Runs the function of a token, `tunnel-edge:index:getTunnels`. Returns its result, and which of it is secret. */
export async function invoke(
  token: string,
  args: JsonObject,
  connect: () => SharedReads,
): Promise<{ result: JsonObject; secrets: string[] }> {
  const query = queries.get(token.split(":").at(-1)!);
  if (!query) throw new ProviderError(`This version of pulumi-tunnel-edge has no function ${token}.`);
  const service = connect();
  try {
    return { result: await query.run(service, args), secrets: query.secrets };
  } catch (error) {
    throw new ProviderError(service.redaction.format((error as Error).message));
  }
}
