import type { Client } from "../../src/api/client";
import { BatchReader } from "../../src/core/batchReader";
import { startHost } from "../support/emulatorHost";
import type { ResourceDriver } from "../support/host";

/** Edges in the state of a stack, and in the service. */
async function edges(count: number, options = {}) {
  const { emulator, host } = await startHost(options);
  const resources: ResourceDriver[] = [];
  for (let i = 0; i < count; i++) {
    const resource = host.resource("TcpEdge");
    await resource.up({ description: `edge ${i}` });
    resources.push(resource);
  }
  const next = await host.next();
  for (const resource of resources) resource.useHost(next);
  emulator.clearRequests();
  return { emulator, resources };
}

const refreshAll = (resources: ResourceDriver[]) => Promise.all(resources.map((resource) => resource.refresh()));

test("many reads at once take as many calls as the list has pages", async () => {
  const { emulator, resources } = await edges(25, { pageSize: 10 });
  expect(new Set(await refreshAll(resources))).toEqual(new Set(["same"]));
  expect(emulator.calls()).toEqual(["GET /edges/tcp", "GET /edges/tcp", "GET /edges/tcp"]);
});

test.each(["oldest", "newest"])("a few at a time, the %s first, they take no more", async (first) => {
  const { emulator, resources } = await edges(60, { pageSize: 6 });
  if (first === "newest") resources.reverse();
  const next = resources.values();
  const one = async () => {
    for (const resource of next) expect(await resource.refresh()).toBe("same");
  };
  await Promise.all(Array.from({ length: 8 }, one));
  expect(emulator.calls()).toEqual(Array(10).fill("GET /edges/tcp"));
});

test("a single read is a single GET, also when others follow it one by one", async () => {
  const { emulator, resources } = await edges(3);
  for (const resource of resources) await resource.refresh();
  expect(emulator.calls()).toEqual(Array(3).fill("GET /edges/tcp/{id}"));
});

test("reads that begin soon after are answered by the same walk", async () => {
  const { emulator, resources } = await edges(6);
  await refreshAll(resources.slice(0, 3));
  await refreshAll(resources.slice(3));
  expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
});

test("what this process has written since is read anew", async () => {
  const { emulator, resources } = await edges(4);
  await refreshAll(resources.slice(0, 2));
  await resources[3]!.up({ description: "changed" });
  emulator.clearRequests();
  await refreshAll(resources.slice(2));
  expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
  expect(resources[3]!.outputs.description).toBe("changed");
});

test("what is not in the list is asked for by itself, and gone only when that says so", async () => {
  const { emulator, resources } = await edges(3);
  emulator.api("DELETE", `/edges/tcp/${resources[1]!.state!.id}`);
  const id = resources[1]!.state!.id;
  expect(await refreshAll(resources)).toEqual(["same", "gone", "same"]);
  expect(emulator.calls({ ids: true })).toEqual(["GET /edges/tcp", `GET /edges/tcp/${id}`]);
});

test("two reads in a large account do not walk through all of it", async () => {
  const { emulator, resources } = await edges(12, { pageSize: 1 });
  expect(await refreshAll(resources.slice(0, 2))).toEqual(["same", "same"]);
  expect(emulator.calls().length).toBeLessThanOrEqual(6);
});

test("a walk that fails fails the reads that wait for it, and no others", async () => {
  const { emulator, resources } = await edges(2);
  const fault = emulator.fail({ path: "/edges/tcp", status: 403, times: Number.POSITIVE_INFINITY });
  await expect(refreshAll(resources)).rejects.toThrow(
    /TCP edge edgtcp_\w+ could not be read: GET \/edges\/tcp returned 403/,
  );
  fault.cancel();
  expect(await refreshAll(resources)).toEqual(["same", "same"]);
});

test.each(["{}", '{"edges":[]}', '{"tcp_edges":null}', "null"])(
  "a list that is none, %s, fails the reads: it says nothing of what exists",
  async (body) => {
    const { emulator, resources } = await edges(2);
    emulator.fail({ path: "/edges/tcp", status: 200, body });
    await expect(refreshAll(resources)).rejects.toThrow(
      /TCP edge edgtcp_\w+ could not be read: GET \/edges\/tcp returned a page without the list "tcp_edges"/,
    );
    expect(await refreshAll(resources)).toEqual(["same", "same"]);
  },
);

test("what an early page of a long walk said is not told late", async () => {
  async function* pages() {
    yield [{ id: "a", from: "page" }];
    yield [{ id: "b", from: "page" }];
  }
  const reads = new BatchReader({ writes: 0, pages } as unknown as Client);
  const list = { displayName: "TCP edge", route: "GET /edges/tcp", key: "tcp_edges" } as const;
  const began = Date.now();
  const now = jest.spyOn(Date, "now");
  const read = async (id: string, seconds: number) => {
    now.mockReturnValue(began + seconds * 1_000);
    return (await reads.find(list, id, async () => ({ id, from: "GET" })))?.from;
  };
  expect(await Promise.all([read("a", 0), read("a", 0)])).toEqual(["page", "page"]);
  expect(await read("b", 9)).toBe("page");
  expect(await read("b", 15)).toBe("page");
  expect(await read("a", 15)).toBe("GET");
  now.mockRestore();
});
