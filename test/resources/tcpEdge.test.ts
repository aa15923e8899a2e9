import { tcpEdge } from "../../src/definitions/tcpEdge";
import * as modules from "../support/data/modules";
import { unsetLists } from "../support/engine/differences";
import type { Properties } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { type Call, moduleRows, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /edges/tcp/{id}", body]);
const putIpRestriction = (body: object) => updates(["PUT /edges/tcp/{id}/ip_restriction", body]);
const remove = (module: string): Call => [`DELETE /edges/tcp/{id}/${module}`];

const full = {
  description: "ssh",
  metadata: "team=edge",
  hostports: ["1.tcp.example.com:20022", "1.tcp.example.com:20023"],
  backend: modules.backend.full,
  ipRestriction: modules.ipRestriction.full,
  policy: modules.policy.full,
};
const wire = {
  description: "ssh",
  metadata: "team=edge",
  hostports: ["1.tcp.example.com:20022", "1.tcp.example.com:20023"],
  backend: modules.backend.wire,
  ip_restriction: modules.ipRestriction.wire,
  policy: modules.policy.wire,
};

const fixture = suite(tcpEdge, {
  full,
  wire,
  everything: {
    add: patch(wire),
    clear: updates(
      ["PATCH /edges/tcp/{id}", { description: "", metadata: "", hostports: [] }],
      remove("backend"),
      remove("ip_restriction"),
      remove("policy"),
    ),
  },
  rows: {
    description: {
      other: "web",
      add: patch({ description: "ssh" }),
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
      other: ["1.tcp.example.com:20023"],
      add: patch({ hostports: full.hostports }),
      change: patch({ hostports: ["1.tcp.example.com:20023"] }),
      clear: patch({ hostports: [] }),
      outsideValue: ["1.tcp.example.com:20024"],
    },
    ...moduleRows("backend", modules.backend, (body) => patch({ backend: body }), updates(remove("backend"))),
    ...moduleRows("ipRestriction", modules.ipRestriction, putIpRestriction, updates(remove("ip_restriction"))),
    ...moduleRows("policy", modules.policy, (body) => patch({ policy: body }), updates(remove("policy"))),
  },
});

describe("a service without the deletes that the document does not list", () => {
  const { description, hostports, backend, ipRestriction, policy } = full;
  let stack: Stack;
  let edge: ResourceDriver;
  beforeEach(async () => {
    stack = await Stack.start({ documentedOnly: true, config: { "tunnel-edge:maxRetries": "0" } });
    edge = stack.resource("TcpEdge");
  });

  test("the edge is cleared instead, its hostports are released, and one warning names it", async () => {
    const { emulator } = stack;
    await edge.up(full);
    const { id } = edge.state!;
    stack.next();
    await edge.delete();
    expect(emulator.calls({ ids: true })).toEqual([
      `DELETE /edges/tcp/${id}`,
      `GET /edges/tcp/${id}`,
      `PATCH /edges/tcp/${id}`,
      `DELETE /edges/tcp/${id}/backend`,
      `DELETE /edges/tcp/${id}/ip_restriction`,
      `DELETE /edges/tcp/${id}/policy`,
    ]);
    expect(emulator.requests[2]!.body).toEqual({ hostports: [] });
    expect(stack.said).toEqual([
      `TcpEdge "it": TCP edge ${id} still exists, because the service has no operation that deletes it. It was ` +
        "cleared instead, and its hostports are free again. Its backend and policy could not be removed. It is no longer part of this stack.",
    ]);
    expect(emulator.account.tcpEdges).toMatchObject([{ id, hostports: null, ip_restriction: null }]);
    expect(await stack.resource("TcpEdge").up({ hostports })).toBe("create");
  });

  test("hostports that the service does not show are released before protections are removed", async () => {
    const { emulator } = stack;
    await edge.up(full);
    const { id } = edge.state!;
    const { hostports: _, ...shown } = emulator.api("GET", `/edges/tcp/${id}`);
    emulator.fail({ method: "GET", path: `/edges/tcp/${id}`, status: 200, body: shown });
    await edge.destroy();
    expect(emulator.account.tcpEdges).toMatchObject([{ id, hostports: null, ip_restriction: null }]);
  });

  test("an edge that was cleared only in part needs a refresh, and the error says so", async () => {
    const { emulator } = stack;
    await edge.up(full);
    emulator.fail({ method: "DELETE", path: "/edges/tcp/*/ip_restriction", status: 422 });
    const message = await errorOf(edge.destroy());
    expect(message).toContain(
      "It was cleared in part. If the program declares it again, run `pulumi refresh`, then `pulumi up`.",
    );
    expect(emulator.account.tcpEdges).toMatchObject([{ hostports: null }]);
  });

  test("an edge that is already deleted causes no warning", async () => {
    const { emulator } = stack;
    await edge.up({ description });
    const { id } = edge.state!;
    emulator.reset();
    stack.next();
    await edge.delete();
    expect(emulator.calls({ ids: true })).toEqual([
      `DELETE /edges/tcp/${id}`,
      `GET /edges/tcp/${id}`,
      "GET /api_keys", // it proves the address
    ]);
    expect(stack.said).toEqual([]);
  });

  test("a module that cannot be removed is an error, and stays in the state", async () => {
    const { emulator } = stack;
    await edge.up({ description, backend, ipRestriction, policy });
    const { id, outputs } = edge.state!;
    const message = await errorOf(edge.up({ description, backend, ipRestriction }));
    expect(message).toMatch(
      new RegExp(
        `^TCP edge ${id} could not be updated: DELETE /edges/tcp/${id}/policy returned 405 ERR_TUNNEL_METHOD_NOT_ALLOWED: .*` +
          "The service cannot remove policy\\. Declare it with `enabled: false` instead\\.$",
      ),
    );
    expect(edge.state!.outputs).toEqual(outputs);
    expect(emulator.account.tcpEdges[0]!.policy).not.toBeNull();
    // The fix in the message.
    expect(await edge.up({ description, backend, ipRestriction, policy: { enabled: false } })).toBe("update");
    expect(await edge.refresh()).toBe("same");
  });

  test("a module that can be removed is removed before the other fails, and not again", async () => {
    const { emulator } = stack;
    await edge.up({ description, ipRestriction, policy });
    await expect(edge.up({ description: "less" })).rejects.toThrow("cannot remove policy");
    expect(edge.outputs).toMatchObject({ description: "less", policy });
    expect(edge.outputs.ipRestriction).toBeUndefined();
    emulator.clearRequests();
    await expect(edge.up({ description: "less" })).rejects.toThrow("cannot remove policy");
    const { id } = edge.state!;
    expect(emulator.calls({ ids: true })).toEqual([`DELETE /edges/tcp/${id}/policy`, `GET /edges/tcp/${id}`]);
    await edge.refresh();
    expect(await edge.preview({ description: "less" })).toEqual({ step: "update", replaces: [], changed: ["policy"] });
  });

  test("a module that is already gone counts as removed", async () => {
    const { emulator } = stack;
    await edge.up({ description, ipRestriction });
    emulator.api("DELETE", `/edges/tcp/${edge.state!.id}/ip_restriction`);
    expect(await edge.up({ description })).toBe("update");
    expect(await edge.refresh()).toBe("same");
  });
});

describe("after a lost response, the created edge", () => {
  test("is imported by its hostports", async () => {
    const edge = fixture.resource();
    fixture.emulator.fail({ method: "POST", resetAfter: true });
    expect(await edge.up(full)).toBe("create");
    expect(fixture.takeRequests()).toEqual([["POST /edges/tcp", wire], ["GET /edges/tcp"]]);
    expect(fixture.emulator.account.tcpEdges).toHaveLength(1);
    await fixture.expectSettled(edge, full);
  });

  test("is not imported by its description, which others may have", async () => {
    const edge = fixture.resource();
    fixture.emulator.fail({ method: "POST", resetAfter: true });
    const message = await errorOf(edge.up({ description: "ssh" }));
    expect(message).toContain(`may have been created anyway, as ${fixture.emulator.account.tcpEdges[0]!.id} (created`);
    expect(edge.state).toBeUndefined();
  });
});

describe("what the service returns in another form", () => {
  /** Refreshes an edge that the service returns in another form. */
  async function refreshWith(change: (edge: Record<string, unknown>) => object, args: object): Promise<string> {
    const edge = await fixture.createResource(args);
    const { id } = edge.state!;
    const body = change(fixture.emulator.api("GET", `/edges/tcp/${id}`));
    fixture.emulator.fail({ method: "GET", status: 200, body });
    return edge.refresh();
  }

  test("what is unset may be null, empty or absent", async () => {
    const names = ["description", "metadata", "hostports", "backend", "ip_restriction", "policy"];
    const unset = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
    expect(await refreshWith((edge) => ({ ...edge, ...unset(null) }), {})).toBe("same");
    expect(await refreshWith((edge) => ({ ...edge, ...unset(undefined) }), {})).toBe("same");
    expect(await refreshWith((edge) => ({ ...edge, hostports: [], description: "" }), {})).toBe("same");
    expect(
      await refreshWith((edge) => ({ ...edge, description: null, hostports: null }), {
        description: "",
        hostports: [],
      }),
    ).toBe("same");
  });

  test("a list of one item may be returned as the item", async () => {
    const args = { ipRestriction: { ipPolicyIds: ["ipp_a"] }, policy: { inbound: [modules.rule("in")] } };
    const single = { ...modules.rule("in"), actions: modules.rule("in").actions[0] };
    const toSingle = ({ ip_restriction, policy, ...edge }: Properties) => ({
      ...edge,
      ip_restriction: { ...ip_restriction, ip_policies: { id: "ipp_a", uri: "" } },
      policy: { ...policy, inbound: single },
    });
    expect(await refreshWith(toSingle, args)).toBe("same");
  });

  test("unknown fields are ignored", async () => {
    expect(await refreshWith((edge) => ({ ...edge, colour: "blue", ip_restriction: null }), {})).toBe("same");
  });

  test("hostports may be in another case", async () => {
    const args = { hostports: ["One.example.com:1"] };
    expect(await refreshWith((edge) => ({ ...edge, hostports: ["one.EXAMPLE.com:1"] }), args)).toBe("same");
  });
});

describe("policy", () => {
  const [one, two] = [{ type: "log", config: { snake_key: { "X-Key": [1, null, { a_b: true }] } } }, { type: "deny" }];

  test("keys of a config are sent and read unchanged", async () => {
    const args = { policy: { inbound: [{ name: "n", actions: [one] }] } };
    const edge = await fixture.createResource(args);
    const [held] = fixture.emulator.account.tcpEdges;
    expect(held!.policy!.inbound[0]!.actions).toEqual([one]);
    expect(edge.outputs.policy.inbound[0].actions).toEqual([one]);
    await fixture.expectSettled(edge, args);
  });

  test("the order of a rule's expressions and actions matters", async () => {
    const inOrder = { expressions: ["a", "b"], actions: [one, two] };
    const edge = await fixture.createResource({ policy: { inbound: [inOrder] } });
    for (const other of [
      { ...inOrder, expressions: ["b", "a"] },
      { ...inOrder, actions: [two, one] },
    ]) {
      expect((await edge.preview({ policy: { inbound: [other] } })).step).toBe("update");
    }
  });

  test("each part of a rule is checked", async () => {
    const said = (rule: unknown) => errorOf(fixture.resource().preview({ policy: { inbound: [{ name: "a" }, rule] } }));
    expect(await said("deny")).toBe("policy.inbound[1] must be an object, not a string");
    expect(await said({ name: 1 })).toBe("policy.inbound[1].name must be a string, not a number");
    expect(await said({ expressions: "true" })).toBe("policy.inbound[1].expressions must be a list, not a string");
    expect(await said({ expressions: [true] })).toBe(
      "policy.inbound[1].expressions[0] must be a string, not a boolean",
    );
    expect(await said({ actions: [{ type: [] }] })).toBe(
      "policy.inbound[1].actions[0].type must be a string, not a list",
    );
    expect(await said({ actions: [{ config: "x" }] })).toBe(
      "policy.inbound[1].actions[0].config must be an object, not a string",
    );
    expect(await said({ action: [] })).toBe('policy.inbound[1].action is not an argument: did you mean "actions"?');
    expect(await said({ actions: [{ typ: "x" }] })).toBe(
      'policy.inbound[1].actions[0].typ is not an argument: did you mean "type"?',
    );
    expect(await said({ actions: [{ config: { deep: [Number.NaN] } }] })).toBe(
      "policy.inbound[1].actions[0].config: a value must not contain NaN or Infinity",
    );
  });

  test("null means not declared in a rule, but is a value in an action's config", async () => {
    const rule = {
      name: null,
      expressions: null,
      actions: [
        { type: "deny", config: null },
        { type: null, config: { a: null } },
      ],
    };
    const args = { policy: { enabled: null, inbound: [rule], outbound: null } };
    const edge = fixture.stack.resource("TcpEdge", "nulls");
    await edge.up(args);
    expect(fixture.takeRequests()).toEqual([
      ["POST /edges/tcp", { policy: { inbound: [{ actions: [{ type: "deny" }, { config: { a: null } }] }] } }],
    ]);
    await fixture.expectSettled(edge, args);
  });
});

test("a PATCH whose response has no body has set what was sent, and cleared what was dropped", async () => {
  const edge = await fixture.resource();
  const hostports = ["1.tcp.example.com:20099"];
  await edge.up({ description: "a", metadata: "m", hostports });
  fixture.emulator.fail({ method: "PATCH", status: 200, body: "", processed: true });
  expect(await edge.up({ metadata: "n" })).toBe("update");
  const { description, metadata, hostports: left } = edge.state!.outputs;
  expect({ description, metadata, left }).toEqual({ metadata: "n", ...unsetLists("left") });
});
