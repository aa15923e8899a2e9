/** Secrets with the real CLI are never in plain text, neither in the state nor on the display. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cliStack";
import type { Result, Stack } from "../support/pulumi";

const verbose = ["-v=3", "--logtostderr"];

/** Everything that the CLI saves: the state with its history and backups, and the configuration. */
function readSaved(stack: Stack): string {
  const folders = [join(stack.dir, "../state"), stack.dir];
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  return files
    .filter((entry) => entry.isFile() && entry.name !== "index.js")
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .join("\n");
}

/** Everything that was printed, except the SDK's own trace of its protocol, which has every secret of any provider. */
const listPrinted = ({ stdout, stderr }: Result) =>
  `${stdout}\n${stderr}`.split("\n").filter((line) => !/"(?:Register|Read)Resource RPC finished: /.test(line));

function expectHidden(secrets: string[], stack: Stack, ...results: Result[]): void {
  const texts = { kept: readSaved(stack), printed: results.flatMap(listPrinted).join("\n") };
  expect(texts.kept).toContain("pulumi:pulumi:Stack");
  for (const secret of secrets) {
    for (const [where, text] of Object.entries(texts)) {
      const at = text.indexOf(secret);
      expect({ [where]: at < 0 ? "hidden" : text.slice(Math.max(0, at - 300), at + 100) }).toEqual({
        [where]: "hidden",
      });
    }
  }
}

test("settings and arguments: encrypted in the state, [secret] on the display, redacted from errors and logs", async () => {
  const secrets = {
    key: "key-of-the-stack",
    otherKey: "key-of-the-other-account",
    header: "value-of-a-setting-header",
    client: "client-secret-not-marked",
    value: "value-of-a-route-header",
    metadata: "metadata-with-a-password",
  };
  const emulator = await startService({ apiKey: secrets.key });
  const other = await startService({ apiKey: secrets.otherKey });
  emulator.seed({
    httpsEdges: [
      { id: "edghts_a", routes: [{ id: "edghtsrt_a" }, { id: "edghtsrt_b", oidc: { client_secret: secrets.client } }] },
    ],
  });
  const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
  const source = (clientId: string, description: string) =>
    [
      `const other = new tunnel.Provider("other", {
         apiKey: "${secrets.otherKey}", baseUrl: "${other.url}", headers: { "X-Team": "${secrets.header}" } });`,
      declare("TcpEdge", "there", { description }, { provider: "=other" }),
      declare("ApiKey", "key", { description }),
      declare("HttpsEdgeRouteOidc", "oidc", { ...route, clientId, clientSecret: secrets.client }),
      declare("HttpsEdgeRouteRequestHeaders", "headers", {
        ...route,
        add: { "X-Api_Key": `=pulumi.secret('${secrets.value}')` },
      }),
      declare("TcpEdge", "edge", { metadata: `=pulumi.secret('${secrets.metadata}')` }),
      'const read = tunnel.HttpsEdgeRouteOidc.get("read", "edghts_a/edghtsrt_b");',
      "Object.assign(exports, { token: key.token, client: oidc.clientSecret, read: read.clientSecret });",
      "Object.assign(exports, { add: headers.add, metadata: edge.metadata });",
    ].join("\n");
  const { stack } = await createStack(emulator, source("one", "one"), {
    emulator: undefined,
    config: {
      "tunnel-edge:apiKey": { secret: secrets.key },
      "tunnel-edge:baseUrl": emulator.url,
      "tunnel-edge:logRequests": "true",
    },
  });

  const up = await stack.up({ preview: true, args: verbose });
  expect(up.stdout).toMatch(/POST \/api_keys → 201 in \d+ ms/);
  const { token, ...outputs } = (await stack.outputs({ showSecrets: true })) as Record<string, string>;
  expect(outputs).toEqual({
    client: secrets.client,
    read: secrets.client,
    add: { "X-Api_Key": secrets.value },
    metadata: secrets.metadata,
  });
  for (const name of ["token", ...Object.keys(outputs)]) {
    expect(up.stdout.split("Updating")[1]).toMatch(new RegExp(`^ +${name} *: \\[secret\\]$`, "m"));
  }
  const all = [...Object.values(secrets), token as string];
  const encrypted = { ciphertext: expect.any(String) };
  const resources = async () =>
    Object.fromEntries(((await stack.export()).resources ?? []).map((resource) => [resource.urn, resource]));
  const { [urnOf("ApiKey", "key")]: apiKey, [urnOf("HttpsEdgeRouteOidc", "oidc")]: oidc } = await resources();
  expect(apiKey?.outputs).toMatchObject({ token: encrypted });
  expect(oidc).toMatchObject({ inputs: { clientSecret: encrypted }, outputs: { clientSecret: encrypted } });
  const refresh = await stack.refresh({ args: verbose });
  expect(refresh.summary).toEqual({ same: (up.summary["create"] as number) + 1 });
  expectHidden(all, stack, up, refresh);

  // The service's error repeats what it was sent, and a response is lost, after which the state has what was sent.
  stack.write(source("two", "two"));
  const preview = await stack.preview({ diff: true });
  const msg = `Refused: Authorization: Bearer ${secrets.key}, client_secret=${secrets.client}`;
  emulator.fail({ method: "PUT", path: "**/oidc", status: 400, body: { error_code: "ERR_NO", msg } });
  emulator.fail({ method: "PATCH", path: "/api_keys/*", resetAfter: true });
  other.fail({ method: "PATCH", status: 400, body: { msg: `Bearer ${secrets.otherKey}, X-Team ${secrets.header}` } });
  const env = { TUNNEL_EDGE_MAX_RETRIES: "0" };
  const rejected = await stack.up({ fails: true, env, args: [...verbose, "--continue-on-error"] });
  expect(extractErrors(rejected).sort()).toEqual([
    expect.stringMatching(/^API key ak_\w+ could not be updated: PATCH .* failed: .*$/),
    "OIDC module of route edghts_a/edghtsrt_a could not be updated: PUT /edges/https/edghts_a/routes/edghtsrt_a/oidc " +
      "returned 400 ERR_NO: Refused: Authorization: Bearer [secret], client_secret=[secret].",
    expect.stringMatching(/^TCP edge .* returned 400: Bearer \[secret\], X-Team \[secret\]\.$/),
  ]);
  expect((await resources())[urnOf("ApiKey", "key")]?.outputs).toMatchObject({ description: "two", token: encrypted });
  emulator.fail({ method: "PUT", path: "**/oidc", resetAfter: true });
  const lost = await stack.up({ fails: true, env, args: verbose });
  expect((await resources())[urnOf("HttpsEdgeRouteOidc", "oidc")]?.outputs).toMatchObject({
    clientId: "two",
    clientSecret: encrypted,
  });
  const finished = await stack.up();
  expect(await stack.outputs({ showSecrets: true })).toMatchObject({ token, client: secrets.client });
  emulator.fail({ method: "DELETE", path: "**/oidc", status: 400, body: { msg } });
  const remaining = await stack.destroy({ fails: true, args: verbose });
  expectHidden(all, stack, preview, rejected, lost, finished, remaining);
});

test("a key from the environment", async () => {
  const key = "key-of-the-environment";
  const emulator = await startService({ apiKey: key });
  const { stack } = await createStack(emulator, declare("TcpEdge", "edge", { description: "edge" }), {
    env: { TUNNEL_EDGE_LOG_REQUESTS: "true" },
  });
  const up = await stack.up({ args: verbose });
  emulator.fail({ method: "GET", status: 400, body: `<h1>Bearer ${key}</h1>` });
  const page = await stack.refresh({ fails: true, args: verbose });
  emulator.fail({ method: "GET", status: 400, body: { msg: `Bearer ${key}`, error_code: key } });
  const errorOf = await stack.refresh({ fails: true });
  expect(extractErrors(errorOf)).toEqual([
    expect.stringMatching(/^TCP edge edgtcp_\w+ could not be read: .* returned 400 \[secret\]: Bearer \[secret\]\.$/),
  ]);
  expectHidden([key], stack, up, page, errorOf);
});

test("arguments that the program marked as secret, if they are wrong or differ from what is imported", async () => {
  const emulator = await startService();
  emulator.seed({
    tcpEdges: [
      {
        id: "edgtcp_a",
        description: "description-of-theirs",
        policy: {
          inbound: [{ name: "rule-of-theirs", actions: [{ type: "log", config: { key: "config-of-theirs" } }] }],
        },
      },
    ],
  });
  const secret = (value: string) => `=pulumi.secret('${value}')`;
  const config = { key: secret("config-of-ours") };
  const edge = {
    description: secret("description-of-ours"),
    policy: { inbound: [{ name: secret("rule-of-ours"), actions: [{ type: "log", config }] }] },
  };
  const credential = { publicKey: secret("key-of-ours"), acl: [secret("rule-of-ours"), "bind:example.com"] };
  const { stack } = await createStack(emulator, declare("TcpEdge", "edge", edge, { import: "edgtcp_a" }));
  const differing = await stack.preview({ fails: true, diff: true });
  expect(extractErrors(differing)).toEqual([
    "description differs from that of TCP edge edgtcp_a; declare what it has, or leave it out",
    "policy.inbound differs from that of TCP edge edgtcp_a; declare what it has",
  ]);
  stack.write(declare("SshCredential", "credential", credential));
  const wrong = await stack.up({ fails: true });
  expect(extractErrors(wrong)).toEqual([
    'publicKey must be a public key: "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…"',
    'acl[0] must be "bind:<target>", or "*" as the only rule',
  ]);
  for (const { stdout, stderr } of [differing, wrong]) expect(stdout + stderr).not.toMatch(/-of-(ours|theirs)/);
});
