import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tlsEdge } from "../../src/definitions/tlsEdge";
import * as modules from "../support/data/modules";
import { unknown } from "../support/engine/provider";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { edgeTable } from "./edges";
import { type Call, suite } from "./suite";

const { backend, ipRestriction, mutualTls, tlsTermination, policy } = modules;
const hostports = ["api.example.com:443", "www.example.com:443"];
const args = { description: "api", metadata: "team=edge", hostports };
const table = edgeTable("tls", args, { backend, ipRestriction, mutualTls, tlsTermination, policy }, "tlsTermination");
const { full } = table;
const remove = (module: string): Call => [`DELETE /edges/tls/{id}/${module}`];

const fixture = suite(tlsEdge, { ...table, shared: ["description", "metadata", "hostports", "backend", "policy"] });

test("the arguments that a TCP edge has, too, are the same there, with the same modules", () => {
  const { fields } = tlsEdge;
  for (const name of ["description", "metadata", "hostports"] as const) expect(fields[name]).toBe(tcpEdge.fields[name]);
  for (const name of ["backend", "policy"] as const) {
    const { remove, ...same } = tcpEdge.fields[name].module!;
    expect(fields[name].module).toMatchObject({ ...same, remove: remove!.replace("/tcp/", "/tls/") });
    expect(fields[name].module!.fields).toBe(same.fields);
  }
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

  test("is rejected in the preview together with minVersion or mutualTls", async () => {
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
    await fixture.expectUp(edge, after, "update", [
      remove("mutual_tls"),
      ["PUT /edges/tls/{id}/tls_termination", { terminate_at: "upstream" }],
    ]);
    await fixture.expectUp(edge, before, "update", [
      [
        "PATCH /edges/tls/{id}",
        { mutual_tls: { certificate_authority_ids: ["ca_a"] }, tls_termination: { terminate_at: "edge" } },
      ],
    ]);
  });

  test("with mutual TLS that was set outside of Pulumi is rejected in the service's words", async () => {
    const edge = await fixture.createResource({ tlsTermination: atEdge });
    const body = { mutual_tls: { certificate_authority_ids: ["ca_a"] } };
    fixture.emulator.api("PATCH", `/edges/tls/${edge.state!.id}`, body);
    expect(await errorOf(edge.up({ tlsTermination: upstream }))).toContain(
      'ERR_TUNNEL_MODULE_UPSTREAM: The module "mutual_tls" is not allowed when terminate_at is upstream',
    );
  });

  test("that is no longer declared moves to the edge with the mutual TLS that is added, and is then removed", async () => {
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
    await fixture.expectUp(edge, { mutualTls }, "update", [removal]);
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
