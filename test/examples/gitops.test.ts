/**
 * The mistakes that examples/gitops finds in files, and whether the workflows and manifests of both GitOps examples are
 * valid for GitHub and Kubernetes.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { readFiles } from "../../examples/gitops/files";
import { findActionlint } from "../support/cli/actionlint";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

const example = join(root, "examples/gitops");
const withoutCode = join(root, "examples/gitops-yaml");
const workflowsOf = (folder: string) =>
  ["edges.yml", "gitops.yml"].map((name) => join(folder, ".github/workflows", name)) as [string, string];
const [[workflow, caller], [yamlWorkflow, yamlCaller]] = [workflowsOf(example), workflowsOf(withoutCode)] as const;
const temporary = mkdtempSync(join(tmpdir(), "gitops-"));
afterAll(() => rmSync(temporary, { recursive: true }));

/** The mistakes in a folder with these files. */
function findMistakes(files: Record<string, string>): string[] {
  const folder = join(mkdtempSync(join(temporary, "-")), "edges");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  try {
    readFiles(folder);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n").slice(1);
  }
}

test.each(["gitops", "gitops-yaml"])("the README of %s has the .gitignore that npm does not pack", (name) => {
  const [readme, ignored] = ["README.md", ".gitignore"].map((file) =>
    readFileSync(join(root, "examples", name, file), "utf8"),
  );
  const [, block] = /^ *```gitignore\n([\s\S]*?)^ *```$/m.exec(readme!)!;
  expect(block!.replace(/^ {3}/gm, "")).toBe(ignored);
});

describe("readFiles", () => {
  test("returns the arguments of each resource, named after its file", () => {
    expect(readFiles(join(example, "edges"))).toMatchObject([
      { name: "api", type: "TlsEdge", args: { tlsTermination: { terminateAt: "edge", minVersion: "1.3" } } },
      { name: "db", type: "TcpEdge", args: { ipRestriction: { ipPolicyIds: ["ipp_warehouse", "ipp_office"] } } },
      { name: "ssh", type: "TcpEdge", args: { hostports: ["1.tcp.tunnel.example:20022"] } },
    ]);
  });

  const cases: Record<string, [text: string, ...mistakes: string[]]> = {
    "no type": ["description: x", expect.stringMatching(/^1:1: type is required; use "ApiKey", .* or /)],
    "another spelling of a type": ["type: tcp_edge", '1:1: type "tcp_edge" is not a resource: did you mean "TcpEdge"?'],
    "another spelling": [
      "type: TcpEdge\nip_restriction: {}",
      '2:1: ip_restriction is not an argument: did you mean "ipRestriction"?',
    ],
    "another spelling of a required argument": [
      "type: TcpEdge\nbackend:\n  backend_id: bkdhr_a",
      '3:3: backend.backend_id is not an argument: did you mean "backendId"?',
    ],
    "a missing argument of a module": [
      "type: TcpEdge\nbackend:\n  enabled: true",
      "2:1: backend.backendId is required",
    ],
    "a missing argument": ["type: SshCredential\nacl: []", "1:1: publicKey is required"],
    "a missing argument below a comment": ["# The key.\ntype: SshCredential", "2:1: publicKey is required"],
    "no value": ["type: TcpEdge\ndescription:", "2:1: description has no value; add one, or remove it"],
    "a number": [
      "type: TlsEdge\ntlsTermination:\n  minVersion: 1.3",
      "3:3: tlsTermination.minVersion must be a string, not a number",
    ],
    "an address without a port": [
      "type: TcpEdge\nhostports:\n    - a.example:1\n    - b.example",
      '4:7: hostports[1] must be "<host>:<port>", such as "1.tcp.example.com:20022", not "b.example"',
    ],
    "a rule of a policy": [
      "type: TcpEdge\npolicy:\n  inbound:\n    - name: a\n      action: deny",
      '5:7: policy.inbound[0].action is not an argument: did you mean "actions"?',
    ],
    "a rule between arguments": [
      "type: TlsEdge\ntlsTermination:\n  terminateAt: upstream\n  minVersion: '1.2'",
      '4:3: tlsTermination.minVersion cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not terminate TLS',
    ],
    "a header of an HTTPS edge's route": [
      "type: HttpsEdgeRouteRequestHeaders\nedgeId: edghts_a\nrouteId: edghts_a\nadd:\n  X-Env: test\n  X-Number: 1",
      '3:1: routeId must be the id of a route of an HTTPS edge ("edghtsrt_…"), not "edghts_a"',
      "6:3: add: a value must be a string, not a number",
    ],
    "an argument twice": ["type: TcpEdge\ntype: TcpEdge", "2:1: the argument is declared twice; remove one of the two"],
    "two resources": [
      "type: TcpEdge\n---\ntype: TcpEdge",
      "2:1: a file declares one resource; move what follows to another file",
    ],
    "a tag": [
      "type: TcpEdge\ndescription: !secret x",
      "2:14: tags, which begin with !, are not supported; write the value itself",
    ],
    "no YAML": [
      "type: TcpEdge\nhostports: [a.example:1",
      expect.stringMatching(/^[23]:\d+: Flow sequence .* end with a \]/),
    ],
    "an earlier name that is a file name": [
      "type: TcpEdge\nformerly: ssh.yaml",
      "2:1: formerly must be the file's earlier name, without .yaml",
    ],
    "an earlier name that is its own": [
      "type: TcpEdge\nformerly: a",
      "2:1: formerly: a.yaml still exists; remove it, or remove formerly",
    ],
    "an import without an id": ["type: TcpEdge\nimport:", "2:1: import must be an id"],
    "another spelling of the earlier name": [
      "type: ApiKey\nformally: ssh",
      expect.stringMatching(/^2:1: formally is not an argument: /),
    ],
    "an empty file": ["", "1:1: a file must have a type, such as `type: TcpEdge`, and arguments"],
  };

  test.each(Object.entries(cases))("%s is reported with its line and column", (_, [text, ...mistakes]) => {
    const reported = findMistakes({ "a.yaml": text }).map((line) => line.replace(/^edges\/a\.yaml:/, ""));
    expect(reported).toEqual(mistakes);
  });

  test("anchors and aliases are followed", () => {
    const text = "type: TcpEdge\nhostports: &all [a.example:1, nope]\npolicy:\n  inbound: *all\n";
    expect(findMistakes({ "a.yaml": text })).toEqual([
      "edges/a.yaml:2:18: policy.inbound[0] must be an object, not a string",
      expect.stringMatching(/^edges\/a\.yaml:2:31: hostports\[1\] must be /),
      "edges/a.yaml:2:31: policy.inbound[1] must be an object, not a string",
    ]);
  });

  test("all mistakes of all files are reported at once, including a hostport in two files", () => {
    const edge = "type: TcpEdge\nhostports:\n  - a.example:1\n";
    expect(
      findMistakes({
        "a.yaml": edge,
        "b.yaml": edge.replace("a.", "A."),
        "c.yml": edge,
        "d.yaml": "type: ApiKey\nmetadata: 1\nowner: me\n",
      }),
    ).toEqual([
      'edges/b.yaml:3:5: hostports[0]: "A.example:1" is already used in edges/a.yaml:3; remove one of the two',
      "edges/c.yml:1:1: a file name must be lowercase letters, digits and hyphens, then .yaml; rename the file",
      "edges/d.yaml:2:1: metadata must be a string, not a number",
      'edges/d.yaml:3:1: owner is not an argument: did you mean "ownerId"?',
    ]);
  });

  test("an earlier name and an id are options, and only one file can have the name", () => {
    const folder = join(mkdtempSync(join(temporary, "-")), "edges");
    mkdirSync(folder);
    writeFileSync(join(folder, "gate.yaml"), "type: TcpEdge\nformerly: ssh\nimport: edgtcp_a\n");
    const options = { aliases: [{ name: "ssh" }], import: "edgtcp_a" };
    expect(readFiles(folder)).toEqual([{ name: "gate", type: "TcpEdge", args: {}, options }]);
    const renamed = "type: TcpEdge\nformerly: ssh\n";
    expect(findMistakes({ "a.yaml": renamed, "b.yaml": renamed })).toEqual([
      'edges/b.yaml:2:1: formerly: "ssh" is already used in edges/a.yaml:2; remove one of the two',
    ]);
  });
});

interface Job {
  if?: string;
  needs?: string;
  env?: object;
  permissions?: object;
  environment?: string;
  steps: { name?: string; uses?: string; run?: string; env?: object; with?: object }[];
}

describe("the workflow", () => {
  const text = readFileSync(workflow, "utf8");
  const { on, env, defaults, permissions, ...content } = parse(text);
  const jobs = content.jobs as Record<string, Job>;
  const callers = [caller, yamlCaller].map((file) => ({
    lines: readFileSync(file, "utf8"),
    ...parse(readFileSync(file, "utf8")),
  }));
  const lint = findActionlint();

  testIf(lint, "actionlint could not be built. It needs Go and its module registry.")(
    "actionlint finds nothing wrong",
    () => {
      const broken = join(temporary, "broken.yml");
      writeFileSync(broken, text.replaceAll("needs.preview.result", "needs.previews.result"));
      expect(lint!(broken)[0]).toContain('"previews" is not defined');
      for (const file of [caller, yamlCaller]) {
        // It finds the called workflow in a repository.
        const repository = mkdtempSync(join(temporary, "-"));
        mkdirSync(join(repository, ".git"));
        cpSync(join(file, "../.."), join(repository, ".github"), { recursive: true });
        expect(lint!(...workflowsOf(repository))).toEqual([]);
      }
    },
  );

  test("is the same with and without Node, which only the callers decide", () => {
    expect(readFileSync(yamlWorkflow, "utf8")).toBe(text);
    expect(callers[1]!.jobs.edges.with).toEqual({ plugin: manifest.version });
    const withoutPlugin = callers[1]!.lines.replace(/^ +with: .*\n/m, "");
    expect(withoutPlugin).toBe(callers[0]!.lines);
  });

  test("asks the API only for its comment", () => {
    expect(text.split("\n").filter((line) => line.includes("gh api"))).toEqual([
      expect.stringContaining("--paginate"),
      expect.stringContaining("--field body=@previews/comment.md"),
    ]);
  });

  test("runs for pull requests, for merges and on a schedule", () => {
    for (const { on: events, jobs: called, permissions: own } of callers) {
      expect(Object.keys(events)).toEqual(["pull_request", "push", "schedule", "workflow_dispatch"]);
      expect(called.edges.uses).toBe("./.github/workflows/edges.yml");
      expect(own).toEqual({});
      expect(Object.keys(called.edges.secrets)).toEqual(Object.keys(on.workflow_call.secrets));
      const wanted = Object.values(jobs).map((job) => job.permissions ?? permissions);
      expect(called.edges.permissions).toEqual(Object.assign({}, ...wanted));
    }
    expect(Object.keys(on)).toEqual(["workflow_call"]);
    expect(defaults.run).toEqual({ shell: "bash" }); // which GitHub runs with -eo pipefail
    expect(Object.keys(jobs)).toEqual(["preview", "check", "up", "drift"]);
    expect(jobs["up"]).toMatchObject({ environment: "production", needs: "check" });
  });

  test("the check runs no program and has no secret, and is never skipped when previews fail", () => {
    const { steps, ...check } = jobs["check"]!;
    expect(check).toEqual({
      needs: "preview",
      if: expect.stringMatching(/^always\(\) && /),
      "runs-on": "ubuntu-latest",
    });
    expect(JSON.stringify(steps)).not.toMatch(/secrets\.|pulumi (preview|up)/);
    expect(steps.at(-1)!.run).toBe("$COMMAND exposure --fail --accept open.txt previews/*.json");
    // A job's upload cannot replace a file of the checkout.
    const download = steps.find(({ uses }) => uses?.startsWith("actions/download-artifact@"));
    expect(download!.with).toMatchObject({ path: "previews" });
    expect(text.match(/npm \S+.*/g)).toEqual(["npm ci --ignore-scripts"]);
  });

  test("Node and the CLI have a version", () => {
    expect(text).toContain(" node-version: 24,");
    expect(text).toMatch(/ pulumi-version: \d+\.\d+\.\d+ /);
  });

  test("the policy pack is made where no folder of the repository can replace it", () => {
    const { run = "" } = jobs["preview"]!.steps.find(({ name }) => name === "Install")!;
    expect(run.split("\n")[0]).toMatch(/^rm -rf previews \.policy /);
    expect(run).not.toContain("cp ");
    const uses = Object.entries(jobs).flatMap(([name, { steps }]) =>
      steps.filter((step) => step.run?.includes("$POLICY")).map((step) => `${name}: ${step.name}`),
    );
    expect(uses).toEqual(["preview: Preview", "up: Preview", "up: Up"]);
  });

  test("only the steps that need a secret have it", () => {
    const hasSecret = (values: object = {}) => /secrets\.\w+/.test(Object.values(values).join("\n"));
    expect(hasSecret(env)).toBe(false);
    for (const job of Object.values(jobs)) {
      expect(hasSecret(job.env)).toBe(false);
      for (const { env: own, run = "" } of job.steps) expect(hasSecret(own)).toBe(/\bpulumi (preview|up) /.test(run));
    }
  });

  test("uses only settings that exist", () => {
    expect(findSettings(env)).toEqual(["TUNNEL_EDGE_BASE_URL"]);
  });
});

/** The names of the package's settings, which must all exist. */
function findSettings(env: object): string[] {
  const known = readFileSync(join(root, "src/base/settings.ts"), "utf8");
  const names = Object.keys(env).filter((name) => name.startsWith("TUNNEL_EDGE_"));
  for (const name of names) expect(known).toContain(`"${name}"`);
  return names;
}

describe.each([
  ["gitops", "stack.yaml"],
  ["gitops-yaml", "stack.yaml"],
  ["gitops-yaml", "program.yaml"],
])("the operator's manifest in %s, %s", (name, file) => {
  const text = readFileSync(join(root, "examples", name, "operator", file), "utf8");
  const objects = parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
  const isProgram = file === "program.yaml";
  const [account, binding] = objects;
  const stack = objects.at(-1);

  test("is a Stack with a service account, and its Program", () => {
    expect(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      "v1 ServiceAccount",
      "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
      ...(isProgram ? ["pulumi.com/v1 Program"] : []),
      "pulumi.com/v1 Stack",
    ]);
    const { name: owner, namespace } = account.metadata;
    expect(binding.subjects).toEqual([{ kind: "ServiceAccount", name: owner, namespace }]);
    expect([stack.metadata.namespace, stack.spec.serviceAccountName]).toEqual([namespace, owner]);
  });

  test("its Stack is of its project, and has an address and secrets", () => {
    // The project in the stack's name is that of Pulumi.yaml, or the Program's name.
    const project = isProgram
      ? objects[2].metadata.name
      : parse(readFileSync(join(root, "examples", name, "Pulumi.yaml"), "utf8")).name;
    expect(stack.spec.stack).toMatch(new RegExp(`^[\\w-]+/${project}/[\\w-]+$`));
    expect(stack.spec.resyncFrequencySeconds).toBeGreaterThanOrEqual(60);
    const secret = { type: "Secret", secret: { name: expect.any(String), key: expect.any(String) } };
    const address = { type: "Literal", literal: { value: expect.stringMatching(/^https:/) } };
    expect(stack.spec.envRefs).toEqual({
      ...(name === "gitops-yaml" && { PULUMI_HOME: { type: "Literal", literal: { value: "/share/pulumi" } } }),
      PULUMI_ACCESS_TOKEN: secret,
      TUNNEL_EDGE_API_KEY: secret,
      ...((isProgram || name === "gitops") && { TUNNEL_EDGE_BASE_URL: address }),
    });
    findSettings(stack.spec.envRefs);
  });

  if (name === "gitops-yaml") {
    test("an init container installs the plugin where the workspace finds it", () => {
      const { image, podTemplate } = stack.spec.workspaceTemplate.spec;
      const [container, ...others] = podTemplate.spec.initContainers;
      expect(others).toEqual([]);
      expect(container).toEqual({
        name: "plugin",
        image,
        command: [
          ..."pulumi plugin install resource tunnel-edge".split(" "),
          manifest.version,
          "--server",
          expect.stringMatching(/^https:/),
        ],
        env: [{ name: "PULUMI_HOME", value: stack.spec.envRefs.PULUMI_HOME.literal.value }],
        // The operator's own volume, which the workspace has too.
        volumeMounts: [{ name: "share", mountPath: "/share" }],
      });
    });
  }

  if (isProgram) {
    test("its Program has the operator's fields, and the Stack refers to it", () => {
      const { metadata, program, ...rest } = objects[2];
      expect(Object.keys(rest)).toEqual(["apiVersion", "kind"]);
      expect(Object.keys(program)).toEqual(["resources", "outputs"]);
      expect(program.resources.ssh).toEqual({ type: "tunnel-edge:TcpEdge", properties: expect.any(Object) });
      expect(stack.spec.programRef).toEqual({ name: metadata.name });
    });
  }
});
