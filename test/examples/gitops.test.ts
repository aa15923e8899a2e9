/**
 * The mistakes that the example finds in files, and whether its workflow and manifest are valid for GitHub and
 * Kubernetes.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { readEdges } from "../../examples/gitops/edges";
import { findActionlint } from "../support/actionlint";

const root = resolve(__dirname, "../..");
const example = join(root, "examples/gitops");
const workflow = join(example, ".github/workflows/edges.yml");
const temporary = mkdtempSync(join(tmpdir(), "gitops-"));
afterAll(() => rmSync(temporary, { recursive: true }));

/** The mistakes in a folder with these files. */
function findMistakes(files: Record<string, string>): string[] {
  const folder = join(mkdtempSync(join(temporary, "-")), "edges");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  try {
    readEdges(folder);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n").slice(1);
  }
}

describe("readEdges", () => {
  test("returns the arguments of each edge, named after its file", () => {
    expect(readEdges(join(example, "edges"))).toMatchObject([
      { name: "api", kind: "tls", args: { tlsTermination: { terminateAt: "edge", minVersion: "1.3" } } },
      { name: "db", kind: "tcp", args: { ipRestriction: { ipPolicyIds: ["ipp_warehouse", "ipp_office"] } } },
      { name: "ssh", kind: "tcp", args: { hostports: ["1.tcp.tunnel.example:20022"] } },
    ]);
  });

  const cases: Record<string, [text: string, ...mistakes: string[]]> = {
    "no kind": ["description: x", "1: kind is required."],
    "another kind": ["kind: udp", "1: kind must be tcp or tls."],
    "a module of another kind": [
      "kind: tcp\nmutualTls:\n  certificateAuthorityIds: [ca_a]",
      "2: mutualTls is not a field here. The fields are kind, description, metadata, hostports, backend, ipRestriction, policy.",
    ],
    "a name that every object has": [
      "kind: tcp\nconstructor: x",
      expect.stringMatching(/^2: constructor is not a field here\. The fields are /),
    ],
    "another spelling": [
      "kind: tcp\nip_restriction: {}",
      "2: ip_restriction is not a field here. Did you mean ipRestriction?",
    ],
    "another spelling of what is required": [
      "kind: tcp\nbackend:\n  backend_id: bkdhr_a",
      "3: backend.backend_id is not a field here. Did you mean backendId?",
    ],
    "no value": ["kind: tcp\ndescription:", "2: description has no value. Add one, or remove the line."],
    "a number": [
      "kind: tls\ntlsTermination:\n  minVersion: 1.3",
      '3: tlsTermination.minVersion must be a string, not a number. Write "1.3", with the quotes.',
    ],
    "no list": [
      "kind: tcp\nhostports: a.example:1",
      '2: hostports must be a list. Write each item on its own line, after "- ".',
    ],
    "an empty list": [
      "kind: tcp\nipRestriction:\n  ipPolicyIds: []",
      "3: ipRestriction.ipPolicyIds must have at least 1 item.",
    ],
    "a string for an object": [
      "kind: tcp\nbackend: bkdhr_a",
      "2: backend must be an object with these fields: enabled, backendId.",
    ],
    "a string for a boolean": [
      "kind: tcp\nbackend: { backendId: bkdhr_a, enabled: yes }",
      "2: backend.enabled must be true or false.",
    ],
    "an address without a port": [
      "kind: tcp\nhostports:\n  - a.example:1\n  - b.example",
      '4: hostports[1]: "b.example" is not valid. Use a value such as 1.tcp.example.com:20022.',
    ],
    "a string that is too long": [
      `kind: tcp\ndescription: ${"é".repeat(128)}`,
      "2: description has 256 bytes, but the maximum is 255. Shorten it.",
    ],
    "a rule of a policy": [
      "kind: tcp\npolicy:\n  inbound:\n    - name: a\n      action: deny",
      "5: policy.inbound[0].action is not a field here. Did you mean actions?",
    ],
    "a field twice": ["kind: tcp\nkind: tcp", "2: the field is declared twice. Remove one of the two."],
    "two edges": ["kind: tcp\n---\nkind: tcp", "2: a file declares one edge. Move what follows to another file."],
    "a tag": [
      "kind: tcp\ndescription: !secret x",
      "2: tags, which begin with !, are not supported. Write the value itself.",
    ],
    "no YAML": [
      "kind: tcp\nhostports: [a.example:1",
      expect.stringMatching(/^[23]: Flow sequence .* end with a \]\.$/),
    ],
    "an empty file": ["", expect.stringMatching(/^1: the file must be an object with these fields: kind, .*\.$/)],
  };

  test.each(Object.entries(cases))("%s is reported with its line and the fix", (_, [text, ...mistakes]) => {
    const reported = findMistakes({ "a.yaml": text }).map((line) => line.replace(/^edges\/a\.yaml:/, ""));
    expect(reported).toEqual(mistakes);
  });

  test("anchors and aliases are followed", () => {
    const text = "kind: tcp\nhostports: &all [a.example:1, nope]\npolicy:\n  inbound: *all\n";
    expect(findMistakes({ "a.yaml": text })).toHaveLength(3);
  });

  test("all mistakes of all files are reported at once, including a hostport in two files", () => {
    const edge = "kind: tcp\nhostports:\n  - A.example:1\n";
    expect(
      findMistakes({ "b.yaml": edge.toLowerCase(), "a.yaml": `${edge}metadata: 1\nowner: me\n`, "c.yml": edge }),
    ).toEqual([
      'edges/a.yaml:4: metadata must be a string, not a number. Write "1", with the quotes.',
      expect.stringMatching(/^edges\/a\.yaml:5: owner is not a field here\. The fields are kind, /),
      "edges/b.yaml:3: a.example:1 is already used in edges/a.yaml:3. Remove one of the two.",
      "edges/c.yml:1: a file name must be lowercase letters, digits and hyphens, then .yaml. Rename the file.",
    ]);
  });
});

describe("the workflow", () => {
  const lint = findActionlint();
  const title = `actionlint finds nothing wrong${lint ? "" : " (not tried: it cannot be had here)"}`;

  (lint ? test : test.skip)(title, () => {
    const broken = join(temporary, "broken.yml");
    writeFileSync(broken, readFileSync(workflow, "utf8").replace("steps.look.outputs", "steps.loook.outputs"));
    expect(lint!(broken)).toEqual([expect.stringContaining('"loook" is not defined')]);
    expect(lint!(workflow, ".github/workflows/ci.yml", ".github/workflows/release.yml")).toEqual([]);
  });

  test("previews a pull request, deploys what is merged, and checks for drift on a schedule", () => {
    const { on, defaults, jobs } = parse(readFileSync(workflow, "utf8"));
    expect(defaults.run).toEqual({ shell: "bash" }); // which GitHub runs with -eo pipefail
    expect(Object.keys(on)).toEqual(["pull_request", "push", "schedule", "workflow_dispatch"]);
    expect(Object.keys(jobs)).toEqual(["preview", "up", "drift"]);
    for (const job of Object.values<{ steps: { uses?: string; run?: string }[] }>(jobs)) {
      for (const { uses, run } of job.steps) expect(uses ?? run).toBeTruthy();
    }
  });

  test("uses only settings that exist", () => {
    const { env } = parse(readFileSync(workflow, "utf8"));
    expect(findSettings(env)).toEqual(["TUNNEL_EDGE_API_KEY", "TUNNEL_EDGE_BASE_URL"]);
  });
});

/** The names of the package's settings, which must all exist. */
function findSettings(env: object): string[] {
  const known = readFileSync(join(root, "src/settings.ts"), "utf8");
  const names = Object.keys(env).filter((name) => name.startsWith("TUNNEL_EDGE_"));
  for (const name of names) expect(known).toContain(`"${name}"`);
  return names;
}

describe("the operator's manifest", () => {
  const objects = parseAllDocuments(readFileSync(join(example, "operator/stack.yaml"), "utf8")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
  const [account, binding, stack] = objects;

  test("is a Stack with a service account", () => {
    expect(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      "v1 ServiceAccount",
      "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
      "pulumi.com/v1 Stack",
    ]);
    const { name, namespace } = account.metadata;
    expect(binding.subjects).toEqual([{ kind: "ServiceAccount", name, namespace }]);
    expect([stack.metadata.namespace, stack.spec.serviceAccountName]).toEqual([namespace, name]);
  });

  test("its Stack has the operator's fields, with the operator's types", () => {
    const types = {
      serviceAccountName: "string",
      stack: "string",
      projectRepo: "string",
      branch: "string",
      shallow: "boolean",
      refresh: "boolean",
      continueResyncOnCommitMatch: "boolean",
      resyncFrequencySeconds: "number",
      destroyOnFinalize: "boolean",
      envRefs: "object",
    };
    const actual = Object.entries(stack.spec).map(([field, value]) => [field, typeof value]);
    expect(Object.fromEntries(actual)).toEqual(types);
    expect(stack.spec.stack).toMatch(/^[\w-]+\/gitops\/[\w-]+$/);
    expect(stack.spec.resyncFrequencySeconds).toBeGreaterThanOrEqual(60);
    const secret = { type: "Secret", secret: { name: expect.any(String), key: expect.any(String) } };
    expect(stack.spec.envRefs).toEqual({
      PULUMI_ACCESS_TOKEN: secret,
      TUNNEL_EDGE_API_KEY: secret,
      TUNNEL_EDGE_BASE_URL: { type: "Literal", literal: { value: expect.stringMatching(/^https:/) } },
    });
    findSettings(stack.spec.envRefs);
  });
});
