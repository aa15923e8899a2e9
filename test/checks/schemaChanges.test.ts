/**
 * The package schema is a promise to programs in other languages. test/states has that of each release. What breaks
 * programs must be in the changelog; before the first release, the schema is compared with the one recorded last.
 * Promise: "The changelog lists breaking changes".
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifest } from "../support/data/manifest";
import type { Properties } from "../support/engine/provider";
import { formatJson } from "../support/formatJson";
import { root } from "../support/root";
import { findBreakingChanges, findUnannounced, type PackageSchema } from "../support/schemaChanges";

const readText = (file: string) => readFileSync(join(root, file), "utf8");
const schema: PackageSchema = JSON.parse(readText("plugin/schema.json"));
const fileOf = (version: string) => `test/states/schema-${version}.json`;
const { version } = manifest;

/** Without the descriptions, which promise nothing. A property may be named `description`. */
const withoutDescriptions = JSON.parse(JSON.stringify(schema), (key, value) =>
  key === "description" && typeof value === "string" ? undefined : value,
);
if (process.env["RECORD_STATE"] !== undefined)
  writeFileSync(join(root, fileOf(version)), formatJson(withoutDescriptions, 2));

const compareVersions = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
const versions = readdirSync(join(root, "test/states"))
  .flatMap((name) => /^schema-(.*)\.json$/.exec(name)?.[1] ?? [])
  .sort(compareVersions);

test("the schema of each recorded state is recorded, too", () => {
  const states = readdirSync(join(root, "test/states")).flatMap((name) => /^(\d.*)\.json$/.exec(name)?.[1] ?? []);
  expect(versions).toEqual(states.sort(compareVersions));
});

test("the changelog has each change since the last release that breaks programs; until 0.1.0, record it with `npm run record`", () => {
  const last = versions.findLast((each) => compareVersions(each, version) < 0) ?? version;
  const old: PackageSchema = JSON.parse(readText(fileOf(last)));
  expect(findUnannounced(old, schema, readText("CHANGELOG.md"))).toEqual([]);
});

const token = (name: string) => `tunnel-edge:index:${name}`;
/** An edit of the schema: a value at a path, in which names stand for tokens, or no value. */
type Edit = [path: string, value?: unknown];

/** The schema after an edit, in the next version. */
function edited([path, value]: Edit, version = "0.2.0"): PackageSchema {
  const changed: Properties = { ...structuredClone(schema), version };
  const keys = path.split("/");
  if (/^(resources|functions|types)$/.test(keys[0]!)) keys[1] = token(keys[1]!);
  const last = keys.pop()!;
  const parent = keys.reduce((inner, key) => inner[key], changed);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return changed as PackageSchema;
}
const breaks = (next: PackageSchema) =>
  findBreakingChanges(schema, next).map(({ names, change }) => `${names.join(".")} ${change}`);

const tcpEdge = schema.resources[token("TcpEdge")]!;
const metadataRemoved: Edit = ["resources/TcpEdge/inputProperties/metadata"];

test.each<[what: string, edit: Edit, broken: string]>([
  ["a removed resource", ["resources/TcpEdge"], "TcpEdge is removed"],
  ["a removed function", ["functions/getTunnels"], "getTunnels is removed"],
  ["a removed argument", metadataRemoved, "TcpEdge.metadata is removed"],
  ["a required argument", ["resources/TcpEdge/requiredInputs", ["hostports"]], "TcpEdge.hostports is required"],
  [
    "a required argument of a module",
    ["types/TlsTermination/required", ["terminateAt"]],
    "TlsTermination.terminateAt is required",
  ],
  ["a required filter", ["functions/getTcpEdges/inputs/required", ["hostport"]], "getTcpEdges.hostport is required"],
  ["a resource that can no longer be listed", ["resources/TcpEdge/listInputs"], "TcpEdge.list is removed"],
  [
    "an output that may be unset",
    ["resources/TcpEdge/required", ["hostports", "createdAt"]],
    "TcpEdge.uri may be unset",
  ],
  [
    "another type of a list's items",
    ["resources/TcpEdge/inputProperties/hostports/items", { type: "integer" }],
    "TcpEdge.hostports has another type",
  ],
  [
    "an argument that replaces",
    ["resources/TcpEdge/inputProperties/hostports/willReplaceOnChanges", true],
    "TcpEdge.hostports replaces the resource",
  ],
  [
    "an argument that no longer replaces",
    ["resources/SshCredential/inputProperties/publicKey/willReplaceOnChanges"],
    "SshCredential.publicKey no longer replaces the resource",
  ],
  [
    "another default",
    ["types/IpRestriction/properties/enabled/default", false],
    "IpRestriction.enabled has another default",
  ],
  [
    "an output that is no longer secret",
    ["resources/ApiKey/properties/token/secret"],
    "ApiKey.token is no longer secret",
  ],
  ["a removed value of an enum", ["types/TerminateAt/enum", [{ value: "edge" }]], "TerminateAt.upstream is removed"],
  ["a removed setting", ["config/variables/maxRetries"], "tunnel-edge:maxRetries is removed"],
  [
    "another name of an SDK",
    ["language/go/rootPackageName", "tunnels"],
    "tunneledge is no longer a name in the SDK (go)",
  ],
])("%s breaks programs", (_, edit, broken) => {
  expect(breaks(edited(edit))).toEqual([broken]);
});

test("a renamed type breaks programs", () => {
  const renamed = edited(["types/Upstream", schema.types[token("Backend")]]);
  delete renamed.types[token("Backend")];
  renamed.resources = JSON.parse(JSON.stringify(renamed.resources).replaceAll("index:Backend", "index:Upstream"));
  const users = ["TcpEdge", "TlsEdge"].map((type) => `${type}.backend has another type`);
  expect(breaks(renamed).sort()).toEqual(["Backend is removed", ...users]);
});

test.each<[what: string, edit: Edit]>([
  ["a new resource", ["resources/Other", tcpEdge]],
  ["a new argument", ["resources/TcpEdge/inputProperties/other", { type: "string" }]],
  ["an argument that is no longer required", ["resources/SshCredential/requiredInputs"]],
  ["an output that is always set", ["resources/TcpEdge/required", [...tcpEdge.required!, "metadata"]]],
  [
    "a result that is always set",
    ["types/GetTcpEdgesTcpEdge/required", [...schema.types[token("GetTcpEdgesTcpEdge")]!.required!, "metadata"]],
  ],
  [
    "another value of an enum",
    ["types/TerminateAt/enum", [...schema.types[token("TerminateAt")]!.enum!, { value: "nowhere" }]],
  ],
])("%s breaks nothing", (_, edit) => {
  expect(breaks(edited(edit))).toEqual([]);
});

test("the changelog must name a breaking change in one item of its version", () => {
  const items = (...lines: string[]) => `## 0.2.0 - unreleased\n\n${lines.join("\n")}\n\n## 0.1.0 - 2026-11-20\n`;
  const find = (changelog: string) => findUnannounced(schema, edited(metadataRemoved), changelog);
  const missing = ["TcpEdge.metadata is removed. Name it in the changelog of 0.2.0."];
  expect(find(items("- `metadata` of a", "  `TcpEdge` is removed."))).toEqual([]);
  expect(find(items("- `metadata` of `TlsEdge` is removed.", "- `TcpEdge` has more."))).toEqual(missing);
  expect(find(`${items("- More.")}\n- \`TcpEdge\` has \`metadata\`.`)).toEqual(missing);
});

test.each([
  ["0.1.1", "0.1.0", "0.1.1 breaks programs of 0.1.0, which only 0.2.0 may."],
  ["1.3.0", "1.2.0", "1.3.0 breaks programs of 1.2.0, which only 2.0.0 may."],
  ["0.2.0", "0.1.9", undefined],
  ["2.0.0", "1.9.0", undefined],
])(
  "only the next major version may break programs, and before 1.0.0 the next minor one: %s after %s",
  (next, last, message) => {
    const log = `## ${next} - unreleased\n- \`metadata\` of \`TcpEdge\` is removed.\n`;
    expect(findUnannounced({ ...schema, version: last }, edited(metadataRemoved, next), log)).toEqual(
      message ? [message] : [],
    );
  },
);
