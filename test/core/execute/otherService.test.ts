/** One id at two addresses: whether they lead to the same service cannot be known. */
import type { JsonObject } from "../../../src/base/json";
import type { ResourceProvider } from "../../../src/core/resourceProvider";
import type { State } from "../../../src/core/state";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { curlDelete } from "../../support/curl";
import { startService } from "../../support/emulators";
import { optionsOf, Processes } from "../../support/inProcess/processes";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
/** Checks and diffs what is in the state, as the engine does, and returns what is wrong. */
async function keep(provider: ResourceProvider, name: string, state: State, args: JsonObject): Promise<string[]> {
  const { problems } = await provider.check(args, args, optionsOf(name));
  if (problems.length === 0) await provider.diff(state, args, optionsOf(name));
  return problems;
}

async function start() {
  const processes = new Processes();
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  const start = (url: string, apiKey = emulator.apiKey) => {
    const { provider } = processes.start(url, apiKey);
    return { edges: provider(tcpEdge), restrictions: provider(tcpEdgeIpRestriction) };
  };
  const here = start(emulator.url);
  const gateway = emulator.url.replace("127.0.0.1", "localhost");
  const there = start(gateway);
  const { state } = (await here.edges.read(id, undefined, { timeouts: {} }))!;
  emulator.clearRequests();
  return { processes, emulator, id, start, here, there, gateway, state: { ...state, managed: ["ipRestriction"] } };
}

test("what is published names the address, and not the key", async () => {
  const { processes, emulator, there, gateway, state } = await start();
  await keep(there.edges, "f", state, { ipRestriction });
  const published = JSON.stringify([...processes.published.values()]);
  expect(published).toContain(JSON.stringify(gateway));
  expect(published).not.toContain(emulator.apiKey);
});

test("what a resource with another address may keep stays; one that certainly has it decides", async () => {
  const { processes, emulator, id, start: startProcess, here, there, gateway, state } = await start();
  await keep(there.edges, "f", state, { ipRestriction });
  await here.edges.delete(state, optionsOf("e"));
  expect(processes.messages).toEqual([
    `TCP edge ${id} was not deleted, because Resource "f" at ${gateway} still declares it. If that is another service, ` +
      `delete it in this one with ${curlDelete(emulator.url, `/edges/tcp/${id}`)}.`,
  ]);
  const other = startProcess(emulator.url);
  await keep(other.edges, "g", state, { ipRestriction });
  await here.edges.delete(state, optionsOf("e"));
  expect(processes.messages.at(-1)).toMatch(/ was not deleted, because Resource "g" still declares it\.$/);
  expect(emulator.calls()).not.toContain("DELETE /edges/tcp/{id}");
});

test("a second declaration is rejected at the same address, and said at another", async () => {
  const { processes, emulator, id, start: startProcess, here, there, gateway, state } = await start();
  const args = { edgeId: id, ...ipRestriction };
  const twice = 'already declared by Resource "e". Declare it in one place.';
  await keep(here.edges, "e", state, { ipRestriction });
  const other = startProcess(emulator.url, "another-key");
  expect((await other.restrictions.check(undefined, args, optionsOf("r"))).problems).toEqual([
    expect.stringContaining(twice),
  ]);
  expect((await there.restrictions.check(undefined, args, optionsOf("s"))).problems).toEqual([]);
  expect(processes.messages).toEqual([
    `The IP restriction of TCP edge ${id} is managed by both Resource "e" at ${emulator.url} and Resource "s". If both ` +
      "addresses lead to the same service, declare it in one place.",
  ]);
  expect(gateway).not.toBe(emulator.url);
});

test("a module that an edge drops stays if a resource with another address declares it", async () => {
  const { processes, emulator, id, here, there, gateway, state } = await start();
  const restriction = (await there.restrictions.read(id, undefined, { timeouts: {} }))!;
  await keep(there.restrictions, "r", restriction.state, { edgeId: id, ...ipRestriction });
  emulator.clearRequests();
  const after = await here.edges.update(state, {}, optionsOf("e"));
  expect(after.values["ipRestriction"]).toBeUndefined();
  expect(processes.messages).toEqual([
    `The ipRestriction of TCP edge ${id} was not removed, because Resource "r" at ${gateway} declares it. If that is ` +
      `another service, delete it in this one with ${curlDelete(emulator.url, `/edges/tcp/${id}/ip_restriction`)}.`,
  ]);
  expect(emulator.calls()).toEqual([]);
});

test("nothing is deleted while it is not known what another process declares", async () => {
  const { processes, emulator, here, state } = await start();
  processes.problem = "a file that cannot be read";
  await expect(here.edges.delete(state, optionsOf("e"))).rejects.toThrow("The reason is a file that cannot be read.");
  expect(emulator.account.tcpEdges).toHaveLength(1);
  processes.problem = undefined;
  await here.edges.delete(state, optionsOf("e"));
  expect(emulator.account.tcpEdges).toEqual([]);
});
