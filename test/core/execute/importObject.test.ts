/** The option import: an object or module becomes part of the stack as it is, if it has what the program declares. */

import type { JsonObject } from "../../../src/base/json";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import { newState } from "../../../src/core/state";
import { unknownValue } from "../../../src/core/unknown";
import { apiKey } from "../../../src/definitions/apiKey";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { errorOf } from "../../support/errorOf";

const time = createRequestTime();
const ids = { ipPolicyIds: ["ipp_a"] };
const args = { description: "old", metadata: "m", ipRestriction: ids };

/** An edge with an IP restriction, which no resource has yet. */
async function start() {
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    description: "old",
    metadata: "m",
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  const deployment = new Processes(time).startDeployment(configOf(emulator));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const check = async (definition: Definition, declared: JsonObject, importId = id) =>
    (await provider(definition).check(undefined, declared, optionsOf("e", { importId }))).problems;
  const importAs = (definition: Definition, declared: JsonObject, importId = id) =>
    provider(definition).create(declared, optionsOf("e", { importId }));
  return { emulator, id, provider, check, importAs };
}

test("an object is only read, and the state has what is declared of it", async () => {
  const { emulator, id, check, importAs } = await start();
  expect(await check(tcpEdge, { description: "old" })).toEqual([]);
  expect(await importAs(tcpEdge, { description: "old" })).toMatchObject({
    id,
    values: { description: "old", metadata: "m" },
    managed: ["description"],
  });
  expect(emulator.calls()).toEqual(["GET /edges/tcp/{id}", "GET /edges/tcp/{id}"]);
});

test("a module is only read", async () => {
  const { emulator, id, check, importAs } = await start();
  expect(await check(tcpEdgeIpRestriction, { edgeId: id, ...ids })).toEqual([]);
  expect(await importAs(tcpEdgeIpRestriction, { edgeId: id, ...ids })).toMatchObject({ id, values: { edgeId: id } });
  expect(new Set(emulator.calls())).toEqual(new Set(["GET /edges/tcp/{id}/ip_restriction"]));
});

test("each difference is a problem of the check, and fails the import if it comes after the check", async () => {
  const { check, importAs } = await start();
  const other = { ...args, description: "new", metadata: "n" };
  const problems = [
    expect.stringMatching(/^description differs from/),
    expect.stringMatching(/^metadata differs from/),
  ];
  expect(await check(tcpEdge, other)).toEqual(problems);
  const message = await errorOf(importAs(tcpEdge, other));
  expect(message.replace(/^TCP edge \w+ could not be imported: /, "").split("\n")).toEqual(problems);
});

test("what does not exist cannot be imported", async () => {
  const { check, importAs } = await start();
  const missing = "There is no TCP edge edgtcp_none. Check the id, or remove the import option to create one.";
  expect(await check(tcpEdge, args, "edgtcp_none")).toEqual([missing]);
  expect(await errorOf(importAs(tcpEdge, args, "edgtcp_none"))).toBe(
    `TCP edge edgtcp_none could not be imported: ${missing}`,
  );
});

test("a module whose arguments are those of another is not read", async () => {
  const { emulator, id, check } = await start();
  expect(await check(tcpEdgeIpRestriction, { edgeId: "edgtcp_other", ...ids })).toEqual([
    `The arguments are those of IP restriction of TCP edge edgtcp_other, but import is "${id}".`,
  ]);
  expect(emulator.calls()).toEqual([]);
});

test("a module whose edge is not known yet is compared in all other arguments", async () => {
  const { id, check } = await start();
  expect(await check(tcpEdgeIpRestriction, { edgeId: unknownValue, ...ids })).toEqual([]);
  expect(await check(tcpEdgeIpRestriction, { edgeId: unknownValue, ipPolicyIds: ["ipp_b"] })).toEqual([
    expect.stringContaining(`but ["ipp_a"] in IP restriction of TCP edge ${id}`),
  ]);
});

describe("a resource that exists", () => {
  const state = newState({ id: "ak_1", values: { keepers: { month: "1" }, description: "old" }, managed: [] });
  const diff = async (declared: JsonObject, importId: string | undefined, replaceOnChanges: string[] = []) => {
    const { provider } = await start();
    return provider(apiKey).diff(state, declared, optionsOf("e", { importId, replaceOnChanges }));
  };
  const { values: same } = state;

  test("may import the object that it has", async () => {
    expect(await diff(same, "ak_1")).toMatchObject({ replaces: [] });
    expect(await diff(same, undefined)).toMatchObject({ replaces: [] });
  });

  test("cannot import another object", async () => {
    expect(await errorOf(diff(same, "ak_2"))).toBe(
      "This resource is already API key ak_1, so it cannot import ak_2. Declare ak_2 under another name.",
    );
  });

  test("cannot be replaced with the option because of an argument that is never sent", async () => {
    const rotated = { ...same, keepers: { month: "2" } };
    expect(await errorOf(diff(rotated, "ak_1"))).toBe(
      "keepers cannot change while the option import is declared, because the replacement would import API key ak_1 " +
        "again. Remove the import option.",
    );
    expect(await diff(rotated, undefined)).toMatchObject({ replaces: ["keepers"] });
  });

  test("can be replaced with the option because of another argument", async () => {
    const changed = { ...same, description: "new" };
    expect(await diff(changed, "ak_1", ["description"])).toMatchObject({ replaces: ["description"] });
  });
});
