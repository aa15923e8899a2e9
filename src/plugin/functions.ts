/** What reads without a resource: the functions, such as `getTunnels`, and the lists of objects by their type. */

import type { JsonObject } from "../base/json";
import { ProviderError } from "../core/errors";
import { type Query, readList, readOne, selector } from "../core/functions/query";
import type { Service } from "../core/read/service";
import { type Marked, markNames } from "../core/secrets";
import { definitions, findResource, readOnly } from "../definitions";
import { parseToken } from "./urn";

const readable = [...definitions, ...readOnly];
const queries = new Map<string, Query>(
  [
    ...readable.map((each) => readOne<Record<string, string>, object>(each)),
    ...readable.flatMap((each) => (each.kind === "module" ? [] : readList(each))),
  ].map((query) => [query.name, query as Query]),
);

/** Runs the function of a token, `tunnel-edge:index:getTunnels`. If an argument is secret, the whole result is. */
export async function invoke(token: string, args: Marked, connect: () => Service): Promise<Marked> {
  const query = queries.get(parseToken(token));
  if (!query) throw new ProviderError(`This version of pulumi-tunnel-edge has no function ${token}.`);
  const service = connect();
  try {
    const values = await query.run(service, args.values);
    return { values, marks: args.marks ? true : markNames(query.secrets) };
  } catch (error) {
    throw toProviderError(service, error);
  }
}

export interface Listed {
  id: string;
  name: string;
}

/** The objects of a type that match all filters: all of them or, with a limit of at least 1, so many. */
export async function* list(
  token: string,
  filters: JsonObject,
  limit: number,
  connect: () => Service,
): AsyncGenerator<Listed> {
  const definition = findResource(parseToken(token));
  if (definition.kind !== "object") throw new ProviderError(`The service has no list of ${definition.displayName}.`);
  const service = connect();
  let remaining = limit < 1 ? Number.POSITIVE_INFINITY : limit;
  try {
    const select = selector(definition, filters);
    for await (const page of service.lists.pages(definition.list, service.client.moment)) {
      for (const { id, description } of select(page)) {
        yield { id: String(id), name: String(description || id) };
        if (--remaining === 0) return;
      }
    }
  } catch (error) {
    throw toProviderError(service, error);
  }
}

const toProviderError = ({ redaction }: Service, error: unknown) =>
  new ProviderError(redaction.format((error as Error).message));
