/** The one rule, where it takes more than one argument or more than one up to see it. */
import { shareHost } from "../support/emulatorHost";
import type { Properties, ResourceDriver } from "../support/host";

const shared = shareHost({}, { config: { "tunnel-edge:maxRetries": "0" } });
let edge: ResourceDriver;
beforeEach(() => {
  edge = shared().host.resource("TcpEdge");
});

function took(): [string, unknown?][] {
  const { emulator } = shared();
  const calls = emulator.requests.map(({ method, operation, body }): [string, unknown?] =>
    body === undefined ? [`${method} ${operation}`] : [`${method} ${operation}`, body],
  );
  emulator.clearRequests();
  return calls;
}
const managed = () => edge.state!.outputs["__managed"].split(" ").filter(Boolean).sort();
const held = () => shared().emulator.api<Properties>("GET", `/edges/tcp/${edge.state!.id}`);

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const backend = { backendId: "bkdhr_1" };
const policy = { inbound: [{ name: "no", actions: [{ type: "deny" }] }] };

describe("what changes together", () => {
  test("takes effect together: one PATCH with the changed modules whole, and nothing that has not changed", async () => {
    await edge.up({ description: "ssh", backend, ipRestriction, policy });
    took();
    const changed = { ipPolicyIds: ["ipp_b"], enabled: true };
    await edge.up({ description: "ssh", hostports: ["a.example.com:1"], backend, ipRestriction: changed, policy });
    expect(took()).toEqual([
      [
        "PATCH /edges/tcp/{id}",
        { hostports: ["a.example.com:1"], ip_restriction: { enabled: true, ip_policy_ids: ["ipp_b"] } },
      ],
    ]);
  });

  test("goes in an order that protects first: what tightens, then what opens", async () => {
    await edge.up({ ipRestriction, backend });
    took();
    await edge.up({ policy, backend, hostports: ["a.example.com:1"] });
    expect(took().map(([call]) => call)).toEqual(["PATCH /edges/tcp/{id}", "DELETE /edges/tcp/{id}/ip_restriction"]);
  });
});

describe("an update that fails half way", () => {
  const before = { description: "ssh", backend, ipRestriction };
  const after = { description: "web", policy, backend };

  beforeEach(async () => {
    await edge.up(before);
    took();
  });

  test("says what the service holds, remembers what is to be dropped, and the next up does only the rest", async () => {
    shared().emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow(/could not be updated: DELETE \S+\/ip_restriction returned 403/);
    expect(took().map(([call]) => call)).toEqual(["PATCH /edges/tcp/{id}", "DELETE /edges/tcp/{id}/ip_restriction"]);
    expect(edge.outputs).toMatchObject({ description: "web", policy, backend, ipRestriction });
    expect(managed()).toEqual(["backend.backendId", "description", "ipRestriction.ipPolicyIds", "policy.inbound"]);
    expect(await edge.up(after)).toBe("update");
    expect(took()).toEqual([["DELETE /edges/tcp/{id}/ip_restriction"]]);
    expect(managed()).toEqual(["backend.backendId", "description", "policy.inbound"]);
    expect(await edge.up(after)).toBe("same");
    expect(await edge.refresh()).toBe("same");
  });

  test("and is given up: what was dropped is managed again, with no call", async () => {
    shared().emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    took();
    expect(await edge.up({ ...after, ipRestriction })).toBe("update");
    expect(took()).toEqual([]);
    expect(await edge.refresh()).toBe("same");
  });

  test("and is refreshed before it goes on", async () => {
    shared().emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    await edge.refresh();
    took();
    expect(await edge.preview(after)).toEqual({ step: "update", replaces: [], changed: ["ipRestriction"] });
    expect(await edge.up(after)).toBe("update");
    expect(took()).toEqual([["DELETE /edges/tcp/{id}/ip_restriction"]]);
  });

  test("at the first call changes nothing", async () => {
    const { state } = edge;
    shared().emulator.fail({ method: "PATCH", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    expect(took().map(([call]) => call)).toEqual(["PATCH /edges/tcp/{id}"]);
    expect(edge.state).toEqual(state);
  });

  test("and is destroyed", async () => {
    shared().emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    await edge.destroy();
    expect(shared().emulator.account.tcpEdges).toEqual([]);
  });
});

describe("no more calls than are needed", () => {
  test("what is dropped with nothing to clear is a change with no request", async () => {
    await edge.up({ description: "", metadata: "", hostports: [] });
    took();
    expect(await edge.up({})).toBe("update");
    expect(took()).toEqual([]);
    expect(managed()).toEqual([]);
    expect(await edge.up({})).toBe("same");
    expect(await edge.refresh()).toBe("same");
  });

  test("so is a module's field that is stated with its default, and dropped again", async () => {
    await edge.up({ backend });
    took();
    for (const args of [{ backend: { ...backend, enabled: true } }, { backend }]) {
      expect(await edge.up(args)).toBe("update");
      expect(took()).toEqual([]);
      expect(await edge.up(args)).toBe("same");
      expect(await edge.refresh()).toBe("same");
      took();
    }
  });

  test("a module that someone else has removed already is not removed again where a refresh knew", async () => {
    await edge.up({ description: "ssh", ipRestriction });
    shared().emulator.api("DELETE", `/edges/tcp/${edge.state!.id}/ip_restriction`);
    await edge.refresh();
    took();
    expect(await edge.up({ description: "ssh" })).toBe("update");
    expect(took()).toEqual([]);
  });

  test("and where it did not know, that it is gone counts as removed", async () => {
    await edge.up({ description: "ssh", ipRestriction });
    shared().emulator.api("DELETE", `/edges/tcp/${edge.state!.id}/ip_restriction`);
    expect(await edge.up({ description: "ssh" })).toBe("update");
    expect(await edge.refresh()).toBe("same");
  });

  test("repetitions in a list without order are noise", async () => {
    await edge.up({ ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } });
    const again = { ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a", "ipp_b"] } };
    expect(await edge.preview(again)).toEqual({ step: "same", replaces: [], changed: [] });
  });

  test("an option that the service never hears of is a change with no request", async () => {
    await edge.up({ description: "ssh" });
    took();
    const options = { customTimeouts: { delete: "5m" } };
    expect(await edge.up({ description: "ssh" }, options)).toBe("update");
    expect(took()).toEqual([]);
    expect(await edge.up({ description: "ssh" }, options)).toBe("same");
    await edge.refresh();
    expect(await edge.up({ description: "ssh" }, options)).toBe("same");
  });
});

describe.each(["keep", "default", "reject"] as const)(
  "a service that takes empty strings in modules as: %s",
  (emptyStrings) => {
    const strict = shareHost({ emptyStrings }, { config: { "tunnel-edge:maxRetries": "0" } });
    const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
    beforeEach(() => {
      strict().emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }] });
    });

    const oidc = {
      cookiePrefix: "login.",
      issuer: "https://id.example.com",
      clientId: "a",
      clientSecret: "b",
      scopes: ["c"],
    };
    const rule = { name: "a", expressions: ["b"], actions: [{ type: "deny" }] };

    test.each<[string, Properties, Properties]>([
      ["HttpsEdgeRouteOidc", { ...route, ...oidc }, route],
      ["HttpsEdgeTlsTermination", { edgeId: "edghts_a", minVersion: "1.3" }, { edgeId: "edghts_a" }],
      ["TlsEdge", { tlsTermination: { minVersion: "1.3" } }, { tlsTermination: {} }],
      ["TlsEdge", { tlsTermination: { minVersion: "1.3" } }, { tlsTermination: { terminateAt: "upstream" } }],
      ["TcpEdge", { policy: { inbound: [rule] } }, { policy: { inbound: [{}] } }],
      ["TcpEdge", { description: "a", metadata: "b" }, { description: "", metadata: "" }],
    ])("%s: strings come and go, and nothing shows that has not changed", async (type, strings, none) => {
      const resource = strict().host.resource(type);
      for (const args of [none, strings, none]) {
        await resource.up(args);
        expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
        await resource.refresh();
        expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
      }
    });

    test("are never sent", async () => {
      const { host, emulator } = strict();
      const bad: [string, Properties][] = [
        ["HttpsEdgeTlsTermination", { edgeId: "edghts_a", minVersion: "" }],
        ["TlsEdge", { tlsTermination: { minVersion: "" } }],
        ...Object.keys(oidc).map((name): [string, Properties] => [
          "HttpsEdgeRouteOidc",
          { ...route, [name]: name === "scopes" ? [""] : "" },
        ]),
        ["TcpEdge", { policy: { inbound: [{ name: "" }] } }],
        ["TcpEdge", { policy: { inbound: [{ expressions: [""] }] } }],
        ["TcpEdge", { policy: { outbound: [{ actions: [{ type: "" }] }] } }],
      ];
      for (const [type, args] of bad) {
        await expect(host.resource(type).preview(args)).rejects.toThrow(
          /^\S+ must not be empty(; leave it out instead)?$/,
        );
      }
      expect(emulator.calls()).toEqual([]);
    });
  },
);

describe("what someone else sets", () => {
  test("inside a module of ours that the document gives no default is left to the service", async () => {
    const tls = shared().host.resource("TlsEdge");
    const args = { tlsTermination: { terminateAt: "edge" } };
    await tls.up(args);
    const path = `/edges/tls/${tls.state!.id}/tls_termination`;
    shared().emulator.api("PUT", path, { terminate_at: "edge", min_version: "1.3" });
    expect(await tls.refresh()).toBe("changed");
    expect(tls.outputs.tlsTermination.minVersion).toBe("1.3");
    expect(await tls.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
  });

  test("and we state later is changed in place, and cleared when we stop", async () => {
    await edge.up({ description: "ssh" });
    shared().emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { metadata: "theirs" });
    await edge.refresh();
    took();
    await edge.up({ description: "ssh", metadata: "ours" });
    expect(took()).toEqual([["PATCH /edges/tcp/{id}", { metadata: "ours" }]]);
    await edge.up({ description: "ssh" });
    expect(held().metadata).toBe("");
  });

  test("while we stop stating it is cleared too: it was ours", async () => {
    await edge.up({ description: "ssh", metadata: "ours" });
    shared().emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { metadata: "theirs" });
    await edge.refresh();
    await edge.up({ description: "ssh" });
    expect(held().metadata).toBe("");
  });
});
