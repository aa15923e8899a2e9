import type { Call } from "./call";
import { reject } from "./errors";
import type { ObjectType } from "./objectType";
import type { Stored } from "./store";

const maxPageSize = 100;

/** Returns a page of a list, newest first, with the URL of the next page. */
export function listPage<T extends Stored>(call: Call, type: ObjectType<T>, key: string) {
  const { query, behaviour, store, baseUrl } = call;
  const limit = Math.min(parseLimit(query), behaviour.pageSize);
  const { objects, hasMore } = store.getPage(type, limit, query.get("before_id") ?? undefined);
  const uri = baseUrl + type.path;
  const last = objects.at(-1);
  const next = hasMore && last ? `${uri}?${new URLSearchParams({ before_id: last.id, limit: `${limit}` })}` : null;
  return { [key]: objects.map((object) => type.view(object, call)), uri, next_page_uri: next };
}

function parseLimit(query: URLSearchParams): number {
  const value = query.get("limit");
  if (value === null) return maxPageSize;
  const limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  return limit >= 1 && limit <= maxPageSize
    ? limit
    : reject("BAD_QUERY", `The query parameter "limit" must be from 1 to ${maxPageSize}.`);
}
