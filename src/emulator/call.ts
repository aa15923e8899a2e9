import type { Clock } from "./agents";
import type { FieldOptions } from "./fields";
import type { Store } from "./store";
import type { User } from "./types";
import type { Views } from "./views";

/** The service's behaviour where the API document leaves it open. */
export interface Behaviour extends FieldOptions {
  /** The response to reading a module that is not set. */
  emptyModule: "404" | "null" | "empty";
  /** The maximum number of objects on a page of a list. */
  pageSize: number;
}

/** An authenticated request to an operation. */
export interface Call<B = unknown> {
  store: Store;
  clock: Clock;
  behaviour: Behaviour;
  caller: User;
  /** The path's `id` and `edge_id`. */
  params: Record<string, string>;
  query: URLSearchParams;
  body: B;
  views: Views;
}
