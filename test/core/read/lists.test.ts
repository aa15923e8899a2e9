/** Reads that begin together, or soon after each other, share the pages of the list. */
import type { EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { Clock } from "../../../src/base/clock";
import { createRequestTime } from "../../support/clock";
import { Stack } from "../../support/engine/stack";
import { test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const time = createRequestTime();
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

test("reads that begin together take one request a page", async () => {
  const { read, calls } = await start(25, { pageSize: 10 });
  expect(new Set(await read(...Array(25).keys()))).toEqual(new Set([true]));
  expect(calls()).toEqual(pages(3));
});

test("pages are read until the last object is found, once for all", async () => {
  const { read, calls } = await start(9, { pageSize: 3 });
  await read(1, 0);
  expect(calls()).toEqual(pages(1));
  await read(3, 4, 5);
  expect(calls()).toEqual(pages(2));
});

test("a read by itself is one GET, also when others follow one by one", async () => {
  const { read, calls } = await start(3);
  for (const number of [0, 1, 2]) await read(number);
  expect(calls()).toEqual([one, one, one]);
});

test("what is not in the list is read by itself", async () => {
  const { emulator, ids, read, calls } = await start(3);
  emulator.api("DELETE", `/edges/tcp/${ids[1]}`);
  expect(await read(0, 1, 2)).toEqual([true, false, true]);
  expect(calls()).toEqual(["page", one]);
});

test("few reads do not read the whole list of a large account, more of them do", async () => {
  const { read, calls } = await start(12, { pageSize: 1 });
  expect(await read(10, 11)).toEqual([true, true]);
  expect(calls()).toEqual([...pages(4), one, one]);
  expect(await read(8)).toEqual([true]);
  expect(calls().slice(6)).toEqual(pages(5));
});

test("pages are used again as long as this process does not write, however long that takes", async () => {
  const { emulator, read, calls } = await start(4, { pageSize: 1 });
  await read(0, 1);
  emulator.fail({ path: "/edges/tcp", status: 429, headers: { "Retry-After": "400" } });
  expect(await read(2, 3)).toEqual([true, true]);
  await pass(3_600);
  await read(0);
  expect(calls()).toEqual(pages(5));
});

test("an import and a get do not use pages that are older than a minute", async () => {
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

test("no page is used again after this process has written", async () => {
  const { stack, read, calls } = await start(4);
  await read(0, 1);
  await stack.resource("TcpEdge", "new").up({});
  await read(2, 3);
  expect(calls()).toEqual(["page", "POST /edges/tcp", "page"]);
});

test("a list that fails fails only the reads that wait for it", async () => {
  const { emulator, read, calls } = await start(2);
  emulator.fail({ path: "/edges/tcp", status: 403 });
  expect(await errorOf(read(0, 1))).toMatch(/^TCP edge \S+ could not be read: GET \/edges\/tcp returned 403/);
  expect(await read(0, 1)).toEqual([true, true]);
  expect(calls()).toEqual(pages(2));
});

test("a read with a timeout stops waiting for the list, which goes on only for the others", async () => {
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

test("a read with a timeout that does not pass uses the list", async () => {
  const { read, calls } = await start(3, { pageSize: 1 }, {}, { 0: "5s", 1: "5s", 2: "5s" });
  expect(await read(0, 1, 2)).toEqual([true, true, true]);
  expect(calls()).toEqual(pages(3));
});
