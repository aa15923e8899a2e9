/** A service that accepts a call and does not apply a declared protection leaves the edge open: that is a failure. */
import type { JsonObject } from "../../../src/base/json";
import { assertApplied } from "../../../src/core/execute/applied";
import type { Operation } from "../../../src/core/operation";
import type { Call } from "../../../src/core/plan/plan";
import type { Definition } from "../../../src/definitions/definition";
import { httpsEdgeRouteUserAgentFilter } from "../../../src/definitions/httpsEdgeRouteUserAgentFilter";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { Stack } from "../../support/engine/stack";
import { describe as describeBoth, test as testBoth } from "../../support/engine/testedProvider";
import { errorOf, failureOf } from "../../support/errorOf";
import { type GatewayRequest, withJson } from "../../support/gateway";

const inbound = [{ actions: [{ type: "deny" }] }];
const twoIds = { ipPolicyIds: ["ipp_a", "ipp_b"] };
const ids = { ipPolicyIds: ["ipp_c"] };
const [on, off] = [
  { ...twoIds, enabled: true },
  { ...twoIds, enabled: false },
];
const restrictedTo = (...ipPolicyIds: string[]) => ({ ipRestriction: { ipPolicyIds } });
const both = { ipRestriction: twoIds, policy: { inbound } };

/** What is said if the service has something else than these declared arguments. */
const notApplied = (...names: string[]) =>
  `the service accepted PATCH /it, but did not apply the ${names.join(" and the ")}. Anyone may be able to connect. ` +
  "Run `pulumi up`, which sends it again.";
const returnedAnother = (...names: string[]) =>
  `the service returned another ${names.join(" and another ")} of it than the program declares. The next \`pulumi up\` ` +
  "sends it again.";
const restriction = notApplied("ipRestriction of it");

const restricted = { ipRestriction: twoIds };
const rules = { policy: { inbound } };
const notBoth = notApplied("ipRestriction of it", "policy of it");
const described = { description: "a" };

const compared: [string, Definition, JsonObject, JsonObject, { fails?: string; warns?: string }][] = [
  ["nothing", tcpEdge, restricted, {}, { fails: restriction }],
  ["neither of two", tcpEdge, both, {}, { fails: notBoth }],
  ["only one of two", tcpEdge, both, rules, { fails: restriction }],
  [
    "no description and no backend, which protect nothing",
    tcpEdge,
    { ...described, backend: { backendId: "bkdhr_a" } },
    {},
    { warns: returnedAnother("description", "backend") },
  ],
  ["neither a protection nor a description", tcpEdge, { ...described, ...both }, {}, { fails: notBoth }],
  ["all ids", tcpEdge, restricted, restricted, {}],
  ["all ids in another order", tcpEdge, restricted, restrictedTo("ipp_b", "ipp_a"), {}],
  ["one of the ids", tcpEdge, restricted, restrictedTo("ipp_b"), { fails: restriction }],
  ["one id more", tcpEdge, { ipRestriction: ids }, restrictedTo("ipp_c", "ipp_d"), { fails: restriction }],
  ["another id", tcpEdge, restricted, { ipRestriction: ids }, { fails: restriction }],
  ["it switched off", tcpEdge, restricted, { ipRestriction: off }, { fails: restriction }],
  [
    "it switched off, and declared as on",
    tcpEdge,
    { ipRestriction: on },
    { ipRestriction: off },
    { fails: restriction },
  ],
  ["it switched off, as declared", tcpEdge, { ipRestriction: off }, { ipRestriction: off }, {}],
  ["it, and the response does not show that it is on", tcpEdge, { ipRestriction: on }, restricted, {}],
  ["other rules", tcpEdge, rules, { policy: { inbound: [{ name: "a" }] } }, { fails: notApplied("policy of it") }],
  ["no rules", tcpEdge, rules, { policy: { enabled: true } }, { fails: notApplied("policy of it") }],
  ["no rules, as declared", tcpEdge, { policy: { inbound: [] } }, { policy: { enabled: true } }, {}],
  ["modules that the program does not declare", tcpEdge, {}, { ...restricted, ...described }, {}],
  ["all of a module resource", tcpEdgeIpRestriction, twoIds, twoIds, {}],
  ["nothing of a module resource", tcpEdgeIpRestriction, twoIds, {}, { fails: notApplied("it") }],
  [
    "another list of a module resource",
    httpsEdgeRouteUserAgentFilter,
    { allow: ["curl"] },
    { deny: ["curl"] },
    { fails: notApplied("it") },
  ],
  [
    "a module resource that protects nothing, switched off",
    tlsEdgeTlsTermination,
    {},
    { enabled: false },
    { warns: returnedAnother("enabled") },
  ],
];

async function compare(definition: Definition, desired: JsonObject, values: JsonObject, following?: Call[]) {
  const warnings: string[] = [];
  const warn = async (message: string) => void warnings.push(message);
  const operation = { definition, name: "it", describe: () => "PATCH /it", warn } as unknown as Operation;
  const call: Call = { route: "PATCH /it", sets: Object.keys(desired) };
  const failure = await assertApplied(operation, call, desired, values, following).catch(
    (error: Error) => error.message,
  );
  return { ...(failure !== undefined && { fails: failure }), ...(warnings.length > 0 && { warns: warnings.join() }) };
}

test.each(compared)("the service has %s", async (_, definition, desired, values, said) => {
  expect(await compare(definition, desired, values)).toEqual(said);
});

test("a value that a later call sets or removes need not be there yet", async () => {
  const following: Call[] = [
    { route: "PATCH /it", sets: ["description", "ipRestriction"] },
    { route: "DELETE /it/policy", sets: [], removes: "policy" },
  ];
  const values = { policy: { inbound } };
  expect(await compare(tcpEdge, { description: "a", ipRestriction: twoIds }, values, following)).toEqual({});
});

type Change = (json: Record<string, unknown>) => unknown;
const isWrite = ({ method }: GatewayRequest) => method !== "GET";

async function start() {
  const { stack, emulator, gateway } = await Stack.startBehindGateway();
  /** Changes the next response to a write. */
  const changeResponse = (change: Change) => {
    gateway.handle = async (request, forward) => {
      const response = await forward();
      if (!isWrite(request)) return response;
      gateway.handle = (_, pass) => pass();
      return withJson(response, change);
    };
  };
  return { emulator, gateway, stack, changeResponse, edge: stack.resource("TcpEdge", "ssh") };
}

const program = { description: "a", ipRestriction: twoIds };
const changed = { description: "b", ipRestriction: ids };

describeBoth("a declared protection that is not applied", () => {
  test("fails a create, with the edge in the state as the service has it, and the next `pulumi up` sends it", async () => {
    const { emulator, edge, changeResponse } = await start();
    changeResponse((json) => ({ ...json, ip_restriction: null }));
    const { message } = await failureOf(edge.up(program));
    expect(message).toContain(`the service accepted POST /edges/tcp, but did not apply the ipRestriction of TCP edge `);
    expect(edge.state?.id).toBe(emulator.account.tcpEdges[0]!.id);
    expect(edge.outputs.ipRestriction).not.toEqual(program.ipRestriction);
    emulator.clearRequests();
    expect(await edge.up(program)).toBe("update");
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    expect(await edge.up(program)).toBe("same");
  });

  test("fails a create, and the next `pulumi up` clears the arguments that its program drops", async () => {
    const { emulator, stack, edge, changeResponse } = await start();
    changeResponse((json) => ({ ...json, ip_restriction: null }));
    await errorOf(edge.up({ ...program, hostports: ["a.example.com:1"] }));
    stack.next();
    expect(await edge.up({ ipRestriction: twoIds })).toBe("update");
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "", hostports: null }]);
  });

  test("fails an update before it sends what opens the edge", async () => {
    const { emulator, edge, changeResponse } = await start();
    await edge.up({ ...program, policy: { inbound } });
    emulator.clearRequests();
    changeResponse((json) => ({ ...json, ip_restriction: { enabled: false, ip_policies: [{ id: "ipp_c" }] } }));
    expect(await errorOf(edge.up(changed))).toContain("did not apply the ipRestriction of TCP edge");
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
    expect(emulator.account.tcpEdges[0]!.policy).not.toBeNull();
    expect(await edge.up(changed)).toBe("update");
    expect(emulator.account.tcpEdges[0]!.policy).toBeNull();
    expect(await edge.up(changed)).toBe("same");
  });

  test("fails a module resource, also one of which only that module changes", async () => {
    const { emulator, stack, changeResponse } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    const restriction = stack.resource("TcpEdgeIpRestriction", "office");
    for (const ipPolicyIds of [
      ["ipp_a", "ipp_c"],
      ["ipp_b", "ipp_c"],
    ]) {
      const args = { edgeId: id, ipPolicyIds };
      changeResponse(() => ({ enabled: true, ip_policies: [{ id: "ipp_c" }] }));
      expect(await errorOf(restriction.up(args))).toContain(`did not apply the IP restriction of TCP edge ${id}`);
      expect(await restriction.up(args)).toBe("update");
      expect(await restriction.up(args)).toBe("same");
    }
  });
});

describeBoth("a response without a body", () => {
  const withoutBody = { method: "PUT", status: 200, body: "", processed: true };

  test("to a PUT of a protection is followed by a GET, which shows whether it is applied", async () => {
    const { emulator, stack, edge } = await start();
    await edge.up({});
    // The service has responded, so its responses without a body count.
    emulator.clearRequests();
    const restriction = stack.resource("TcpEdgeIpRestriction");
    emulator.fail(withoutBody);
    await restriction.up({ edgeId: edge.id, ...twoIds });
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction", "GET /edges/tcp/{id}/ip_restriction"]);
    emulator.fail({ ...withoutBody, processed: false });
    expect(await errorOf(restriction.up({ edgeId: edge.id, ...ids }))).toContain(
      `the service accepted PUT /edges/tcp/${edge.id}/ip_restriction, but did not apply the IP restriction of TCP edge ` +
        `${edge.id}. Anyone may be able to connect. Run \`pulumi up\`, which sends it again.`,
    );
  });

  test("to a PUT of a module that protects nothing is enough", async () => {
    const { stack, emulator, edge } = await start();
    await edge.up({});
    emulator.clearRequests();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", {});
    emulator.fail(withoutBody);
    await stack.resource("TlsEdgeTlsTermination").up({ edgeId: id, terminateAt: "edge" });
    expect(emulator.calls()).toEqual(["PUT /edges/tls/{id}/tls_termination"]);
  });
});

const shown = { ip_restriction: { ip_policies: twoIds.ipPolicyIds.map((id) => ({ id })) }, policy: { inbound } };

testBoth.each([
  ["both protections", shown, ["PATCH /edges/tcp/{id}"]],
  ["only one of two", { policy: shown.policy }, ["PATCH /edges/tcp/{id}", "GET /edges/tcp/{id}"]],
  ["neither of two", {}, ["PATCH /edges/tcp/{id}", "GET /edges/tcp/{id}"]],
])("reads an edge once unless the response shows what protects it: %s", async (_, body, calls) => {
  const { emulator, edge } = await start();
  await edge.up({});
  emulator.clearRequests();
  emulator.fail({ method: "PATCH", body: { id: edge.id, ...body }, processed: true });
  await edge.up(both);
  expect(emulator.calls()).toEqual(calls);
});

testBoth.each([
  ["ipRestriction", "policy"],
  ["policy", "ipRestriction"],
])("fails if a response shows the %s and leaves out the %s, which is not applied", async (_, leftOut) => {
  const { emulator, edge, gateway } = await start();
  const name = leftOut === "policy" ? "policy" : "ip_restriction";
  gateway.handle = async (request, forward) => {
    const response = await forward();
    if (!isWrite(request)) return response;
    gateway.handle = (_, pass) => pass();
    const { id } = JSON.parse(response.body) as { id: string };
    emulator.api("DELETE", `/edges/tcp/${id}/${name}`);
    return withJson(response, ({ [name]: _, ...rest }) => rest);
  };
  expect(await errorOf(edge.up(both))).toContain(`but did not apply the ${leftOut} of TCP edge ${edge.state!.id}.`);
  expect(await edge.up(both)).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true }, policy: { enabled: true } }]);
});

testBoth("does not read a backend that a response leaves out: it protects nothing", async () => {
  const { emulator, edge, changeResponse } = await start();
  changeResponse(({ backend, ...json }) => json);
  await edge.up({ backend: { backendId: "bkdhr_a" } });
  expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
});

describeBoth("a protection that a response leaves out, and that cannot be read", () => {
  /** Sends what is to be written, which is executed, without this protection in the response, and fails to read it. */
  async function startBlind() {
    const { emulator, stack, edge, gateway } = await start();
    const blind = (isApplied: boolean) => {
      const status = 403;
      const rejected = JSON.stringify({ error_code: `ERR_${status}`, status_code: status, msg: "Not now." });
      gateway.handle = async (request, forward) => {
        if (!isWrite(request)) return { status, headers: { "content-type": "application/json" }, body: rejected };
        const response = await forward();
        const { id } = JSON.parse(response.body) as { id: string };
        if (!isApplied) emulator.api("DELETE", `/edges/tcp/${id}/ip_restriction`);
        return withJson(response, ({ ip_restriction, ...json }) => json);
      };
    };
    const see = () => {
      gateway.handle = (_, pass) => pass();
    };
    return { emulator, stack, blind, see, edge };
  }
  const policies = ({ account }: Awaited<ReturnType<typeof start>>["emulator"]) =>
    account.tcpEdges.map(({ ip_restriction }) => ip_restriction?.ip_policies.map(({ id }) => id));

  test("after a create is sent by the next `pulumi up`", async () => {
    const { emulator, edge, blind, see } = await startBlind();
    blind(false);
    expect(await errorOf(edge.up(program))).toContain("returned 403");
    expect(policies(emulator)).toEqual([undefined]);
    see();
    expect(await edge.up(program)).toBe("update");
    expect(policies(emulator)).toEqual([["ipp_a", "ipp_b"]]);
    expect(await edge.up(program)).toBe("same");
  });

  test("after an update is sent by a reverted program as it declares it", async () => {
    const { emulator, stack, edge, blind, see } = await startBlind();
    await edge.up(program);
    blind(true);
    expect(await errorOf(edge.up(changed))).toContain("returned 403");
    expect(policies(emulator)).toEqual([["ipp_c"]]);
    see();
    stack.next();
    expect(await edge.up(program)).toBe("update");
    expect(policies(emulator)).toEqual([["ipp_a", "ipp_b"]]);
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "a" }]);
    expect(await edge.up(program)).toBe("same");
  });
});

testBoth("warns about another field that is not as declared, and the next `pulumi up` sends it", async () => {
  const { stack, edge, changeResponse } = await start();
  changeResponse((json) => ({ ...json, description: "c" }));
  await edge.up(program);
  expect(stack.said).toEqual([
    `TcpEdge "ssh": the service returned another description of TCP edge ${edge.id} than the program declares. The next ` +
      "`pulumi up` sends it again.",
  ]);
  expect(await edge.up(program)).toBe("update");
  expect(await edge.up(program)).toBe("same");
});
