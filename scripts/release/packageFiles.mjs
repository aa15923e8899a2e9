// The files of the packages for Java and .NET, which are attached to the release, by the names in the plugin's schema.
// It depends only on Node.
import fs from "node:fs";
import path from "node:path";
import { root } from "../lib/index.mjs";

export const readSchema = () => JSON.parse(fs.readFileSync(path.join(root, "plugin/schema.json"), "utf8"));

/** In Maven Central, a group has the name of an account on GitHub as it is, with its hyphens. */
export const nameGroup = (owner) => (owner ? `io.github.${owner.toLowerCase()}` : "com.example");

export function packageFiles({ version, language, repository } = readSchema()) {
  const [, owner] = /github\.com\/([^/]+)/.exec(repository ?? "") ?? [];
  const artifact = "pulumi-tunnel-edge";
  const dotnetId = `${language.csharp.rootNamespace}.TunnelEdge`;
  return {
    coordinates: { group: nameGroup(owner), artifact },
    dotnetId,
    java: [".jar", "-sources.jar", "-javadoc.jar", ".pom"].map((end) => `${artifact}-${version}${end}`),
    dotnet: [`${dotnetId}.${version}.nupkg`],
  };
}
