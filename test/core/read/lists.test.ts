/** Reads that begin together, or soon after each other, share the pages of the list, as do all others who ask for it. */
import type { EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import type { Client } from "../../../src/api/client";
import { Clock } from "../../../src/base/clock";
import { readList, readOne } from "../../../src/core/functions/query";
import { Lists } from "../../../src/core/read/lists";
import { expectNewObject } from "../../../src/core/read/responses";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { createSimulatedClock, RequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { Processes } from "../../support/engine/processes";
import { Stack } from "../../support/engine/stack";
import { test as testBoth } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const time = new RequestTime();
const pass = (seconds: number) => new Clock(time).sleep(seconds * 1_000);

/** An account with edges, in the order in which they are listed, in the deployment after the one that created them. */
async function start(count: number, options: EmulatorOptions = {}, config = {}, timeouts: Record<number, string> = {}) {
  const stack = await Stack.start({ time, config, ...options });
  const { emulator } = stack;
  const edges = Array.from({ length: count }, (_, number) => {
    const read = timeouts[number];
    return stack.resource("TcpEdge", `e${number}`, read === undefined ? {} : { customTimeouts: { read } });
  });
  // The last one is the first in the list.
  for (const edge of [...edges].reverse()) await edge.up({});
  const ids = edges.map(({ id }) => id);
  stack.next();
  const readOne = async (number: number) => (await edges[number]!.refresh()) !== "gone";
  /** Reads the edges with these numbers, all at once, and returns whether they were found. */
  const read = (...numbers: number[]) => Promise.all(numbers.map(readOne));
  const calls = () => emulator.calls().map((call) => (call === "GET /edges/tcp" ? "page" : call));
  return { stack, emulator, ids, read, readOne, calls };
}

const one = "GET /edges/tcp/{id}";
const pages = (count: number) => Array<string>(count).fill("page");

testBoth("reads that begin together take one request a page", async () => {
  const { read, calls } = await start(25, { pageSize: 10 });
  expect(new Set(await read(...Array(25).keys()))).toEqual(new Set([true]));
  expect(calls()).toEqual(pages(3));
});

testBoth("pages are read until the last object is found, once for all", async () => {
  const { read, calls } = await start(9, { pageSize: 3 });
  await read(1, 0);
  expect(calls()).toEqual(pages(1));
  await read(3, 4, 5);
  expect(calls()).toEqual(pages(2));
});

testBoth("a read by itself is one GET, also when others follow one by one", async () => {
  const { read, calls } = await start(3);
  for (const number of [0, 1, 2]) await read(number);
  expect(calls()).toEqual([one, one, one]);
});

testBoth("an object that is not in the list is read by itself", async () => {
  const { emulator, ids, read, calls } = await start(3);
  emulator.api("DELETE", `/edges/tcp/${ids[1]}`);
  expect(await read(0, 1, 2)).toEqual([true, false, true]);
  expect(calls()).toEqual(["page", one]);
});

testBoth("few reads do not read the whole list of a large account, more of them do", async () => {
  const { read, calls } = await start(12, { pageSize: 1 });
  expect(await read(10, 11)).toEqual([true, true]);
  expect(calls()).toEqual([...pages(4), one, one]);
  expect(await read(8)).toEqual([true]);
  expect(calls().slice(6)).toEqual(pages(5));
});

testBoth("pages are used again as long as this process does not write, however long that takes", async () => {
  const { emulator, read, calls } = await start(4, { pageSize: 1 });
  await read(0, 1);
  emulator.fail({ path: "/edges/tcp", status: 429, headers: { "Retry-After": "400" } });
  expect(await read(2, 3)).toEqual([true, true]);
  await pass(3_600);
  await read(0);
  expect(calls()).toEqual(pages(5));
});

testBoth("an import and a get do not use pages that are older than a minute", async () => {
  const { stack, emulator, ids, read, calls } = await start(4);
  await read(0, 1);
  emulator.api("PATCH", `/edges/tcp/${ids[2]}`, { description: "changed" });
  emulator.api("DELETE", `/edges/tcp/${ids[3]}`);
  await pass(61);
  const [got, imported] = [stack.resource("TcpEdge", "got"), stack.resource("TcpEdge", "new", { import: ids[3]! })];
  expect(await got.get(ids[2]!)).toMatchObject({ description: "changed" });
  expect(await errorOf(imported.up({}))).toContain(`There is no TCP edge ${ids[3]}.`);
  expect(calls()).toEqual(["page", one, one]);
});

testBoth("no page is used again after this process has written", async () => {
  const { stack, read, calls } = await start(4);
  await read(0, 1);
  await stack.resource("TcpEdge", "new").up({});
  await read(2, 3);
  expect(calls()).toEqual(["page", "POST /edges/tcp", "page"]);
});

testBoth("a list that fails fails only the reads that wait for it", async () => {
  const { emulator, read, calls } = await start(2);
  emulator.fail({ path: "/edges/tcp", status: 403 });
  expect(await errorOf(read(0, 1))).toMatch(/^TCP edge \S+ could not be read: GET \/edges\/tcp returned 403/);
  expect(await read(0, 1)).toEqual([true, true]);
  expect(calls()).toEqual(pages(2));
});

testBoth("a read with a timeout stops waiting for the list, which goes on only for the others", async () => {
  const { readOne, calls } = await start(3, { pageSize: 1 }, { "tunnel-edge:requestsPerMinute": "1" }, { 2: "61.01s" });
  const began = time.now();
  // The second page comes just when the time is over.
  const [timedOut, other] = [errorOf(readOne(2)), readOne(1)];
  expect(await timedOut).toMatch(/ Timed out after 61\.01s \(customTimeouts\.read\)\.$/);
  expect(time.now() - began).toBe(61_010);
  expect(await other).toBe(true);
  await pass(120);
  expect(calls()).toEqual(pages(2));
});

testBoth("a read with a timeout that does not pass uses the list", async () => {
  const { read, calls } = await start(3, { pageSize: 1 }, {}, { 0: "5s", 1: "5s", 2: "5s" });
  expect(await read(0, 1, 2)).toEqual([true, true, true]);
  expect(calls()).toEqual(pages(3));
});

const { list } = tcpEdge;

/** The lists of a process, and an account with edges, in the order in which they are listed. */
async function startLists(count: number, options: EmulatorOptions = {}, settings = {}) {
  const emulator = await startService({ clock: time.now, ...options });
  for (let i = 0; i < count; i++) emulator.api("POST", "/edges/tcp", {});
  const ids = emulator.account.tcpEdges.map(({ id }) => id).reverse();
  const deployment = new Processes(time).startDeployment(configOf(emulator, settings));
  const calls = () => emulator.calls().map((call) => (call === "GET /edges/tcp" ? "page" : call));
  return { emulator, deployment, ids, calls };
}

const fail = async () => {
  throw new Error("it was read by itself");
};

test("a call that needs a list shares the pages of a reading that began late enough, and reads on only as far as necessary", async () => {
  const { deployment, ids, calls } = await startLists(6, { pageSize: 1 });
  const { lists, client } = deployment;
  expect((await Promise.all([lists.has(list, ids[1]!), lists.has(list, ids[0]!)])).every(Boolean)).toBe(true);
  expect(calls()).toEqual(pages(2));
  await Promise.all([0, 1].map((at) => lists.refresh(list, ids[at]!, fail)));
  expect(calls()).toEqual(pages(2));
  const since = client.moment;
  for await (const [edge] of lists.pages(list, 0)) if (edge!.id === ids[3]) break;
  expect(calls()).toEqual(pages(4));
  const [all, again] = await Promise.all([lists.all(list, since), lists.all(list, since)]);
  expect([all.map(({ id }) => id), again]).toEqual([ids, all]);
  expect(calls()).toEqual(pages(10));
});

test("a call that needs a list fails with the others that read on, and does not take a part for the whole", async () => {
  const { emulator, deployment, ids, calls } = await startLists(4, { pageSize: 1 });
  const { lists } = deployment;
  const [slow, fast] = [lists.pages(list, 0), lists.pages(list, 0)];
  await Promise.all([slow.next(), fast.next()]);
  emulator.fail({ path: "/edges/tcp", status: 403 });
  expect(await errorOf(fast.next())).toContain("GET /edges/tcp returned 403");
  expect(await errorOf(slow.next())).toContain("GET /edges/tcp returned 403");
  expect(calls()).toEqual(pages(2));
  expect(await lists.has(list, ids[3]!)).toBe(true);
  expect(calls()).toEqual(pages(6));
});

test("a call that needs a list stops waiting at the deadline", async () => {
  const { deployment } = await startLists(2, { pageSize: 1 }, { "tunnel-edge:requestsPerMinute": "1" });
  const began = time.now();
  expect(await errorOf(deployment.lists.all(list, 0, began + 5_000))).toBe(
    "GET /edges/tcp was not read before the timeout.",
  );
  expect(time.now() - began).toBe(5_000);
});

test("a function does not share the response of one that was called before a write", async () => {
  const { deployment } = await startLists(3, { pageSize: 1 });
  const all = readList<object, { tcpEdges: { id: string }[] }>(tcpEdge);
  const { client } = deployment;
  const earlier = all.run(deployment, {});
  const created = (await client.call("POST /edges/tcp", { body: {}, expects: expectNewObject })) as { id: string };
  expect(await all.run(deployment, {})).toMatchObject({ tcpEdges: [{ id: created.id }, {}, {}, {}] });
  expect(await earlier).toBeDefined();
});

test("a list that was read before a function was called does not prove that its object was deleted", async () => {
  const { emulator, deployment } = await startLists(1);
  const one = readOne<{ id: string }, object>(tcpEdge);
  await deployment.lists.all(list, 0);
  // Another process, or another stack, creates an edge.
  const { id } = emulator.api("POST", "/edges/tcp", {}) as { id: string };
  emulator.fail({ path: `/edges/tcp/${id}`, status: 404, body: "<html>" });
  expect(await errorOf(one.run(deployment, { id }))).toContain("The TCP edge still exists.");
});

test.each(["newest", "oldest"])(
  "reads 5,000 edges, the %s first, with 50 requests, also if the engine takes minutes",
  async (first) => {
    const [edges, pageSize] = [5_000, 100];
    const clock = createSimulatedClock();
    let requests = 0;
    async function* pages() {
      for (let start = 0; start < edges; start += pageSize) {
        requests++;
        await clock.sleep(50);
        yield Array.from({ length: pageSize }, (_, index) => ({ id: String(start + index) }));
      }
    }
    const lists = new Lists(() => ({ moment: 0, lastWrite: 0, pages }) as unknown as Client, clock);
    const list = { displayName: "TCP edge", route: "GET /edges/tcp", key: "tcp_edges" } as const;
    const get = async () => {
      requests++;
      return {};
    };
    let count = 0;
    const began = clock.now();
    const worker = async () => {
      while (count < edges) {
        const index = count++;
        await lists.refresh(list, String(first === "newest" ? index : edges - 1 - index), get);
        await clock.sleep(200);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(requests).toBe(50);
    expect(clock.now() - began).toBeGreaterThan(100_000);
  },
);
