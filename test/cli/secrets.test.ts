/**
 * Secrets with the real CLI are never in plain text, neither in the state nor on the display.
 * Promise: "Secrets stay secret".
 */
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import type { Result, Stack } from "../support/cli/pulumi";
import { readSaved } from "../support/cli/saved";

const verbose = ["-v=3", "--logtostderr"];

/** Everything that was printed, except the SDK's own trace of its protocol, which has every secret of any provider. */
const listPrinted = ({ stdout, stderr }: Result) =>
  `${stdout}\n${stderr}`.split("\n").filter((line) => !/"(?:Register|Read)Resource RPC finished: /.test(line));

function expectHidden(secrets: string[], stack: Stack, ...results: Result[]): void {
  const texts = { kept: readSaved(stack), printed: results.flatMap(listPrinted).join("\n") };
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
  const source = (name: string) =>
    [
      `const other = new tunnel.Provider("other", {
         apiKey: "${secrets.otherKey}", baseUrl: "${other.url}", headers: { "X-Team": "${secrets.header}" } });`,
      declare("TcpEdge", "there", { description: name }, { provider: "=other" }),
      declare("ApiKey", "key", { description: name }),
      declare("HttpsEdgeRouteOidc", "oidc", { ...route, clientId: name, clientSecret: secrets.client }),
      declare("HttpsEdgeRouteRequestHeaders", "headers", {
        ...route,
        add: { "X-Api_Key": `=pulumi.secret('${secrets.value}')` },
        remove: [name],
      }),
      declare("TcpEdge", "edge", { metadata: `=pulumi.secret('${secrets.metadata}')` }),
      'const read = tunnel.HttpsEdgeRouteOidc.get("read", "edghts_a/edghtsrt_b");',
      "Object.assign(exports, { token: key.token, client: oidc.clientSecret, read: read.clientSecret });",
      "Object.assign(exports, { add: headers.add, metadata: edge.metadata });",
    ].join("\n");
  const { stack } = await createStack(emulator, source("one"), {
    emulator: undefined,
    config: {
      "tunnel-edge:apiKey": { secret: secrets.key },
      "tunnel-edge:baseUrl": emulator.url,
      "tunnel-edge:logRequests": "true",
    },
  });

  const up = await stack.up({ args: verbose });
  expect(up.stdout).toMatch(/POST \/api_keys → 201 in \d+ ms/);
  const { token, ...outputs } = (await stack.outputs({ showSecrets: true })) as Record<string, string>;
  expect(outputs).toEqual({
    client: secrets.client,
    read: secrets.client,
    add: { "X-Api_Key": secrets.value },
    metadata: secrets.metadata,
  });
  for (const name of ["token", ...Object.keys(outputs)]) {
    expect(up.stdout).toMatch(new RegExp(`^ +${name} *: \\[secret\\]$`, "m"));
  }
  // The tests decrypt a state themselves, which is quicker.
  const { stdout: exported } = await stack.run(["stack", "export", "--show-secrets"]);
  expect(await stack.export({ showSecrets: true })).toEqual(JSON.parse(exported).deployment);
  const all = [...Object.values(secrets), token as string];
  const encrypted = { ciphertext: expect.any(String) };
  const resources = async () =>
    Object.fromEntries(((await stack.export()).resources ?? []).map((resource) => [resource.urn, resource]));
  const { [urnOf("ApiKey", "key")]: apiKey, [urnOf("HttpsEdgeRouteOidc", "oidc")]: oidc } = await resources();
  expect(apiKey?.outputs).toMatchObject({ token: encrypted });
  expect(oidc).toMatchObject({ inputs: { clientSecret: encrypted }, outputs: { clientSecret: encrypted } });
  // The service returns the header's name in other case.
  emulator.api("PUT", "/edges/https/edghts_a/routes/edghtsrt_a/request_headers", {
    add: { "x-api_key": secrets.value },
    remove: ["ONE"],
  });
  const refresh = await stack.refresh({ args: verbose });
  expect(refresh.summary).toEqual({ same: (up.summary["create"] as number) + 1 });
  expectHidden(all, stack, up, refresh);

  // The service's error repeats what it was sent, and responses are lost, after which the state has what was sent.
  stack.write(source("two"));
  const msg = `Refused: Authorization: Bearer ${secrets.key}, X-Api_Key: ${secrets.value}`;
  emulator.fail({ method: "PUT", path: "**/request_headers", status: 400, body: { error_code: "ERR_NO", msg } });
  emulator.fail({ method: "PUT", path: "**/oidc", resetAfter: true });
  emulator.fail({ method: "PATCH", path: "/api_keys/*", resetAfter: true });
  other.fail({
    method: "PATCH",
    status: 400,
    body: { status_code: 400, msg: `Bearer ${secrets.otherKey}, X-Team ${secrets.header}` },
  });
  const failed = await stack.up({
    fails: true,
    env: { TUNNEL_EDGE_MAX_RETRIES: "0" },
    args: [...verbose, "--diff", "--continue-on-error"],
  });
  expect(extractErrors(failed).sort()).toEqual([
    expect.stringMatching(/^API key ak_\w+ could not be updated: PATCH .* failed: .*$/),
    expect.stringMatching(/^OIDC module of route edghts_a\/edghtsrt_a could not be updated: PUT .* failed: .*$/),
    expect.stringMatching(/^TCP edge .* returned 400: Bearer \[secret\], X-Team \[secret\]\.$/),
    "request headers module of route edghts_a/edghtsrt_a could not be updated: PUT " +
      "/edges/https/edghts_a/routes/edghtsrt_a/request_headers returned 400 ERR_NO: Refused: Authorization: Bearer " +
      "[secret], X-Api_Key: [secret].",
  ]);
  const after = await resources();
  expect(after[urnOf("ApiKey", "key")]?.outputs).toMatchObject({ description: "two", token: encrypted });
  expect(after[urnOf("HttpsEdgeRouteOidc", "oidc")]?.outputs).toMatchObject({
    clientId: "two",
    clientSecret: encrypted,
  });
  emulator.fail({
    method: "DELETE",
    path: "**/oidc",
    status: 400,
    body: { status_code: 400, msg: `client_secret=${secrets.client}` },
  });
  const remaining = await stack.destroy({ fails: true, args: verbose });
  expectHidden(all, stack, failed, remaining);
});
