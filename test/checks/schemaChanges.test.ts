/**
 * The package schema is a promise to programs in other languages. test/states has that of each release. What breaks
 * programs must be in the changelog; before the first release, the schema is compared with the one recorded last.
 * Promise: "The changelog lists breaking changes".
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";
import { findBreakingChanges, findUnannounced, type PackageSchema } from "../support/schemaChanges";

const readText = (file: string) => readFileSync(join(root, file), "utf8");
const schema: PackageSchema = JSON.parse(readText("plugin/schema.json"));
const fileOf = (version: string) => `test/states/schema-${version}.json`;
const { version } = manifest;

/** Without the descriptions, which promise nothing. A property may be named `description`. */
const recorded = `${JSON.stringify(schema, (key, value) => (key === "description" && typeof value === "string" ? undefined : value), 2)}\n`;
if (process.env["RECORD_STATE"] !== undefined) writeFileSync(join(root, fileOf(version)), recorded);

const compareVersions = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
const versions = readdirSync(join(root, "test/states"))
  .flatMap((name) => /^schema-(.*)\.json$/.exec(name)?.[1] ?? [])
  .sort(compareVersions);

test("the schema of each recorded state is recorded, too", () => {
  const states = readdirSync(join(root, "test/states")).flatMap((name) => /^(\d.*)\.json$/.exec(name)?.[1] ?? []);
  expect(versions).toEqual(states.sort(compareVersions));
});

test("what breaks programs since the last release is in the changelog; until 0.1.0, record it with `npm run record`", () => {
  const last = versions.findLast((each) => compareVersions(each, version) < 0) ?? version;
  const old: PackageSchema = JSON.parse(readText(fileOf(last)));
  expect(findUnannounced(old, schema, readText("CHANGELOG.md"))).toEqual([]);
});

/** The schema after a change, in the next version. */
function change(edit: (schema: PackageSchema) => void, next = "0.2.0"): PackageSchema {
  const changed = structuredClone(schema);
  changed.version = next;
  edit(changed);
  return changed;
}
const token = (name: string) => `tunnel-edge:index:${name}`;
const resource = (of: PackageSchema, name = "TcpEdge") => of.resources[token(name)]!;
const functionOf = (of: PackageSchema) => of.functions[token("getTcpEdges")]!;
const type = (of: PackageSchema, name: string) => of.types[token(name)]!;

test.each<[what: string, edit: (schema: PackageSchema) => void, broken: string[]]>([
  [
    "a removed resource",
    (of) => {
      delete of.resources[token("TcpEdge")];
    },
    ["TcpEdge is removed"],
  ],
  [
    "a removed function",
    (of) => {
      delete of.functions[token("getTunnels")];
    },
    ["getTunnels is removed"],
  ],
  [
    "a renamed type",
    (of) => {
      of.types[token("Upstream")] = type(of, "Backend");
      delete of.types[token("Backend")];
      const text = JSON.stringify(of.resources).replaceAll("index:Backend", "index:Upstream");
      of.resources = JSON.parse(text);
    },
    ["Backend is removed", "TcpEdge.backend has another type", "TlsEdge.backend has another type"],
  ],
  [
    "a removed argument",
    (of) => {
      delete resource(of).inputProperties!["metadata"];
    },
    ["TcpEdge.metadata is removed"],
  ],
  [
    "an argument that becomes required",
    (of) => {
      resource(of).requiredInputs = ["hostports"];
    },
    ["TcpEdge.hostports is required"],
  ],
  [
    "an argument of a module that becomes required",
    (of) => {
      type(of, "TlsTermination").required = ["terminateAt"];
    },
    ["TlsTermination.terminateAt is required"],
  ],
  [
    "a filter that becomes required",
    (of) => {
      functionOf(of).inputs.required = ["hostport"];
    },
    ["getTcpEdges.hostport is required"],
  ],
  [
    "a resource that can no longer be listed",
    (of) => {
      delete resource(of).listInputs;
    },
    ["TcpEdge.list is removed"],
  ],
  [
    "an output that may be unset",
    (of) => {
      resource(of).required = ["hostports", "createdAt"];
    },
    ["TcpEdge.uri may be unset"],
  ],
  [
    "another type of a list's items",
    (of) => {
      resource(of).inputProperties!["hostports"]!.items = { type: "integer" };
    },
    ["TcpEdge.hostports has another type"],
  ],
  [
    "an argument that replaces",
    (of) => {
      resource(of).inputProperties!["hostports"]!.willReplaceOnChanges = true;
    },
    ["TcpEdge.hostports replaces the resource"],
  ],
  [
    "an argument that no longer replaces",
    (of) => {
      delete resource(of, "SshCredential").inputProperties!["publicKey"]!.willReplaceOnChanges;
    },
    ["SshCredential.publicKey no longer replaces the resource"],
  ],
  [
    "another default",
    (of) => {
      type(of, "IpRestriction").properties!["enabled"]!.default = false;
    },
    ["IpRestriction.enabled has another default"],
  ],
  [
    "an output that is no longer secret",
    (of) => {
      delete resource(of, "ApiKey").properties!["token"]!.secret;
    },
    ["ApiKey.token is no longer secret"],
  ],
  [
    "a removed value of an enum",
    (of) => {
      type(of, "TerminateAt").enum!.pop();
    },
    ["TerminateAt.upstream is removed"],
  ],
  [
    "a removed setting",
    (of) => {
      delete of.config.variables["maxRetries"];
    },
    ["tunnel-edge:maxRetries is removed"],
  ],
  [
    "another name of an SDK",
    (of) => {
      of.language["go"] = { ...of.language["go"], rootPackageName: "tunnels" };
    },
    ["tunneledge is no longer a name in the SDK (go)"],
  ],
])("%s breaks programs", (_, edit, broken) => {
  const found = findBreakingChanges(schema, change(edit));
  expect(found.map(({ names, change }) => `${names.join(".")} ${change}`).sort()).toEqual(broken.sort());
});

test.each<[what: string, edit: (schema: PackageSchema) => void]>([
  [
    "a new resource",
    (of) => {
      of.resources[token("Other")] = resource(of);
    },
  ],
  [
    "a new argument",
    (of) => {
      resource(of).inputProperties!["other"] = { type: "string" };
    },
  ],
  [
    "an argument that is no longer required",
    (of) => {
      delete resource(of, "SshCredential").requiredInputs;
    },
  ],
  [
    "an output that is always set",
    (of) => {
      resource(of).required!.push("metadata");
    },
  ],
  [
    "a result that is always set",
    (of) => {
      type(of, "GetTcpEdgesTcpEdge").required!.push("metadata");
    },
  ],
  [
    "another value of an enum",
    (of) => {
      type(of, "TerminateAt").enum!.push({ value: "nowhere" });
    },
  ],
])("%s breaks nothing", (_, edit) => {
  expect(findBreakingChanges(schema, change(edit))).toEqual([]);
});

const removal = (of: PackageSchema) => {
  delete resource(of).inputProperties!["metadata"];
};

test("the changelog of the version names, in one item, what breaks", () => {
  const items = (...lines: string[]) => `## 0.2.0 - unreleased\n\n${lines.join("\n")}\n\n## 0.1.0 - 2026-11-20\n`;
  const find = (changelog: string) => findUnannounced(schema, change(removal), changelog);
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
])("%s after %s", (next, last, message) => {
  const log = `## ${next} - unreleased\n- \`metadata\` of \`TcpEdge\` is removed.\n`;
  expect(findUnannounced({ ...schema, version: last }, change(removal, next), log)).toEqual(message ? [message] : []);
});
