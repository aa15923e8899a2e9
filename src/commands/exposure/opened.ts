/** Which public addresses a change opens, read from its previews. */

import { escapeInvisible } from "../../base/quote";
import { type AddressChange, listAddressChanges, listKnownIds, mergeChanges } from "./addresses";
import { listEdgeChanges } from "./edges";
import { describeOpening } from "./messages";
import type { Who } from "./model";
import { assertOneStack, parsePreview, type Step } from "./preview";

/** A public address that a change opens. */
export interface OpenedAddress {
  /**
   * A hostport, or a route of an HTTPS edge as `edghts_…/edghtsrt_…`. If the hostports are not known, the edge's id;
   * undefined for a new edge.
   */
  address?: string;
  /** The URN of the edge that listens there or, if the program does not have it, of the resource that restricted it. */
  urn: string;
  /** The id of that edge. A new edge has none yet. */
  id?: string;
  /** Who can connect before and after the change. */
  before: Who;
  after: Who;
  /** Whether anyone can connect afterwards. If not, anyone might be able to. */
  isCertain: boolean;
  /** With a list of accepted addresses, whether it has this one. */
  isAccepted?: boolean;
  /** One sentence that names the edge, the address and the reason. */
  message: string;
}

/**
 * Returns the public addresses to which anyone can connect after a change, or might be able to, and could not before.
 *
 * @param previews What `pulumi preview --json --show-sames --show-replacement-steps` prints, parsed. Several previews of
 * the same change, with and without `--refresh`, give one answer: what one of them opens is opened. Anything else throws
 * a `PreviewError`.
 */
export const findOpenedAddresses = (...previews: unknown[]): OpenedAddress[] => listOpened(previews.map(parsePreview));

/** The public addresses that open by the steps of these previews. */
export const listOpened = (previews: Step[][]): OpenedAddress[] =>
  listChanges(previews)
    .flatMap(toOpened)
    .sort((a, b) => (a.message < b.message ? -1 : 1));

/**
 * The public addresses of several previews of one change, each as in the preview that shows most of an opening. Somebody
 * has changed an IP policy by hand: in the preview with a refresh, the declared one would be new.
 */
export function listChanges(previews: Step[][]): AddressChange[] {
  assertOneStack(previews);
  const all = previews.map(listEdgeChanges);
  return mergeChanges(
    all.flatMap((changes) => listAddressChanges(changes, listKnownIds(all.filter((each) => each !== changes)))),
  );
}

function toOpened(change: AddressChange): OpenedAddress[] {
  const { address, before, after, opens } = change;
  if (opens === false) return [];
  const { resource, id } = after!.change;
  return [
    {
      ...(address !== undefined && { address }),
      urn: resource.urn,
      ...(id !== undefined && { id }),
      before: before?.who ?? "nobody",
      after: after!.who,
      isCertain: opens === true,
      message: escapeInvisible(describeOpening(change)),
    },
  ];
}
