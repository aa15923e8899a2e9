/** What a change opens, read from its preview: `pulumi-tunnel-edge/exposure`. Loads no SDK. */

import { equal, isObject } from "../json";
import { joinWithAnd, quote } from "../quote";
import { type EdgeChange, listEdgeChanges } from "./edges";
import { type Edge, isHidden, isOn, opens, restrictions, restricts } from "./model";
import { parsePreview } from "./preview";

export { PreviewError } from "./preview";

/** An edge that a change opens. */
export interface OpenedEdge {
  /** The URN of the edge or, if the program does not have the edge, of the resource that restricted it. */
  urn: string;
  /** The edge's id before the change. */
  id: string;
  /** Whether it is certain. It is not if a value that decides is unknown or a secret. */
  isCertain: boolean;
  /** One sentence that names the edge, its hostports and the reason. */
  message: string;
}

/**
 * Returns the edges that something restricts before a change, and to which anyone can connect afterwards.
 *
 * @param preview What `pulumi preview --json --show-sames --show-replacement-steps` prints, parsed. Anything else throws a
 * `PreviewError`.
 */
export function findOpenedEdges(preview: unknown): OpenedEdge[] {
  const opened = listEdgeChanges(parsePreview(preview)).flatMap((change): OpenedEdge[] => {
    const { resource, id, before, after } = change;
    const answer = opens(before, after);
    const lost = restrictions.filter((name) => isLost(name, before, after));
    if (answer === false || lost.length === 0) return [];
    return [{ urn: resource.urn, id, isCertain: answer === true, message: describe(change, lost, answer === true) }];
  });
  return opened.sort((a, b) => (a.message < b.message ? -1 : 1));
}

/** Whether a module restricts an edge before the change, and may no longer do so afterwards. */
function isLost(name: string, before: Edge, after: Edge): boolean {
  const [was, is] = [restricts(before, name), restricts(after, name)];
  const isUnchanged = was === is && equal(before[name], after[name]);
  return was !== false && is !== true && !isUnchanged;
}

function describe({ resource, id, after }: EdgeChange, lost: string[], isCertain: boolean): string {
  const { hostports } = after;
  const isListed = Array.isArray(hostports) && hostports.length > 0 && !hostports.some(isHidden);
  const address = isListed ? hostports.join(", ") : id;
  const losses = lost.filter((name) => restricts(after, name) === false).map((name) => explainLoss(name, after));
  const unknown = isCertain ? [] : listUnknown(after);
  const reasons = [joinWithAnd(losses), unknown.length > 0 && `${joinWithAnd(unknown)} ${isOrAre(unknown)} unknown`];
  const can = isCertain ? "can connect" : "might be able to connect";
  const name = `${resource.type} ${quote(resource.name)}`;
  return `${name}: after this change anyone ${can} to ${address} (${reasons.filter(Boolean).join("; ")}).`;
}

/** What else must hold for a module that is on: how it fails, and what decides it. */
const conditions: Record<string, { failed: string; path: string }> = {
  mutualTls: { failed: "TLS is terminated upstream, which ends mutualTls", path: "tlsTermination" },
  policy: { failed: "policy has no action for incoming traffic", path: "policy.inbound" },
};

const isOrAre = (names: string[]) => (names.length > 1 || names.includes("hostports") ? "are" : "is");

function explainLoss(name: string, after: Edge): string {
  if (isOn(after[name]) === true) return conditions[name]!.failed;
  return isObject(after[name]) ? `${name} is disabled` : `${name} is removed`;
}

/** The values that decide who can connect, and are not known. */
function listUnknown(edge: Edge): string[] {
  const modules = restrictions.filter((name) => restricts(edge, name) === "unknown");
  if (isOn(edge.backend) === "unknown") modules.push("backend");
  const paths = modules.map((name) => {
    if (isOn(edge[name]) === true) return conditions[name]!.path;
    return isObject(edge[name]) ? `${name}.enabled` : name;
  });
  return isHidden(edge.hostports) ? [...paths, "hostports"] : paths;
}
