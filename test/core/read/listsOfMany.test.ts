import type { Client } from "../../../src/api/client";
import { Lists } from "../../../src/core/read/lists";
import { createSimulatedClock, fastClock } from "../../support/clock";
import { startHost } from "../../support/engine/emulatorHost";
import type { ResourceDriver } from "../../support/engine/resourceDriver";

/** Creates edges that are in the state of a stack and in the service. */
async function createEdges(count: number, options = {}, env = {}) {
  const { emulator, host } = await startHost(options, { env });
  const resources: ResourceDriver[] = [];
  for (let i = 0; i < count; i++) {
    const resource = host.resource("TcpEdge");
    await resource.up({ description: `edge ${i}` });
    resources.push(resource);
  }
  const next = await host.next();
  for (const resource of resources) resource.useProvider(next);
  emulator.clearRequests();
  return { emulator, resources };
}

const refreshAll = (resources: ResourceDriver[]) => Promise.all(resources.map((resource) => resource.refresh()));

test("many concurrent reads take one request per page of the list", async () => {
  const { emulator, resources } = await createEdges(25, { pageSize: 10 });
  expect(new Set(await refreshAll(resources))).toEqual(new Set(["same"]));
  expect(emulator.calls()).toEqual(["GET /edges/tcp", "GET /edges/tcp", "GET /edges/tcp"]);
});

describe.each(["oldest", "newest"])("a few at a time, the %s first,", (first) => {
  async function refreshSome(resources: ResourceDriver[]) {
    const next = (first === "newest" ? resources.reverse() : resources).values();
    const worker = async () => {
      for (const resource of next) expect(await resource.refresh()).toBe("same");
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  }

  test("take no more requests", async () => {
    const { emulator, resources } = await createEdges(60, { pageSize: 6 });
    await refreshSome(resources);
    expect(emulator.calls()).toEqual(Array(10).fill("GET /edges/tcp"));
  });

  test("take no more requests after a long wait between two pages", async () => {
    const { emulator, resources } = await createEdges(60, { pageSize: 6 }, fastClock(10));
    emulator.fail({ path: "/edges/tcp", skip: 7, status: 429, headers: { "Retry-After": "30" } });
    await refreshSome(resources);
    expect(emulator.calls()).toEqual(Array(11).fill("GET /edges/tcp"));
  });
});

test("a single read is a single GET, also when others follow one by one", async () => {
  const { emulator, resources } = await createEdges(3);
  for (const resource of resources) await resource.refresh();
  expect(emulator.calls()).toEqual(Array(3).fill("GET /edges/tcp/{id}"));
});

test("reads that begin soon after reuse the list", async () => {
  const { emulator, resources } = await createEdges(6);
  await refreshAll(resources.slice(0, 3));
  await refreshAll(resources.slice(3));
  expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
});

test("a list is not reused after this process has written", async () => {
  const { emulator, resources } = await createEdges(4);
  await refreshAll(resources.slice(0, 2));
  await resources[3]!.up({ description: "changed" });
  emulator.clearRequests();
  await refreshAll(resources.slice(2));
  expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
  expect(resources[3]!.outputs.description).toBe("changed");
});

test("an object that is not in the list is read by itself, and is gone only if that returns 404", async () => {
  const { emulator, resources } = await createEdges(3);
  emulator.api("DELETE", `/edges/tcp/${resources[1]!.state!.id}`);
  const id = resources[1]!.state!.id;
  expect(await refreshAll(resources)).toEqual(["same", "gone", "same"]);
  expect(emulator.calls({ ids: true })).toEqual(["GET /edges/tcp", `GET /edges/tcp/${id}`]);
});

test("two reads in a large account do not read the whole list", async () => {
  const { emulator, resources } = await createEdges(12, { pageSize: 1 });
  expect(await refreshAll(resources.slice(0, 2))).toEqual(["same", "same"]);
  expect(emulator.calls().length).toBeLessThanOrEqual(6);
});

test("a list that fails fails only the reads that wait for it", async () => {
  const { emulator, resources } = await createEdges(2);
  const fault = emulator.fail({ path: "/edges/tcp", status: 403, times: Number.POSITIVE_INFINITY });
  await expect(refreshAll(resources)).rejects.toThrow(
    /TCP edge edgtcp_\w+ could not be read: GET \/edges\/tcp returned 403/,
  );
  fault.cancel();
  expect(await refreshAll(resources)).toEqual(["same", "same"]);
});

test.each(["{}", '{"edges":[]}', '{"tcp_edges":null}', "null"])(
  "a response without the list, %s, fails the reads",
  async (body) => {
    const { emulator, resources } = await createEdges(2);
    emulator.fail({ path: "/edges/tcp", status: 200, body });
    await expect(refreshAll(resources)).rejects.toThrow(
      /TCP edge edgtcp_\w+ could not be read: GET \/edges\/tcp returned a page without the list "tcp_edges"/,
    );
    expect(await refreshAll(resources)).toEqual(["same", "same"]);
  },
);

test.each(["newest", "oldest"])(
  "5,000 edges, the %s first, take 50 requests, also if the engine takes minutes",
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

test("a read with a timeout stops waiting for the list, which is read to its end for the others", async () => {
  const clock = createSimulatedClock();
  let requests = 0;
  async function* pages() {
    for (const id of ["a", "b", "c"]) {
      requests++;
      await clock.sleep(1_000);
      yield [{ id, from: "page" }];
    }
  }
  const lists = new Lists(() => ({ moment: 0, lastWrite: 0, pages }) as unknown as Client, clock);
  const list = { displayName: "TCP edge", route: "GET /edges/tcp", key: "tcp_edges" } as const;
  const began = clock.now();
  const read = async (id: string, timeout?: number) => {
    const get = async () => ({ from: "GET" });
    const reading = lists.refresh(list, id, get, timeout && began + timeout);
    const found = await reading.catch(({ message }: Error) => ({ from: message }));
    return `${found?.["from"]} after ${clock.now() - began} ms`;
  };
  expect(await Promise.all([read("c", 1_500), read("b")])).toEqual([
    "GET /edges/tcp was not read before the timeout. after 1500 ms",
    "page after 2010 ms",
  ]);
  await clock.sleep(5_000);
  // Nobody waited for the third page any more.
  expect(requests).toBe(2);
});
