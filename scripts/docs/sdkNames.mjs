// The names of the packages for other languages.
import { manifest } from "../lib/index.mjs";
import { nameGroup } from "../release/packageFiles.mjs";

const capitalize = (text) => text[0].toUpperCase() + text.slice(1);

/**
 * Where the package comes from: `repository` in package.json is the one place that names the repository and its owner.
 * Without it, the names of SDKs have the owner "example".
 */
export const [address, owner, repo] =
  /https:\/\/github\.com\/([^/]+)\/([^/]+?)(?=\.git$)/.exec(manifest.repository?.url) ?? [];

/** A name in Java and .NET begins with no digit. */
const toIdentifier = (text) => text.replace(/^(?=\d)/, "_");

/** What the names of generated SDKs begin with; by default, Pulumi's own packages. */
export const sdkNames = {
  owner: owner ?? "example",
  go: `${address?.replace("https://", "") ?? `example.com/${manifest.name}`}/sdk/go/tunneledge`,
  group: nameGroup(owner),
  java: owner ? `io.github.${toIdentifier(owner.toLowerCase().replaceAll("-", ""))}` : "com.example",
  csharp: toIdentifier((owner ?? "example").split("-").map(capitalize).join("")),
};
