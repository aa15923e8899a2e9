import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { tlsEdgeTlsTermination } from "../../src/definitions/tlsEdgeTlsTermination";
import { tlsTermination } from "../support/data/modules";
import { unknown } from "../support/engine/provider";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { edges } from "./parents";
import { moduleTable, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/tls/{id}/tls_termination", body]);

const fixture = suite(tlsEdgeTlsTermination, moduleTable(tlsTermination, put, edges("tlsEdges")));

test("the preview rejects minVersion together with upstream", async () => {
  const args = { ...fixture.minimal, terminateAt: "upstream", minVersion: "1.2" };
  expect(await errorOf(fixture.resource().preview(args))).toBe(
    'minVersion cannot be combined with terminateAt "upstream", where the edge does not terminate TLS',
  );
  expect(fixture.takeRequests()).toEqual([]);
  for (const name of ["terminateAt", "minVersion"]) {
    expect(await fixture.resource().preview({ ...args, [name]: unknown })).toMatchObject({ step: "create" });
  }
});

describe("minVersion", () => {
  const warning = (version: string) =>
    `TlsEdgeTlsTermination "it": minVersion ${JSON.stringify(version)} is not one of "1.0", "1.1", "1.2" or "1.3"; the service may reject it.`;

  test.each(["1.4", "TLSv1.2", " 1.2"])("%j is sent, with a warning in the preview", async (version) => {
    const args = { ...fixture.minimal, minVersion: version };
    expect(await fixture.resource().preview(args)).toMatchObject({ step: "create" });
    expect(fixture.stack.said).toEqual([warning(version)]);
    expect(await errorOf(fixture.resource().up(args))).toContain("returned 400");
    expect(fixture.takeRequests()).toEqual([["PUT /edges/tls/{id}/tls_termination", { min_version: version }]]);
  });

  test.each(["1.0", "1.1", "1.2", "1.3"])("%j is sent without a warning", async (version) => {
    await fixture.createResource({ ...fixture.minimal, minVersion: version });
    expect(await fixture.resource().preview({ ...fixture.minimal, minVersion: unknown })).toMatchObject({
      step: "create",
    });
    expect(fixture.stack.said).toEqual([]);
  });

  test("the types suggest the known versions and allow any other string; the other enums are strict", () => {
    const typed = () => [
      new tunnel.TlsEdgeTlsTermination("a", { edgeId: "edgtls_a", minVersion: "1.3" }),
      new tunnel.HttpsEdgeTlsTermination("b", { edgeId: "edghts_a", minVersion: "1.4" }),
      new tunnel.TlsEdge("c", { tlsTermination: { minVersion: pulumi.output("1.4") } }),
      // @ts-expect-error the API has two
      new tunnel.TlsEdge("d", { tlsTermination: { terminateAt: "Edge" } }),
      // @ts-expect-error the API has three
      new tunnel.TunnelSessionCommand("e", { sessionId: "ts_a", commands: ["reboot"] }),
    ];
    expect(typed).toBeInstanceOf(Function);
    const offered: Record<Extract<tunnel.TlsVersion, `1.${number}`>, true> = {
      "1.0": true,
      "1.1": true,
      "1.2": true,
      "1.3": true,
    };
    expect(Object.keys(offered)).toHaveLength(4);
  });
});

test("upstream, set outside of Pulumi, is displayed and repaired", async () => {
  const args = { ...fixture.minimal, terminateAt: "edge" };
  const module = await fixture.createResource(args);
  fixture.emulator.api("PUT", fixture.pathTo(module.state!.id), { terminate_at: "upstream" });
  expect(await module.refresh()).toBe("changed");
  expect(await module.preview(args)).toEqual({ step: "update", replaces: [], changed: ["terminateAt"] });
  await fixture.expectUp(module, args, "update", [["PUT /edges/tls/{id}/tls_termination", { terminate_at: "edge" }]]);
});
