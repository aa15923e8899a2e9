import { refuse } from "./errors";
import type { Call } from "./operations";
import type { Collection } from "./store";

const largest = 100;

/** The paged list envelope: newest first, and the address of the next page. */
export function list<T extends { id: string }>(
  { query, behaviour, show }: Call,
  path: string,
  name: string,
  collection: Collection<T>,
  view: (object: T) => unknown,
) {
  const limit = Math.min(limitOf(query), behaviour.pageSize);
  const { objects, more } = collection.page(limit, query.get("before_id") ?? undefined);
  const uri = show.base + path;
  const last = objects.at(-1);
  const next = more && last ? `${uri}?${new URLSearchParams({ before_id: last.id, limit: `${limit}` })}` : null;
  return { [name]: objects.map(view), uri, next_page_uri: next };
}

function limitOf(query: URLSearchParams): number {
  const given = query.get("limit");
  if (given === null) return largest;
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  return limit >= 1 && limit <= largest
    ? limit
    : refuse("BAD_QUERY", `The query parameter "limit" must be from 1 to ${largest}.`);
}
