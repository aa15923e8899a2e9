/** The jobs of the example's workflow, step by step, with the real CLI. GitHub's own command is simulated. */
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { startService } from "../support/cli/cliStack";
import { copyExample, editFile } from "../support/cli/example";
import { findPackArgument } from "../support/cli/policyPack";
import { Stack } from "../support/cli/pulumi";
import {
  both,
  diffOf,
  notKnown,
  opens,
  opensNothing,
  Repository,
  type Run,
  service,
  state,
  titlesOf,
  verdictOf,
} from "../support/cli/repository";
import { publicKey } from "../support/data/publicKey";
import { esbuild } from "../support/preload/preload";
import { root } from "../support/root";

const dir = copyExample("gitops");

// What `npm ci` installs.
const installed = join(dir, "node_modules/pulumi-tunnel-edge");
mkdirSync(join(installed, "examples"), { recursive: true });
mkdirSync(join(dir, "node_modules/.bin"));
for (const name of ["package.json", "dist"]) symlinkSync(join(root, name), join(installed, name));
symlinkSync(join(root, "dist/bin.js"), join(dir, "node_modules/.bin/pulumi-tunnel-edge"));
cpSync(join(root, "examples/policy"), join(installed, "examples/policy"), {
  recursive: true,
  filter: (path) => !path.endsWith("node_modules"),
});

let emulator: Emulator;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  emulator = await startService();
  stack = await Stack.create({ dir, emulator, env: esbuild });
  await stack.run(["stack", "init", "production"]);
  repository = new Repository(stack, emulator, { TUNNEL_EDGE_BASE_URL: emulator.url });
  const pack = await findPackArgument(stack, join(installed, "examples/policy"));
  if (pack.endsWith("/run")) repository.overrides = { POLICY: "--policy-pack .policy/run" };
});

/** Runs a job of the workflow, in a new checkout. */
function run(job: string, options: Run = {}) {
  rmSync(join(dir, ".policy"), { recursive: true, force: true });
  return repository.run(job, options);
}

const usuallySkipped = { "Show mistakes where they are": "skipped" };
const mark = "<!-- pulumi-tunnel-edge exposure: gitops/production -->";
const post = "api --method POST repos/acme/edges/issues/7/comments --field body=@comment.md --silent";
const patch = "api --method PATCH repos/acme/edges/issues/comments/12 --field body=@comment.md --silent";
const findEdge = (description: string) =>
  emulator.account.tcpEdges.find((edge) => edge.description.startsWith(description))!;

test("a pull request: the comment has both previews, and is its own", async () => {
  const { conclusion, outcomes, ghCalls, published } = await run("preview");
  expect({ conclusion, outcomes }).toEqual({ conclusion: "success", outcomes: usuallySkipped });
  expect(ghCalls).toContain(post);
  expect(published.split("\n")[0]).toBe(mark);
  expect(verdictOf(published)).toBe(opensNothing);
  expect(titlesOf(published)).toEqual([both]);
  expect(published).toContain("@@ create TcpEdge ");
  expect(published).toContain("```mermaid\n");
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a pull request with mistakes: it fails, and each one is shown at its line and column", async () => {
  editFile(dir, "edges/db.yaml", "25432", "99999");
  editFile(dir, "edges/api.yaml", '"1.3"', "1.3");
  writeFileSync(
    join(dir, "edges/ci.yaml"),
    `type: SshCredential\npublic_key: ${publicKey("ci")}\nacl: [example.com]\n`,
  );
  const { conclusion, steps, published } = await run("preview", { found: "12\n" });
  expect(conclusion).toBe("failure");
  expect(steps["Show mistakes where they are"]!.printed.trim().split("\n")).toEqual([
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

test("any resource is declared and deployed, and what is added outside of the files is no drift", async () => {
  const { httpsEdges } = emulator.seed({ httpsEdges: [{ routes: [{}] }] });
  const ids = `edgeId: ${httpsEdges[0]!.id}\nrouteId: ${httpsEdges[0]!.routes[0]!.id}\n`;
  writeFileSync(join(dir, "edges/ci.yaml"), `type: SshCredential\npublicKey: ${publicKey("ci")}\n`);
  writeFileSync(join(dir, "edges/key.yaml"), "type: ApiKey\ndescription: of the pipeline\n");
  writeFileSync(join(dir, "edges/bots.yaml"), `type: HttpsEdgeRouteUserAgentFilter\n${ids}deny: [(?i)bot]\n`);
  const { conclusion, steps } = await run("up");
  expect({ conclusion, printed: steps["Up"]!.printed }).toEqual({
    conclusion: "success",
    printed: expect.stringContaining("+ 7 created"),
  });
  expect(emulator.account).toMatchObject({
    tcpEdges: [{}, {}],
    tlsEdges: [{ mutual_tls: {}, policy: {} }],
    sshCredentials: [{}],
  });
  emulator.api("PATCH", `/edges/tls/${emulator.account.tlsEdges[0]!.id}`, { metadata: "a note of somebody's" });
  const drift = await run("drift");
  expect(drift.steps["Check for drift"]).toMatchObject({ outcome: "success", outputs: { drift: "no" } });
  expect(drift.outcomes).toEqual({ "Open an issue": "skipped", "Close the issue": "skipped" });
});

test("a pull request while something has drifted: only the second preview shows the drift", async () => {
  const edge = findEdge("The orders database");
  emulator.api("PUT", `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: ["ipp_incident"] });
  editFile(dir, "edges/ssh.yaml", "build machines", "build servers");
  const { conclusion, published, ghCalls } = await run("preview", { found: "12\n" });
  expect({ conclusion, titles: titlesOf(published) }).toEqual({ conclusion: "success", titles: [state, service] });
  expect(ghCalls).toContain(patch);
  expect(diffOf(published, state)).toContain("build servers");
  expect(diffOf(published, state)).not.toContain("ipp_incident");
  expect(diffOf(published, service)).toContain("ipp_incident");
});

test("a pull request without a key: only the first preview, without a request", async () => {
  const { conclusion, outcomes, published } = await run("preview", { apiKey: "" });
  expect({ conclusion, outcomes }).toEqual({
    conclusion: "success",
    outcomes: { ...usuallySkipped, "Preview what the merge will do": "skipped" },
  });
  expect(titlesOf(published)).toEqual([both]);
  expect(emulator.calls()).toEqual([]);
});

test("a pull request with a wrong key: what the merge will do is not known", async () => {
  const { conclusion, published } = await run("preview", { apiKey: "wrong" });
  expect(conclusion).toBe("failure");
  expect([verdictOf(published), titlesOf(published)]).toEqual([notKnown, [both]]);
  expect(published).toContain("A preview failed: merge.json.");
});

/** The last lines of edges/ssh.yaml. Without them the edge is open. */
const restriction = "ipRestriction:\n  ipPolicyIds: [ipp_office]\n";

test("a change that opens an edge needs an approval of its commit, before and after the merge", async () => {
  editFile(dir, "edges/ssh.yaml", restriction, "");
  const step = "Require an approval of what opens";
  // Without the line that names the policy pack.
  const wired = repository.overrides;
  repository.overrides = { POLICY: "" };
  const unapproved = await run("preview");
  expect(unapproved.outcomes).toEqual({ ...usuallySkipped, [step]: "failure" });
  expect(unapproved.steps[step]!.printed).toContain("::error::Read the comment, then add the label opens-edges.");
  expect(verdictOf(unapproved.published)).toBe(opens);
  expect(unapproved.published).toMatch(
    /\| `1\.tcp\.tunnel\.example:20022` \| restricted by .* \| \*\*anyone\*\* \| `TcpEdge "ssh"` \|/,
  );
  expect(unapproved.published).toMatch(/\n\nCommit `0123abc`\.$/);

  const approved = await run("approve", { found: "the comment" });
  expect(approved.conclusion).toBe("success");
  expect(await run("preview", { previewed: unapproved })).toMatchObject({
    conclusion: "success",
    outcomes: usuallySkipped,
  });
  const before = structuredClone(emulator.account.tcpEdges);
  const up = await run("up", { head: "4567def" });
  expect(up.outcomes).toEqual({ [step]: "failure", Up: "skipped" });
  expect(emulator.account.tcpEdges).toEqual(before);

  repository.overrides = wired;
  const rejected = await run("preview");
  expect(rejected.conclusion).toBe("failure");
  expect(verdictOf(rejected.published)).toBe(opens);
  expect(rejected.published).toContain("ssh is open to everybody.");

  repository.overrides = { POLICY: "" };
  const merged = await run("up");
  expect(merged.conclusion).toBe("success");
  expect(findEdge("SSH").ip_restriction).toBeNull();
  repository.overrides = wired;
});

test("a change that was not deployed is not called drift", async () => {
  const { id } = findEdge("The orders database");
  emulator.api("PUT", `/edges/tcp/${id}/ip_restriction`, { ip_policy_ids: ["ipp_incident"] });
  editFile(dir, "edges/ssh.yaml", "build servers", "build hosts");
  const { steps, outcomes } = await run("drift");
  expect(outcomes["Check for drift"]).toBe("failure");
  expect(steps["Check for drift"]!.printed).toContain("::error::The repository has changes that are not deployed.");
  editFile(dir, "edges/ssh.yaml", "build hosts", "build servers");
});

test("drift: an issue is opened, updated, and closed after the next deployment, which repairs the drift", async () => {
  const opened = await run("drift");
  expect(opened.steps["Check for drift"]!.outputs).toEqual({ drift: "yes" });
  expect(opened.ghCalls.at(-1)).toBe(
    "issue create --title The edges have drifted --label edges-drift --body-file issue.md",
  );
  expect(opened.published).toMatch(/ipp_incident/);
  const updated = await run("drift", { found: "12\n", previewed: opened });
  expect(updated.ghCalls.at(-1)).toBe("issue edit 12 --body-file issue.md");

  appendFileSync(join(dir, "edges/ssh.yaml"), restriction);
  expect((await run("up")).conclusion).toBe("success");
  expect(findEdge("SSH").ip_restriction).toMatchObject({ enabled: true });
  expect(findEdge("The orders database").ip_restriction!.ip_policies.map(({ id }) => id)).not.toContain("ipp_incident");
  const closed = await run("drift", { found: "12\n" });
  expect(closed.outcomes).toEqual({ "Open an issue": "skipped" });
  expect(closed.ghCalls.at(-1)).toBe("issue close 12 --comment The service has what the files declare again.");
});

test("a renamed file that says what it was called keeps its edge, without a call", async () => {
  const { id } = findEdge("The orders database");
  renameSync(join(dir, "edges/db.yaml"), join(dir, "edges/orders.yaml"));
  editFile(dir, "edges/orders.yaml", "type: TcpEdge\n", "type: TcpEdge\nformerly: db\n");
  const { conclusion, steps } = await run("up");
  expect({ conclusion, printed: steps["Up"]!.printed }).toEqual({
    conclusion: "success",
    printed: expect.not.stringMatching(/created|deleted|replaced/),
  });
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual([]);
  expect(findEdge("The orders database").id).toBe(id);

  // From then on, the file can leave it out.
  editFile(dir, "edges/orders.yaml", "formerly: db\n", "");
  expect((await run("drift")).steps["Check for drift"]!.outputs).toMatchObject({ drift: "no" });
});

test("a service that cannot be reached is a failure, not drift", async () => {
  emulator.fail({ status: 503, times: Number.POSITIVE_INFINITY });
  const { steps, outcomes } = await run("drift", { env: { TUNNEL_EDGE_MAX_RETRIES: "0" } });
  expect(outcomes).toMatchObject({ "Check for drift": "failure", "Open an issue": "skipped" });
  expect(steps["Check for drift"]!.printed).toContain("503");
});
