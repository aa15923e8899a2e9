// Fails if something that users get has a known vulnerability: what npm installs with the package, what is bundled into
// the plugin, and the Node in its archives, which .nvmrc names.
//   node scripts/release/audit.mjs
import fs from "node:fs";
import path from "node:path";
import { bundle } from "../dev/plugin.mjs";
import { install } from "../dev/setup.mjs";
import { Failure, log, main, manifest, root, run, work } from "../lib/index.mjs";

const releases = process.env.NODE_RELEASES ?? "https://nodejs.org/dist/index.json";

/** The advisories of npm for the packages in these folders. The others are only used to develop the package. */
async function auditPackages(folders) {
  const report = await run("npm", ["audit", "--json"], { cwd: root }).then(
    ({ stdout }) => stdout,
    (error) => error.message.slice(error.message.indexOf("{")),
  );
  const { vulnerabilities, message } = JSON.parse(report);
  if (!vulnerabilities) throw new Failure(`npm audit failed: ${message}`);
  return Object.values(vulnerabilities)
    .filter(({ nodes }) => nodes.some((node) => folders.includes(node)))
    .flatMap(({ name, via }) =>
      // A string names a dependency of the package, which counts if it is shipped itself.
      via.filter((each) => typeof each !== "string").map(({ title, url }) => `${name}: ${title} (${url})`),
    );
}

/** The security releases of Node that are newer than the one in the archives. */
async function auditNode() {
  const nodeVersion = fs.readFileSync(path.join(root, ".nvmrc"), "utf8").trim();
  const parse = (text) => text.replace("v", "").split(".").map(Number);
  const [major, minor, patch] = parse(nodeVersion);
  const response = await fetch(releases);
  if (!response.ok) throw new Failure(`${releases} returned ${response.status}.`);
  return (await response.json())
    .filter(({ version, security }) => {
      const [otherMajor, otherMinor, otherPatch] = parse(version);
      const isNewer = otherMinor > minor || (otherMinor === minor && otherPatch > patch);
      return security && otherMajor === major && isNewer;
    })
    .map(({ version }) => `Node ${nodeVersion}: ${version} is a security release. Set it in .nvmrc.`);
}

await main(async () => {
  await install();
  const bundled = await bundle(path.join(work, "audited.js"));
  const installed = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);
  const problems = [...(await auditPackages([...bundled, ...installed])), ...(await auditNode())];
  if (problems.length > 0) throw new Failure(problems.join("\n"));
  log(`No known vulnerability in ${[...new Set([...bundled, ...installed])].length} packages and Node.`);
});
