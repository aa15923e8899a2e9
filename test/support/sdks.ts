/** The supported versions of Pulumi's SDK, and the Node that each needs. */
import { execFileSync } from "node:child_process";
import { manifest, sdk } from "./manifest";

export interface Sdk {
  version: string;
  needsNode: number;
}

let sdks: Sdk[] | undefined;

/** The SDKs in the registry that this package supports and that run on this Node, from the oldest to the newest. */
export function listSdks(node = Number.parseInt(process.versions.node, 10)): Sdk[] {
  const range = `${sdk}@${manifest.peerDependencies[sdk]}`;
  const view = () => execFileSync("npm", ["view", range, "version", "engines.node", "--json"], { encoding: "utf8" });
  sdks ??= (JSON.parse(view()) as { version: string; "engines.node": string }[])
    .map(({ version, "engines.node": needed }) => ({ version, needsNode: Number(/^>=(\d+)/.exec(needed)![1]) }))
    .sort((a, b) => a.version.localeCompare(b.version, undefined, { numeric: true }));
  return sdks.filter(({ needsNode }) => needsNode <= node);
}
