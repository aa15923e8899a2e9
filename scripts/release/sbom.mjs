// The software bill of materials of the plugin's archive, in the format of CycloneDX.

import { readPackage } from "../dev/plugin.mjs";
import { manifest } from "../lib/index.mjs";

const describe = (name, version, license) => ({
  type: "library",
  "bom-ref": `${name}@${version}`,
  name,
  version,
  purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  licenses: [{ expression: license.replaceAll(/[{}]/g, "") }],
});

/** The packages, given by their folders, and Node: its version, where it is from, and the SHA-256 sum of its executable. */
export function createSbom(packages, { version: nodeVersion, origin, hash }) {
  const components = packages.map(readPackage).map(({ name, version, license }) => describe(name, version, license));
  const node = {
    type: "platform",
    "bom-ref": `node@${nodeVersion}`,
    name: "node",
    version: nodeVersion,
    purl: `pkg:generic/node@${nodeVersion}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: "MIT" } }],
    hashes: [{ alg: "SHA-256", content: hash }],
    externalReferences: [{ type: "distribution", url: origin }],
  };
  const sbom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...describe(manifest.name, manifest.version, manifest.license), type: "application" } },
    components: [...components, node],
  };
  return `${JSON.stringify(sbom, undefined, 2)}\n`;
}
