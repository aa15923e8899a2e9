import { tlsEdge } from "../../src/definitions/tlsEdge";
import * as modules from "../support/data/modules";
import { unknown } from "../support/engine/provider";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { type Call, moduleRows, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /edges/tls/{id}", body]);
const putTermination = (body: object) => updates(["PUT /edges/tls/{id}/tls_termination", body]);
const remove = (module: string): Call => [`DELETE /edges/tls/{id}/${module}`];
const patched = (name: string, wireName: string, table: modules.ModuleTable) =>
  moduleRows(name, table, (body) => patch({ [wireName]: body }), updates(remove(wireName)));

const full = {
  description: "api",
  metadata: "team=edge",
  hostports: ["api.example.com:443", "www.example.com:443"],
  backend: modules.backend.full,
  ipRestriction: modules.ipRestriction.full,
  mutualTls: modules.mutualTls.full,
  tlsTermination: modules.tlsTermination.full,
  policy: modules.policy.full,
};
const wire = {
  description: "api",
  metadata: "team=edge",
  hostports: ["api.example.com:443", "www.example.com:443"],
  backend: modules.backend.wire,
  ip_restriction: modules.ipRestriction.wire,
  mutual_tls: modules.mutualTls.wire,
  tls_termination: modules.tlsTermination.wire,
  policy: modules.policy.wire,
};

const fixture = suite(tlsEdge, {
  full,
  wire,
  everything: {
    add: patch(wire),
    clear: updates(
      ["PATCH /edges/tls/{id}", { description: "", metadata: "", hostports: [] }],
      remove("backend"),
      remove("ip_restriction"),
      remove("mutual_tls"),
      remove("tls_termination"),
      remove("policy"),
    ),
  },
  rows: {
    description: {
      other: "web",
      add: patch({ description: "api" }),
      change: patch({ description: "web" }),
      clear: patch({ description: "" }),
      outsideValue: "theirs",
    },
    metadata: {
      other: "team=web",
      add: patch({ metadata: "team=edge" }),
      change: patch({ metadata: "team=web" }),
      clear: patch({ metadata: "" }),
      outsideValue: "theirs",
    },
    hostports: {
      other: ["api.example.com:443"],
      add: patch({ hostports: full.hostports }),
      change: patch({ hostports: ["api.example.com:443"] }),
      clear: patch({ hostports: [] }),
      outsideValue: ["theirs.example.com:443"],
    },
    ...patched("backend", "backend", modules.backend),
    ...patched("ipRestriction", "ip_restriction", modules.ipRestriction),
    ...patched("mutualTls", "mutual_tls", modules.mutualTls),
    ...moduleRows("tlsTermination", modules.tlsTermination, putTermination, updates(remove("tls_termination"))),
    ...patched("policy", "policy", modules.policy),
  },
});

describe("TLS terminated upstream", () => {
  const mutualTls = { certificateAuthorityIds: ["ca_a"] };
  const [atEdge, upstream] = [{ terminateAt: "edge" }, { terminateAt: "upstream" }];
  const noVersion =
    'tlsTermination.minVersion cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not ' +
    "terminate TLS";
  const noMutualTls =
    'mutualTls cannot be combined with tlsTermination.terminateAt "upstream", where the edge does not see client ' +
    "certificates";

  test("is incompatible with minVersion and mutualTls, which the preview says", async () => {
    const said = async (args: object) => (await errorOf(fixture.resource().preview(args))).split("\n");
    const tlsTermination = { ...upstream, minVersion: "1.2" };
    expect(await said({ tlsTermination })).toEqual([noVersion]);
    expect(await said({ tlsTermination: upstream, mutualTls })).toEqual([noMutualTls]);
    expect(await said({ tlsTermination, mutualTls })).toEqual([noVersion, noMutualTls]);
    expect(fixture.takeRequests()).toEqual([]);
  });

  test("is not checked against unknown values", async () => {
    for (const args of [
      { tlsTermination: { ...upstream, minVersion: unknown } },
      { tlsTermination: { terminateAt: unknown, minVersion: "1.2" }, mutualTls },
      { tlsTermination: unknown, mutualTls },
      { tlsTermination: upstream, mutualTls: unknown },
    ]) {
      expect(await fixture.resource().preview(args)).toMatchObject({ step: "create" });
    }
  });

  const before = { ...full, tlsTermination: atEdge, mutualTls };
  const { mutualTls: _, ...rest } = full;
  const after = { ...rest, tlsTermination: upstream };

  test("instead of at the edge: mutual TLS is removed first, and both are restored together", async () => {
    const edge = await fixture.createResource(before);
    expect(await edge.up(after)).toBe("update");
    expect(fixture.takeRequests()).toEqual([
      remove("mutual_tls"),
      ["PUT /edges/tls/{id}/tls_termination", { terminate_at: "upstream" }],
    ]);
    await fixture.expectSettled(edge, after);
    expect(await edge.up(before)).toBe("update");
    expect(fixture.takeRequests()).toEqual([
      [
        "PATCH /edges/tls/{id}",
        { mutual_tls: { certificate_authority_ids: ["ca_a"] }, tls_termination: { terminate_at: "edge" } },
      ],
    ]);
    await fixture.expectSettled(edge, before);
  });

  test("rejected after mutual TLS was removed: the state says so, and the next `pulumi up` sends only the rest", async () => {
    const edge = await fixture.createResource(before);
    fixture.emulator.fail({ method: "PUT", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    expect(edge.outputs.mutualTls).toBeUndefined();
    expect(edge.outputs.tlsTermination).toMatchObject(atEdge);
    fixture.takeRequests();
    expect(await edge.up(after)).toBe("update");
    expect(fixture.takeRequests()).toEqual([["PUT /edges/tls/{id}/tls_termination", { terminate_at: "upstream" }]]);
    await fixture.expectSettled(edge, after);
  });

  test("rejected after an IP restriction has replaced mutual TLS: the edge is restricted anyway", async () => {
    const { ipRestriction: _, ...open } = before;
    const edge = await fixture.createResource(open);
    const restricted = { ...after, ipRestriction: { ipPolicyIds: ["ipp_a"] } };
    fixture.emulator.fail({ method: "PUT", status: 403 });
    await expect(edge.up(restricted)).rejects.toThrow("403");
    expect(fixture.takeRequests()).toEqual([
      ["PATCH /edges/tls/{id}", { ip_restriction: { ip_policy_ids: ["ipp_a"] } }],
      remove("mutual_tls"),
      ["PUT /edges/tls/{id}/tls_termination", { terminate_at: "upstream" }],
    ]);
    expect(fixture.fetchObject(edge.state!.id)).toMatchObject({ ip_restriction: { enabled: true }, mutual_tls: null });
    expect(await edge.up(restricted)).toBe("update");
    expect(fixture.takeRequests()).toEqual([["PUT /edges/tls/{id}/tls_termination", { terminate_at: "upstream" }]]);
    await fixture.expectSettled(edge, restricted);
  });

  test("with mutual TLS that was set outside of Pulumi is rejected in the service's words", async () => {
    const edge = await fixture.createResource({ tlsTermination: atEdge });
    const body = { mutual_tls: { certificate_authority_ids: ["ca_a"] } };
    fixture.emulator.api("PATCH", `/edges/tls/${edge.state!.id}`, body);
    expect(await errorOf(edge.up({ tlsTermination: upstream }))).toContain(
      'ERR_TUNNEL_MODULE_UPSTREAM: The module "mutual_tls" is not allowed when terminate_at is upstream',
    );
  });

  test("and no longer declared is left in the request that adds what is incompatible with it, then removed", async () => {
    const edge = await fixture.createResource({ tlsTermination: upstream, ipRestriction: full.ipRestriction });
    const update = [
      "PATCH /edges/tls/{id}",
      { mutual_tls: { certificate_authority_ids: ["ca_a"] }, tls_termination: { terminate_at: "edge" } },
    ];
    const removal = remove("tls_termination");
    fixture.emulator.fail({ method: "DELETE", path: "**/tls_termination", status: 403 });
    await expect(edge.up({ mutualTls })).rejects.toThrow("403");
    expect(fixture.takeRequests()).toEqual([update, remove("ip_restriction"), removal]);
    expect(edge.outputs).toMatchObject({ mutualTls, tlsTermination: atEdge });
    expect(await edge.up({ mutualTls })).toBe("update");
    expect(fixture.takeRequests()).toEqual([removal]);
    await fixture.expectSettled(edge, { mutualTls });
  });

  test("and no longer declared, if the request that adds mutual TLS is rejected: nothing is removed", async () => {
    const edge = await fixture.createResource({ tlsTermination: upstream });
    fixture.emulator.fail({ method: "PATCH", status: 403 });
    await expect(edge.up({ mutualTls })).rejects.toThrow("403");
    expect(fixture.fetchObject(edge.state!.id)).toMatchObject({ tls_termination: { terminate_at: "upstream" } });
    expect(await edge.up({ mutualTls })).toBe("update");
    await fixture.expectSettled(edge, { mutualTls });
  });

  test("already before: what restricts still comes before what opens", async () => {
    const { ipRestriction, policy } = full;
    const edge = await fixture.createResource({ tlsTermination: upstream, ipRestriction });
    expect(await edge.up({ tlsTermination: upstream, policy })).toBe("update");
    expect(fixture.takeRequests()).toEqual([
      ["PATCH /edges/tls/{id}", { policy: wire.policy }],
      remove("ip_restriction"),
    ]);
  });

  test("outside of Pulumi is displayed and repaired", async () => {
    const args = { tlsTermination: atEdge };
    const edge = await fixture.createResource(args);
    fixture.emulator.api("PUT", `/edges/tls/${edge.state!.id}/tls_termination`, { terminate_at: "upstream" });
    expect(await edge.refresh()).toBe("changed");
    expect(await edge.preview(args)).toEqual({ step: "update", replaces: [], changed: ["tlsTermination"] });
    fixture.takeRequests();
    expect(await edge.up(args)).toBe("update");
    expect(fixture.takeRequests()).toEqual([["PUT /edges/tls/{id}/tls_termination", { terminate_at: "edge" }]]);
    await fixture.expectSettled(edge, args);
  });
});

test('terminateAt must be "edge" or "upstream"', async () => {
  const args = { tlsTermination: { terminateAt: "Edge" } };
  expect(await errorOf(fixture.resource().preview(args))).toBe(
    'tlsTermination.terminateAt must be "edge" or "upstream", not "Edge"',
  );
});

test("certificateAuthorityIds must have at least one id", async () => {
  const previewError = (ids: string[]) =>
    errorOf(fixture.resource().preview({ mutualTls: { certificateAuthorityIds: ids } }));
  expect(await previewError([])).toBe("mutualTls.certificateAuthorityIds must contain at least one id");
  expect(await previewError([""])).toBe("mutualTls.certificateAuthorityIds[0] must not be empty");
});
