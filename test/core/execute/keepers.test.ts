/** How long an edge that stops declaring a module waits for the resource that declares it now. */
import { Clock } from "../../../src/base/clock";
import type { JsonObject } from "../../../src/base/json";
import type { State } from "../../../src/core/state";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { createRequestTime } from "../../support/clock";
import { startService } from "../../support/emulators";
import { optionsOf, Processes } from "../../support/inProcess/processes";

const time = createRequestTime();
const clock = new Clock(time);

/** An edge "e" whose state has an IP restriction, which the program may now declare as a resource "r". */
async function start() {
  const processes = new Processes(time);
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { ip_restriction: { ip_policy_ids: ["ipp_a"] } });
  const startProcess = (url = emulator.url) => {
    const { name, provider } = processes.start(url, emulator.apiKey);
    return { name, edges: provider(tcpEdge), restrictions: provider(tcpEdgeIpRestriction) };
  };
  const { edges, restrictions } = startProcess();
  const read = await edges.read(id, undefined, { timeouts: {} });
  const state: State = { ...read!.state, managed: ["ipRestriction.ipPolicyIds"] };
  const args = { edgeId: id, ipPolicyIds: ["ipp_b"] };
  const declare = (own = restrictions, old?: JsonObject) => own.check(old, args, optionsOf("r"));
  const create = () => restrictions.create(args, optionsOf("r"));
  const importAsIs = async () => {
    const [same, options] = [{ edgeId: id, ipPolicyIds: ["ipp_a"] }, optionsOf("r", { importId: id })];
    await restrictions.check(undefined, same, options);
    await restrictions.create(same, options);
  };
  /** Updates the edge, and returns how long it waits, in milliseconds. */
  const drop = async (before: Partial<State> = {}, declared: JsonObject = {}, ignoreChanges: string[] = []) => {
    const from = time.now();
    await edges.update({ ...state, ...before }, declared, optionsOf("e", { ignoreChanges }));
    return time.now() - from;
  };
  return { processes, emulator, startProcess, state, args, declare, create, importAsIs, drop };
}

type Started = Awaited<ReturnType<typeof start>>;
const withoutValue = { values: {} };

test("an edge waits until the module's own resource has set it", async () => {
  const { processes, emulator, declare, create, drop } = await start();
  await declare();
  const creating = clock.sleep(1_010).then(create);
  expect(await drop()).toBe(1_050);
  await creating;
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_b" }] } }]);
  expect(processes.messages).toEqual([]);
});

test("an edge waits until the module's own resource has failed", async () => {
  const { emulator, declare, create, drop } = await start();
  await declare();
  emulator.fail({ method: "PUT", status: 400 });
  const creating = expect(clock.sleep(1_010).then(create)).rejects.toThrow("returned 400");
  expect(await drop()).toBe(1_050);
  await creating;
});

test.each<[string, (started: Started) => Promise<number>]>([
  ["a new resource", ({ declare, drop }) => declare().then(() => drop())],
  ["a new resource of another process", (s) => s.declare(s.startProcess().restrictions).then(() => s.drop())],
  ["the resource to which it left the module before", ({ drop }) => drop({ left: ["ipRestriction"] })],
  [
    "the resource to which it left the module, also if it no longer manages it",
    ({ drop }) => drop({ managed: [], left: ["ipRestriction"] }),
  ],
  [
    "a new resource, if it is not known whether the edge has the module",
    ({ declare, drop }) => declare().then(() => drop({ ...withoutValue, unconfirmed: ["ipRestriction"] })),
  ],
])("an edge waits 3 s, and no longer, for %s", async (_, wait) => {
  expect(await wait(await start())).toBe(3_000);
});

test.each<[string, (started: Started) => Promise<number>]>([
  ["no resource declares the module", ({ drop }) => drop()],
  ["the module is already its resource's", (s) => s.declare(undefined, s.args).then(() => s.drop())],
  [
    "the resource has set it",
    async ({ declare, create, drop }) => {
      await declare();
      await create();
      return drop();
    },
  ],
  ["the resource has imported it", ({ importAsIs, drop }) => importAsIs().then(() => drop())],
  [
    "the resource has failed",
    async ({ emulator, declare, create, drop }) => {
      await declare();
      emulator.fail({ method: "PUT", status: 400 });
      await expect(create()).rejects.toThrow("returned 400");
      return drop();
    },
  ],
  [
    "the resource's process has stopped",
    async ({ processes, startProcess, declare, drop }) => {
      const { name, restrictions } = startProcess();
      await declare(restrictions);
      processes.dead.add(name);
      return drop();
    },
  ],
  ["the edge never managed the module", ({ declare, drop }) => declare().then(() => drop({ managed: [] }))],
  ["the edge does not have it", ({ declare, drop }) => declare().then(() => drop(withoutValue))],
  ["its changes are ignored", ({ declare, drop }) => declare().then(() => drop({}, {}, ["ipRestriction"]))],
  [
    "the edge still declares it, and the resource has another address",
    async ({ emulator, startProcess, declare, drop }) => {
      await declare(startProcess(emulator.url.replace("127.0.0.1", "localhost")).restrictions);
      return drop({}, { ipRestriction: { ipPolicyIds: ["ipp_a"] } });
    },
  ],
])("an edge does not wait if %s", async (_, wait) => {
  expect(await wait(await start())).toBe(0);
});
