/** Who asks for a list names the moment after which the reading must have begun, and shares it with all others who can. */
import type { EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { readList, readOne } from "../../../src/core/functions/query";
import { expectNewObject } from "../../../src/core/read/responses";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { Processes } from "../../support/engine/processes";
import { errorOf } from "../../support/errorOf";

const time = createRequestTime();
const { list } = tcpEdge;

/** An account with edges, in the order in which they are listed. */
async function start(count: number, options: EmulatorOptions = {}, settings = {}) {
  const emulator = await startService({ clock: time.now, ...options });
  for (let i = 0; i < count; i++) emulator.api("POST", "/edges/tcp", {});
  const ids = emulator.account.tcpEdges.map(({ id }) => id).reverse();
  const deployment = new Processes(time).startDeployment(configOf(emulator, settings));
  const calls = () => emulator.calls().map((call) => (call === "GET /edges/tcp" ? "page" : call));
  return { emulator, deployment, ids, calls };
}

const pages = (count: number) => Array<string>(count).fill("page");
const fail = async () => {
  throw new Error("it was read by itself");
};

test("whoever asks for a list shares the pages of a reading that began late enough, and reads on only as far as necessary", async () => {
  const { deployment, ids, calls } = await start(6, { pageSize: 1 });
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

test("whoever asks for a list fails with everyone else who reads on, and a part is not taken for the whole", async () => {
  const { emulator, deployment, ids, calls } = await start(4, { pageSize: 1 });
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

test("whoever asks for a list stops waiting at the deadline", async () => {
  const { deployment } = await start(2, { pageSize: 1 }, { "tunnel-edge:requestsPerMinute": "1" });
  const began = time.now();
  expect(await errorOf(deployment.lists.all(list, 0, began + 5_000))).toBe(
    "GET /edges/tcp was not read before the timeout.",
  );
  expect(time.now() - began).toBe(5_000);
});

test("a function does not share the response of one that was called before a write", async () => {
  const { deployment } = await start(3, { pageSize: 1 });
  const all = readList<object, { tcpEdges: { id: string }[] }>(tcpEdge);
  const { client } = deployment;
  const earlier = all.run(deployment, {});
  const created = (await client.call("POST /edges/tcp", { body: {}, expects: expectNewObject })) as { id: string };
  expect(await all.run(deployment, {})).toMatchObject({ tcpEdges: [{ id: created.id }, {}, {}, {}] });
  expect(await earlier).toBeDefined();
});

test("a list that was read before a function was called does not prove that its object was deleted", async () => {
  const { emulator, deployment } = await start(1);
  const one = readOne<{ id: string }, object>(tcpEdge);
  await deployment.lists.all(list, 0);
  // Another process, or another stack, creates an edge.
  const { id } = emulator.api("POST", "/edges/tcp", {}) as { id: string };
  emulator.fail({ path: `/edges/tcp/${id}`, status: 404, body: "<html>" });
  expect(await errorOf(one.run(deployment, { id }))).toContain("The TCP edge still exists.");
});
