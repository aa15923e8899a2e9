/** The versions of Pulumi's SDK that this package supports. */
import { execFileSync } from "node:child_process";
import { manifest, sdk } from "../data/manifest";

let sdks: { version: string; "engines.node": string }[] | undefined;

/** Those in the registry that run on this Node, from the oldest to the newest. */
export function listSdks(node = Number.parseInt(process.versions.node, 10)): string[] {
  const range = `${sdk}@${manifest.peerDependencies[sdk]}`;
  const view = () => execFileSync("npm", ["view", range, "version", "engines.node", "--json"], { encoding: "utf8" });
  sdks ??= JSON.parse(view()) as NonNullable<typeof sdks>;
  return sdks
    .filter(({ "engines.node": needed }) => Number(/^>=(\d+)/.exec(needed)![1]) <= node)
    .map(({ version }) => version)
    .sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
}
