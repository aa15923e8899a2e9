/** The steps of the example's workflow, with the real CLI. GitHub's own command is simulated. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { parse } from "yaml";
import { startService } from "../support/cliStack";
import { copyExample, editFile, runBash } from "../support/example";
import { transpileOnly } from "../support/preload";
import { publicKey } from "../support/publicKey";
import { Stack } from "../support/pulumi";

const dir = copyExample("gitops");
const { jobs } = parse(readFileSync(join(dir, ".github/workflows/edges.yml"), "utf8"));

// `gh` records its arguments and what it publishes. There is an issue if a file says so.
const bin = join(dir, "bin");
const [ghCalls, published, open, outputs] = ["ghCalls", "published", "open", "outputs"].map((name) => join(bin, name));
mkdirSync(bin);
writeFileSync(
  join(bin, "gh"),
  `#!/usr/bin/env bash
echo "$*" >> "${ghCalls}"
while [ $# -gt 0 ]; do [ "$1" = --body-file ] && cat "$2" > "${published}"; shift; done
[ ! -f "${open}" ] || cat "${open}"
`,
);
chmodSync(join(bin, "gh"), 0o755);

let emulator: Emulator;
let stack: Stack;
beforeAll(async () => {
  emulator = await startService();
  stack = await Stack.create({ dir, emulator, env: transpileOnly });
});

/** Runs a step as GitHub's runner does, and returns the result. */
async function runStep(job: string, name: string, env: Record<string, string> = {}) {
  const { run } = jobs[job].steps.find((each: { name?: string }) => each.name === name);
  for (const file of [ghCalls!, published!, outputs!]) rmSync(file, { force: true });
  const PATH = `${bin}${delimiter}${stack.env["PATH"]}`;
  const { code, printed } = await runBash(run, dir, {
    ...stack.env,
    PATH,
    GITHUB_OUTPUT: outputs,
    NUMBER: "7",
    ...env,
  });
  const read = (file: string | undefined) => (existsSync(file!) ? readFileSync(file!, "utf8").trim() : "");
  return { code, printed, ghCalls: read(ghCalls), published: read(published), outputs: read(outputs) };
}

test("a pull request: the preview is a comment, which the next preview replaces", async () => {
  const { code, printed } = await runStep("preview", "Preview");
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining("+ 4 to create") });
  const comment = await runStep("preview", "Comment");
  expect(comment.ghCalls).toBe("pr comment 7 --edit-last --create-if-none --body-file comment.md");
  expect(comment.published).toMatch(/^````diff\n[\s\S]*\+ pulumi-nodejs:dynamic\/tunnel-edge:TcpEdge[\s\S]*\n````$/m);
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a pull request with mistakes: it fails, and each one is shown at its line and column", async () => {
  editFile(dir, "edges/db.yaml", "25432", "99999");
  editFile(dir, "edges/api.yaml", '"1.3"', "1.3");
  writeFileSync(
    join(dir, "edges/ci.yaml"),
    `type: SshCredential\npublic_key: ${publicKey("ci")}\nacl: [example.com]\n`,
  );
  expect((await runStep("preview", "Preview")).code).not.toBe(0);
  expect((await runStep("preview", "Show mistakes where they are")).printed.trim().split("\n")).toEqual([
    "::error file=edges/api.yaml,line=12,col=3::tlsTermination.minVersion must be a string, not a number",
    '::error file=edges/ci.yaml,line=2,col=1::public_key is not an argument: did you mean "publicKey"?',
    '::error file=edges/ci.yaml,line=3,col=7::acl[0] must be "bind:<target>", or "*" as the only rule',
    '::error file=edges/db.yaml,line=5,col=5::hostports[0]: "1.tcp.tunnel.example:99999" has an invalid port; use 1 to 65535',
  ]);
  const { published } = await runStep("preview", "Comment");
  expect(published).toContain("edges/db.yaml:5:5: hostports[0]");
  expect(published).not.toMatch(/^ +at /m);
  editFile(dir, "edges/db.yaml", "99999", "25432");
  editFile(dir, "edges/api.yaml", " 1.3", ' "1.3"');
});

test("any resource is declared: a credential, a key and a module of an HTTPS edge", async () => {
  const { httpsEdges } = emulator.seed({ httpsEdges: [{ routes: [{}] }] });
  const ids = `edgeId: ${httpsEdges[0]!.id}\nrouteId: ${httpsEdges[0]!.routes[0]!.id}\n`;
  writeFileSync(join(dir, "edges/ci.yaml"), `type: SshCredential\npublicKey: ${publicKey("ci")}\n`);
  writeFileSync(join(dir, "edges/key.yaml"), "type: ApiKey\ndescription: of the pipeline\n");
  writeFileSync(join(dir, "edges/bots.yaml"), `type: HttpsEdgeRouteUserAgentFilter\n${ids}deny: [(?i)bot]\n`);
  const { code, printed } = await runStep("preview", "Preview");
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining("+ 7 to create") });
  for (const type of ["SshCredential", "ApiKey", "HttpsEdgeRouteUserAgentFilter"]) {
    expect(printed).toContain(`+ pulumi-nodejs:dynamic/tunnel-edge:${type}:`);
  }
  for (const name of ["ci", "key", "bots"]) rmSync(join(dir, `edges/${name}.yaml`));
});

const checkDrift = (env?: Record<string, string>) => runStep("drift", "Check for drift", env);

test("a merge is deployed, and what is added outside of the files is no drift", async () => {
  expect(await runStep("up", "Up")).toMatchObject({ code: 0, printed: expect.stringContaining("+ 4 created") });
  expect(emulator.account).toMatchObject({ tcpEdges: [{}, {}], tlsEdges: [{ mutual_tls: {}, policy: {} }] });
  expect(await checkDrift()).toMatchObject({ code: 0, outputs: "drift=no" });
  emulator.api("PATCH", `/edges/tls/${emulator.account.tlsEdges[0]!.id}`, { metadata: "a note of somebody's" });
  expect(await checkDrift()).toMatchObject({ code: 0, outputs: "drift=no" });
});

test("drift: an issue is opened and updated, and the drift is repaired by hand", async () => {
  const edge = emulator.account.tcpEdges.find(({ description }) => description.startsWith("SSH"))!;
  emulator.api("PUT", `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: ["ipp_everybody"] });
  expect(await checkDrift()).toMatchObject({ code: 0, outputs: "drift=yes" });

  const issue = await runStep("drift", "Open an issue");
  expect(issue.ghCalls.split("\n").at(-1)).toBe(
    "issue create --title The edges have drifted --label drift --body-file issue.md",
  );
  expect(issue.published).toMatch(/ipp_everybody[\s\S]*ipp_office/);
  writeFileSync(open!, "12\n");
  expect((await runStep("drift", "Open an issue")).ghCalls.split("\n").at(-1)).toBe(
    "issue edit 12 --body-file issue.md",
  );

  expect((await runStep("up", "Up")).code).toBe(0);
  expect(emulator.api("GET", `/edges/tcp/${edge.id}`)).toMatchObject({
    ip_restriction: { ip_policies: [{ id: "ipp_office" }] },
  });
  expect((await checkDrift()).outputs).toBe("drift=no");
});

test("a service that cannot be reached is a failure, not drift", async () => {
  emulator.fail({ status: 503, times: Number.POSITIVE_INFINITY });
  const { code, printed, outputs } = await checkDrift({ TUNNEL_EDGE_MAX_RETRIES: "0" });
  expect({ code, outputs }).toEqual({ code: 1, outputs: "" });
  expect(printed).toContain("503");
});
