/** The rules for managed fields, with several arguments or several deployments. */
import { pathsOf } from "../../src/core/arguments";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { expected } from "../support/engine/differences";
import type { Properties } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test, testedProvider } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const config = { "tunnel-edge:maxRetries": "0" };
let stack: Stack;
let edge: ResourceDriver;
beforeEach(async () => {
  stack = await Stack.start({ config });
  edge = stack.resource("TcpEdge");
});

function takeRequests(): [string, unknown?][] {
  const { emulator } = stack;
  const calls = emulator.requests.map(({ method, operation, body }): [string, unknown?] =>
    body === undefined ? [`${method} ${operation}`] : [`${method} ${operation}`, body],
  );
  emulator.clearRequests();
  return calls;
}
function listManaged(): string[] {
  const { inputs, outputs } = edge.state!;
  const declared = testedProvider() === "plugin" ? pathsOf(tcpEdge.fields, inputs) : [];
  return [...new Set([...(outputs["__managed"] ?? "").split(" "), ...declared])].filter(Boolean).sort();
}
const fetchEdge = () => stack.emulator.api<Properties>("GET", `/edges/tcp/${edge.state!.id}`);

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const backend = { backendId: "bkdhr_1" };
const policy = { inbound: [{ name: "no", actions: [{ type: "deny" }] }] };

describe("an update that fails halfway", () => {
  const before = { description: "ssh", backend, ipRestriction };
  const after = { description: "web", policy, backend };

  beforeEach(async () => {
    await edge.up(before);
    takeRequests();
  });

  test("records the values that the service has, and the next `pulumi up` does only the rest", async () => {
    stack.emulator.fail({ method: "DELETE", status: 403 });
    const message = await errorOf(edge.up(after));
    expect(message).toMatch(/could not be updated: DELETE \S+\/ip_restriction returned 403/);
    expect(message).not.toContain("It may have been updated");
    expect(takeRequests().map(([call]) => call)).toEqual([
      "PATCH /edges/tcp/{id}",
      "DELETE /edges/tcp/{id}/ip_restriction",
    ]);
    expect(edge.outputs).toMatchObject({ description: "web", policy, backend, ipRestriction });
    expect(listManaged()).toEqual(["backend.backendId", "description", "ipRestriction.ipPolicyIds", "policy.inbound"]);
    expect(await edge.up(after)).toBe("update");
    expect(takeRequests()).toEqual([["DELETE /edges/tcp/{id}/ip_restriction"]]);
    expect(listManaged()).toEqual(["backend.backendId", "description", "policy.inbound"]);
    expect(await edge.up(after)).toBe("same");
    expect(await edge.refresh()).toBe("same");
  });

  test("and is reverted manages the removed module again, without a request", async () => {
    stack.emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    takeRequests();
    expect(await edge.up({ ...after, ipRestriction })).toBe("update");
    expect(takeRequests()).toEqual([]);
    expect(await edge.refresh()).toBe("same");
  });

  test("and is refreshed before it continues", async () => {
    stack.emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    await edge.refresh();
    takeRequests();
    expect(await edge.preview(after)).toEqual({ step: "update", replaces: [], changed: ["ipRestriction"] });
    expect(await edge.up(after)).toBe("update");
    expect(takeRequests()).toEqual([["DELETE /edges/tcp/{id}/ip_restriction"]]);
  });
});

describe("no unnecessary requests", () => {
  test("removing an argument with nothing to clear is a change without a request", async () => {
    await edge.up({ description: "", metadata: "", hostports: [] });
    takeRequests();
    expect(await edge.up({})).toBe(expected("stepWithoutCall"));
    expect(takeRequests()).toEqual([]);
    expect(listManaged()).toEqual([]);
    expect(await edge.up({})).toBe("same");
    expect(await edge.refresh()).toBe(expected("refreshAfterNoCall"));
  });

  test("adding and removing a module's field with its default value is a change without a request", async () => {
    await edge.up({ backend });
    takeRequests();
    for (const args of [{ backend: { ...backend, enabled: true } }, { backend }]) {
      expect(await edge.up(args)).toBe(expected("stepWithoutCall"));
      expect(takeRequests()).toEqual([]);
      expect(await edge.up(args)).toBe("same");
      expect(await edge.refresh()).toBe("same");
      takeRequests();
    }
  });

  test("a module that was already removed outside of Pulumi is not removed again after a refresh", async () => {
    await edge.up({ description: "ssh", ipRestriction });
    stack.emulator.api("DELETE", `/edges/tcp/${edge.state!.id}/ip_restriction`);
    await edge.refresh();
    takeRequests();
    expect(await edge.up({ description: "ssh" })).toBe(expected("stepWithoutCall"));
    expect(takeRequests()).toEqual([]);
  });

  test("without a refresh, a module that is already gone counts as removed", async () => {
    await edge.up({ description: "ssh", ipRestriction });
    stack.emulator.api("DELETE", `/edges/tcp/${edge.state!.id}/ip_restriction`);
    expect(await edge.up({ description: "ssh" })).toBe("update");
    expect(await edge.refresh()).toBe("same");
  });

  test("duplicates in an unordered list are ignored", async () => {
    await edge.up({ ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } });
    const again = { ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a", "ipp_b"] } };
    expect(await edge.preview(again)).toEqual({ step: "same", replaces: [], changed: [] });
  });

  test("an option that is not sent to the service is a change without a request", async () => {
    await edge.up({ description: "ssh" });
    takeRequests();
    const options = { customTimeouts: { delete: "5m" } };
    expect(await edge.up({ description: "ssh" }, options)).toBe(expected("stepIfOnlyAnOptionChanges"));
    expect(takeRequests()).toEqual([]);
    expect(await edge.up({ description: "ssh" }, options)).toBe("same");
    await edge.refresh();
    expect(await edge.up({ description: "ssh" }, options)).toBe("same");
  });
});

describe.each(["keep", "default", "reject"] as const)(
  "a service that handles empty strings in modules with: %s",
  (emptyStrings) => {
    const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
    beforeEach(async () => {
      stack = await Stack.start({ emptyStrings, config });
      stack.emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }] });
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
    ])("%s: strings are added and removed without false changes", async (type, strings, none) => {
      const resource = stack.resource(type);
      for (const args of [none, strings, none]) {
        await resource.up(args);
        expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
        await resource.refresh();
        expect(await resource.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
      }
    });

    test("is never sent one", async () => {
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
        await expect(stack.resource(type).preview(args)).rejects.toThrow(
          /^\S+ must not be empty(; leave it out instead)?$/,
        );
      }
      expect(stack.calls).toEqual([]);
    });
  },
);

describe("a value set outside of Pulumi", () => {
  test("while its declaration is removed is cleared too, because it was managed", async () => {
    await edge.up({ description: "ssh", metadata: "ours" });
    stack.emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { metadata: "theirs" });
    await edge.refresh();
    await edge.up({ description: "ssh" });
    expect(fetchEdge().metadata).toBe("");
  });
});
