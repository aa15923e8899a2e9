import { tcpEdge } from "../../src/definitions/tcpEdge";
import * as modules from "../support/data/modules";
import { unsetLists } from "../support/engine/differences";
import type { Properties } from "../support/engine/provider";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { edgeTable } from "./edges";
import { suite } from "./suite";

const { backend, ipRestriction, policy } = modules;
const hostports = ["1.tcp.example.com:20022", "1.tcp.example.com:20023"];
const args = { description: "ssh", metadata: "team=edge", hostports };
const fixture = suite(tcpEdge, edgeTable("tcp", args, { backend, ipRestriction, policy }, "ipRestriction"));

describe("a response in another form", () => {
  /** Refreshes an edge that the service returns in another form. */
  async function refreshWith(change: (edge: Record<string, unknown>) => object, args: object): Promise<string> {
    const edge = await fixture.createResource(args);
    const { id } = edge.state!;
    const body = change(fixture.emulator.api("GET", `/edges/tcp/${id}`));
    fixture.emulator.fail({ method: "GET", status: 200, body });
    return edge.refresh();
  }

  test("has null, an empty value or nothing for an unset one", async () => {
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

  test("has the item in place of a list of one", async () => {
    const args = { ipRestriction: { ipPolicyIds: ["ipp_a"] }, policy: { inbound: [modules.rule("in")] } };
    const single = { ...modules.rule("in"), actions: modules.rule("in").actions[0] };
    const toSingle = ({ ip_restriction, policy, ...edge }: Properties) => ({
      ...edge,
      ip_restriction: { ...ip_restriction, ip_policies: { id: "ipp_a", uri: "" } },
      policy: { ...policy, inbound: single },
    });
    expect(await refreshWith(toSingle, args)).toBe("same");
  });

  test("has unknown fields, which are ignored", async () => {
    expect(await refreshWith((edge) => ({ ...edge, colour: "blue", ip_restriction: null }), {})).toBe("same");
  });

  test("has hostports in another case", async () => {
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

test("a PATCH whose response has no body counts as executed: sent values are set, and dropped ones are cleared", async () => {
  const edge = await fixture.resource();
  const hostports = ["1.tcp.example.com:20099"];
  await edge.up({ description: "a", metadata: "m", hostports });
  fixture.emulator.fail({ method: "PATCH", status: 200, body: "", processed: true });
  expect(await edge.up({ metadata: "n" })).toBe("update");
  const { description, metadata, hostports: left } = edge.state!.outputs;
  expect({ description, metadata, left }).toEqual({ metadata: "n", ...unsetLists("left") });
});
