/** The workflow of the GitOps example, job by job, with the real CLI. GitHub and its own command are simulated. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { startService } from "../support/cli/cliStack";
import { copyExample, editFile } from "../support/cli/example";
import { findPackArgument, writePackProgram } from "../support/cli/policyPack";
import { Stack } from "../support/cli/pulumi";
import {
  both,
  diffOf,
  hasJq,
  notKnown,
  opens,
  opensNothing,
  Repository,
  service,
  state,
  titlesOf,
  verdictOf,
} from "../support/cli/repository";
import { listWrites } from "../support/cli/yamlStack";
import { publicKey } from "../support/data/publicKey";
import { esbuild } from "../support/preload/preload";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

const dir = copyExample("gitops");

let emulator: Emulator;
let stack: Stack;
let repository: Repository;
/** Each preview with the pack is one more. */
const withoutPack = { POLICY: "" };
beforeAll(async () => {
  emulator = await startService();
  stack = await Stack.create({ dir, emulator, env: esbuild });
  await stack.run(["stack", "init", "production"]);
  repository = new Repository(stack, emulator, { TUNNEL_EDGE_BASE_URL: emulator.url });
  // What `npm ci` installs.
  const installed = join(repository.bin, "node_modules/pulumi-tunnel-edge");
  mkdirSync(installed, { recursive: true });
  mkdirSync(join(repository.bin, "node_modules/.bin"));
  for (const name of ["package.json", "dist"]) symlinkSync(join(root, name), join(installed, name));
  symlinkSync(join(root, "dist/bin.js"), join(repository.bin, "node_modules/.bin/pulumi-tunnel-edge"));
  repository.overrides = withoutPack;
});

const passed = { preview: "success", check: "success", up: "skipped", drift: "skipped" };
const failed = { ...passed, preview: "failure", check: "failure" };
const deployed = { ...passed, up: "success" };
const mark = "<!-- pulumi-tunnel-edge exposure: gitops/production -->";
const post = "api --silent --method POST repos/acme/edges/issues/7/comments --field body=@previews/comment.md";
const patch = "api --silent --method PATCH repos/acme/edges/issues/comments/12 --field body=@previews/comment.md";
const findEdge = (description: string) =>
  emulator.account.tcpEdges.find((edge) => edge.description.startsWith(description))!;
const address = "1.tcp.tunnel.example:20022";
const list = readFileSync(join(dir, "open.txt"), "utf8");
const writeList = (...addresses: string[]) =>
  writeFileSync(join(dir, "open.txt"), `${list}${addresses.map((each) => `${each}\n`).join("")}`);

test("a pull request: the comment has both previews, and is its own", async () => {
  const { jobs, ghCalls, published } = await repository.run("pull_request");
  expect(jobs).toEqual(passed);
  expect(ghCalls.at(-1)).toBe(post);
  expect(published.split("\n")[0]).toBe(mark);
  expect(verdictOf(published)).toBe(opensNothing);
  expect(published).not.toContain("**Errors**");
  expect(titlesOf(published)).toEqual([both]);
  expect(published).toContain("@@ create TcpEdge ");
  expect(published).toContain("```mermaid\n");
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a pull request with mistakes: they are in the comment, and each one is shown at its line and column", async () => {
  editFile(dir, "edges/db.yaml", "25432", "99999");
  editFile(dir, "edges/api.yaml", '"1.3"', "1.3");
  writeFileSync(
    join(dir, "edges/ci.yaml"),
    `type: SshCredential\npublic_key: ${publicKey("ci")}\nacl: [example.com]\n`,
  );
  const { jobs, printed, published } = await repository.run("pull_request", { found: "12\n" });
  expect(jobs).toEqual(failed);
  expect(printed["preview"]!["Comment"]!.trim().split("\n")).toEqual([
    "::error file=edges/api.yaml,line=12,col=3::tlsTermination.minVersion must be a string, not a number",
    '::error file=edges/ci.yaml,line=2,col=1::public_key is not an argument: did you mean "publicKey"?',
    '::error file=edges/ci.yaml,line=3,col=7::acl[0] must be "bind:<target>", or "*" as the only rule',
    '::error file=edges/db.yaml,line=5,col=5::hostports[0]: "1.tcp.tunnel.example:99999" has an invalid port; use 1 to 65535',
  ]);
  expect(verdictOf(published)).toBe(notKnown);
  expect(published).toContain("edges/db.yaml:5:5: hostports[0]");
  expect(published).not.toMatch(/^ +at /m);
  editFile(dir, "edges/db.yaml", "99999", "25432");
  editFile(dir, "edges/api.yaml", " 1.3", ' "1.3"');
  rmSync(join(dir, "edges/ci.yaml"));
});

const testDrift = testIf(hasJq, "jq is not installed.");
const noDrift = { ...passed, check: "skipped", drift: "success" };

test("a merge deploys any resource, and asks GitHub nothing that only a comment needs", async () => {
  const { httpsEdges } = emulator.seed({ httpsEdges: [{ routes: [{}] }] });
  const ids = `edgeId: ${httpsEdges[0]!.id}\nrouteId: ${httpsEdges[0]!.routes[0]!.id}\n`;
  writeFileSync(join(dir, "edges/ci.yaml"), `type: SshCredential\npublicKey: ${publicKey("ci")}\n`);
  writeFileSync(join(dir, "edges/key.yaml"), "type: ApiKey\ndescription: of the pipeline\n");
  writeFileSync(join(dir, "edges/bots.yaml"), `type: HttpsEdgeRouteUserAgentFilter\n${ids}deny: [(?i)bot]\n`);
  const { jobs, printed, ghCalls } = await repository.run("push");
  expect({ jobs, ghCalls }).toEqual({ jobs: deployed, ghCalls: [""] });
  expect(printed["up"]!["Up"]).toContain("+ 7 created");
  expect(emulator.account).toMatchObject({
    tcpEdges: [{}, {}],
    tlsEdges: [{ mutual_tls: {}, policy: {} }],
    sshCredentials: [{}],
  });
});

testDrift("an argument that the files do not declare is no drift", async () => {
  emulator.api("PATCH", `/edges/tls/${emulator.account.tlsEdges[0]!.id}`, { metadata: "a note of somebody's" });
  const { jobs, published } = await repository.run("schedule");
  expect({ jobs, published }).toEqual({ jobs: noDrift, published: "" });
});

test("a pull request while something has drifted: only the second preview shows the drift", async () => {
  const edge = findEdge("The orders database");
  emulator.api("PUT", `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: ["ipp_incident"] });
  editFile(dir, "edges/ssh.yaml", "build machines", "build servers");
  const { jobs, published, ghCalls } = await repository.run("pull_request", { found: "12\n" });
  expect({ jobs, titles: titlesOf(published) }).toEqual({ jobs: passed, titles: [state, service] });
  expect(ghCalls.at(-1)).toBe(patch);
  expect(diffOf(published, state)).toContain("build servers");
  expect(diffOf(published, state)).not.toContain("ipp_incident");
  expect(diffOf(published, service)).toContain("ipp_incident");
});

test("a pull request without a key: only the first preview, without a request", async () => {
  const { jobs, published } = await repository.run("pull_request", { apiKey: "" });
  expect({ jobs, titles: titlesOf(published) }).toEqual({ jobs: passed, titles: [both] });
  expect(emulator.calls()).toEqual([]);
});

test("a pull request with a wrong key: the comment shows the merge as not known, and the check fails", async () => {
  const { jobs, published } = await repository.run("pull_request", { apiKey: "wrong" });
  expect({ jobs, titles: titlesOf(published) }).toEqual({ jobs: failed, titles: [both] });
  expect(verdictOf(published)).toBe(notKnown);
  expect(published).toContain("A preview failed: previews/merge.json.");
});

test("a pull request from a fork has no preview, and the check does not pass", async () => {
  const { jobs } = await repository.run("pull_request", { fork: "mallory/edges" });
  expect(jobs).toEqual({ ...failed, preview: "skipped" });
});

/** The last lines of edges/ssh.yaml. Without them the edge is open. */
const restriction = "ipRestriction:\n  ipPolicyIds: [ipp_office]\n";

describe("a change that opens an edge", () => {
  const step = "Check what opens";
  beforeAll(() => editFile(dir, "edges/ssh.yaml", restriction, ""));

  test("is rejected by the policy pack, whose message is in the comment, unless it is listed", async () => {
    const pack = await findPackArgument(stack, copyExample("policy"));
    const program = writePackProgram(join(repository.bin, "pack"), join(repository.checkout, ".policy"));
    repository.overrides = pack.endsWith("/run") ? { POLICY: `--policy-pack ${program}` } : {};
    const { jobs, published } = await repository.run("pull_request");
    expect(jobs).toEqual(failed);
    expect(verdictOf(published)).toBe(opens);
    expect(published).toMatch(
      /\| `1\.tcp\.tunnel\.example:20022` \| restricted by .* \| \*\*anyone\*\* \| `TcpEdge "ssh"` \|/,
    );
    expect(published).toContain("ssh is open to everybody.");

    writeList(address);
    expect((await repository.run("pull_request")).jobs).toEqual(passed);
    writeList();
    repository.overrides = withoutPack;
  });

  test("fails the check also without the pack", async () => {
    const { jobs, printed, published } = await repository.run("pull_request");
    expect(jobs).toEqual({ ...passed, check: "failure" });
    expect(printed["check"]![step]).toContain(`anyone can connect to ${address}`);
    expect(published).toContain("Not accepted in open.txt.");
  });

  test("fails the check if the program writes the list while it is previewed", async () => {
    const before = readFileSync(join(dir, "index.ts"), "utf8");
    appendFileSync(join(dir, "index.ts"), `require("node:fs").writeFileSync("open.txt", "${address}\\n");\n`);
    const { jobs, printed, published } = await repository.run("pull_request");
    writeFileSync(join(dir, "index.ts"), before);
    expect(published).toContain("Accepted in open.txt."); // where the program has written
    expect(jobs).toEqual({ ...passed, check: "failure" });
    expect(printed["check"]![step]).toContain(`Restrict ${address}, or add it to open.txt.`);
  });

  test("passes if the same commit lists its address, which the comment shows as accepted", async () => {
    writeList(address);
    const { jobs, printed, published } = await repository.run("pull_request");
    expect(jobs).toEqual(passed);
    expect(printed["check"]![step]).toContain(", accepted in open.txt.");
    expect(verdictOf(published)).toBe(opens);
    expect(published).toContain("Accepted in open.txt.");
    writeList();
  });

  test("is deployed only if the list of main has its address", async () => {
    const before = structuredClone(emulator.account.tcpEdges);
    const { jobs } = await repository.run("push");
    expect(jobs).toEqual({ ...passed, check: "failure" });
    expect(emulator.account.tcpEdges).toEqual(before);

    writeList(address);
    expect((await repository.run("push")).jobs).toEqual(deployed);
    expect(findEdge("SSH").ip_restriction).toBeNull();
  });

  test("needs its line only until the edge is restricted again", async () => {
    appendFileSync(join(dir, "edges/ssh.yaml"), restriction);
    const { jobs, printed } = await repository.run("pull_request");
    expect(jobs).toEqual({ ...passed, check: "failure" });
    expect(printed["check"]![step]).toContain(`open.txt, line 2: ${address} is not open after this change.`);
    writeList();
    expect((await repository.run("push")).jobs).toEqual(deployed);
    expect(findEdge("SSH").ip_restriction).toMatchObject({ enabled: true });
  });
});

test("a renamed file that names its earlier name keeps its edge, without a call", async () => {
  const { id } = findEdge("The orders database");
  renameSync(join(dir, "edges/db.yaml"), join(dir, "edges/orders.yaml"));
  editFile(dir, "edges/orders.yaml", "type: TcpEdge\n", "type: TcpEdge\nformerly: db\n");
  const { jobs, printed } = await repository.run("push");
  expect(jobs).toEqual(deployed);
  expect(printed["up"]!["Up"]).not.toMatch(/created|deleted|replaced/);
  expect(listWrites(emulator)).toEqual([]);
  expect(findEdge("The orders database").id).toBe(id);

  // From then on, the file can leave it out.
  editFile(dir, "edges/orders.yaml", "formerly: db\n", "");
  await stack.run(["preview", "--stack", "production", "--expect-no-changes"]);
});

test("a file with an id imports the object", async () => {
  const { id } = emulator.api("POST", "/ssh_credentials", { public_key: publicKey("found") }) as { id: string };
  writeFileSync(
    join(dir, "edges/found.yaml"),
    `type: SshCredential\npublicKey: ${publicKey("found")}\nimport: ${id}\n`,
  );
  emulator.clearRequests();
  expect((await repository.run("push")).jobs).toEqual(deployed);
  expect(listWrites(emulator)).toEqual([]);

  // From then on, the file can leave it out.
  editFile(dir, "edges/found.yaml", `import: ${id}\n`, "");
  await stack.run(["preview", "--stack", "production", "--expect-no-changes"]);
});

describe("drift", () => {
  const drift = () =>
    emulator.api("PUT", `/edges/tcp/${findEdge("The orders database").id}/ip_restriction`, {
      ip_policy_ids: ["ipp_incident"],
    });

  testDrift("opens an issue, updates it, and closes it after the next deployment, which repairs it", async () => {
    drift();
    const opened = await repository.run("schedule");
    expect(opened.jobs).toEqual(noDrift);
    expect(opened.ghCalls.at(-1)).toBe(
      "issue create --title The edges have drifted --label edges-drift --body-file previews/comment.md",
    );
    expect(opened.published).toMatch(/ipp_incident/);
    const updated = await repository.run("schedule", { found: "12\n" });
    expect(updated.ghCalls.at(-1)).toBe("issue edit 12 --body-file previews/comment.md");

    expect((await repository.run("push")).jobs).toEqual(deployed);
    expect(findEdge("The orders database").ip_restriction!.ip_policies.map(({ id }) => id)).not.toContain(
      "ipp_incident",
    );
    const { jobs, ghCalls } = await repository.run("schedule", { found: "12\n" });
    expect(jobs).toEqual(noDrift);
    expect(ghCalls.at(-1)).toBe("issue close 12 --comment The service has what the program declares again.");
  });

  testDrift("is not looked for while the files have changes that were not deployed", async () => {
    editFile(dir, "edges/ssh.yaml", "build servers", "build hosts");
    const { jobs, printed, published } = await repository.run("schedule");
    expect({ jobs, published }).toEqual({ jobs: { ...noDrift, drift: "failure" }, published: "" });
    expect(printed["drift"]!["Open or close the issue"]).toContain("::error::The repository has changes");
    editFile(dir, "edges/ssh.yaml", "build hosts", "build servers");
  });

  test("is not known if the service cannot be reached", async () => {
    emulator.fail({ status: 503, times: Number.POSITIVE_INFINITY });
    const { jobs, comment } = await repository.run("schedule", { env: { TUNNEL_EDGE_MAX_RETRIES: "0" } });
    expect(jobs).toEqual({ ...failed, check: "skipped" });
    expect(comment).toContain("503");
  });
});
