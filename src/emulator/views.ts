import { objectPath } from "./ids";
import type { Store } from "./store";

/** How responses contain an OIDC client secret. */
export type OidcSecrets = "clear" | "masked" | "absent";

export const mask = "********";

/** What the form of an object in responses depends on. */
export interface ViewContext {
  store: Store;
  /** The base of URLs. */
  baseUrl: string;
  oidcSecrets: OidcSecrets;
}

/** A reference to another object. */
export interface Ref {
  id: string;
  uri: string;
}

export const createRef = ({ baseUrl }: ViewContext, id: string, defaultPath?: string): Ref => ({
  id,
  uri: baseUrl + objectPath(id, defaultPath),
});
