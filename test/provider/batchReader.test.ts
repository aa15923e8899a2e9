import type { Client } from "../../src/api/client";
import { BatchReader } from "../../src/core/batchReader";
import { emulated } from "../support/emulated";
import type { Life } from "../support/host";

/** Edges in the state of a stack, and in the service. */
async function edges(count: number, options = {}) {
  const { emulator, host } = await emulated(options);
  const lives: Life[] = [];
  for (let i = 0; i < count; i++) {
    const life = host.resource("TcpEdge");
    await life.up({ description: `edge ${i}` });
    lives.push(life);
  }
  const next = await host.next();
  for (const life of lives) life.on(next);
  emulator.clearRequests();
  return { emulator, lives };
}

const refreshAll = (lives: Life[]) => Promise.all(lives.map((life) => life.refresh()));

test("many reads at once take as many calls as the list has pages", async () => {
  const { emulator, lives } = await edges(25, { pageSize: 10 });
  expect(new Set(await refreshAll(lives))).toEqual(new Set(["same"]));
  expect(emulator.calls()).toEqual(["GET /edges/tcp", "GET /edges/tcp", "GET /edges/tcp"]);
});

test.each(["oldest", "newest"])("a few at a time, the %s first, they take no more", async (first) => {
  const { emulator, lives } = await edges(60, { pageSize: 6 });
  if (first === "newest") lives.reverse();
  const next = lives.values();
  const one = async () => {
    for (const life of next) expect(await life.refresh()).toBe("same");
  };
  await Promise.all(Array.from({ length: 8 }, one));
  expect(emulator.calls()).toEqual(Array(10).fill("GET /edges/tcp"));
});

test("a single read is a single GET, also when others follow it one by one", async () => {
  const { emulator, lives } = await edges(3);
  for (const life of lives) await life.refresh();
  expect(emulator.calls()).toEqual(Array(3).fill("GET /edges/tcp/{id}"));
});

test("reads that begin soon after are answered by the same walk", async () => {
  const { emulator, lives } = await edges(6);
  await refreshAll(lives.slice(0, 3));
  await refreshAll(lives.slice(3));
  expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
});

test("what this process has written since is read anew", async () => {
  const { emulator, lives } = await edges(4);
  await refreshAll(lives.slice(0, 2));
  await lives[3]!.up({ description: "changed" });
  emulator.clearRequests();
  await refreshAll(lives.slice(2));
  expect(emulator.calls()).toEqual(["GET /edges/tcp"]);
  expect(lives[3]!.outputs.description).toBe("changed");
});

test("what is not in the list is asked for by itself, and gone only when that says so", async () => {
  const { emulator, lives } = await edges(3);
  emulator.api("DELETE", `/edges/tcp/${lives[1]!.state!.id}`);
  const id = lives[1]!.state!.id;
  expect(await refreshAll(lives)).toEqual(["same", "gone", "same"]);
  expect(emulator.calls({ ids: true })).toEqual(["GET /edges/tcp", `GET /edges/tcp/${id}`]);
});

test("two reads in a large account do not walk through all of it", async () => {
  const { emulator, lives } = await edges(12, { pageSize: 1 });
  expect(await refreshAll(lives.slice(0, 2))).toEqual(["same", "same"]);
  expect(emulator.calls().length).toBeLessThanOrEqual(6);
});

test("a walk that fails fails the reads that wait for it, and no others", async () => {
  const { emulator, lives } = await edges(2);
  const fault = emulator.fail({ path: "/edges/tcp", status: 403, times: Number.POSITIVE_INFINITY });
  await expect(refreshAll(lives)).rejects.toThrow(
    /TCP edge edgtcp_\w+ could not be read: GET \/edges\/tcp answered 403/,
  );
  fault.cancel();
  expect(await refreshAll(lives)).toEqual(["same", "same"]);
});

test.each(["{}", '{"edges":[]}', '{"tcp_edges":null}', "null"])(
  "a list that is none, %s, fails the reads: it says nothing of what exists",
  async (body) => {
    const { emulator, lives } = await edges(2);
    emulator.fail({ path: "/edges/tcp", status: 200, body });
    await expect(refreshAll(lives)).rejects.toThrow(
      /TCP edge edgtcp_\w+ could not be read: GET \/edges\/tcp returned a page without its list "tcp_edges"/,
    );
    expect(await refreshAll(lives)).toEqual(["same", "same"]);
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
