import type { FieldOptions } from "./fields";
import type { ViewContext } from "./views";

export interface Clock {
  now(): number;
  /** RFC 3339, UTC, whole seconds. */
  timestamp(): string;
  /** How long an update takes, in milliseconds. */
  readonly updateMs: number;
  /** How long after an update a restart still uses the old version, in milliseconds. */
  readonly updateGraceMs: number;
}

/** The service's behaviour where the API document leaves it open. */
export interface Behaviour extends FieldOptions {
  /** The response to reading a module that is not set. */
  emptyModule: "404" | "null" | "empty";
  /** The maximum number of objects on a page of a list. */
  pageSize: number;
}

/** An owner of keys and credentials. */
export interface User {
  id: string;
  /** Admins may name an owner other than themselves. */
  admin: boolean;
}

/** An authenticated request to an operation. */
export interface Call<B = unknown> extends ViewContext {
  clock: Clock;
  behaviour: Behaviour;
  caller: User;
  /** The path's `id` and `edge_id`. */
  params: Record<string, string>;
  query: URLSearchParams;
  body: B;
}
