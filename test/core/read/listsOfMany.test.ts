/** How few requests the reads of a large account take. */
import type { EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import type { Client } from "../../../src/api/client";
import { Lists } from "../../../src/core/read/lists";
import { createSimulatedClock } from "../../support/clock";
import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { Stack } from "../../support/engine/stack";
import { describe as describeBoth, test as testBoth } from "../../support/engine/testedProvider";

/** Edges in the state and in the service. A deployment begins. */
async function createEdges(count: number, options: EmulatorOptions = {}) {
  const stack = await Stack.start(options);
  const resources: ResourceDriver[] = [];
  for (let number = 0; number < count; number++) {
    const resource = stack.resource("TcpEdge", `e${number}`);
    await resource.up({});
    resources.push(resource);
  }
  stack.next();
  return { emulator: stack.emulator, resources };
}

describeBoth.each(["oldest", "newest"])("a few at a time, the %s first,", (first) => {
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
    const { emulator, resources } = await createEdges(60, { pageSize: 6 });
    emulator.fail({ path: "/edges/tcp", skip: 7, status: 429, headers: { "Retry-After": "30" } });
    await refreshSome(resources);
    expect(emulator.calls()).toEqual(Array(11).fill("GET /edges/tcp"));
  });
});

const refreshAll = (resources: ResourceDriver[]) => Promise.all(resources.map((resource) => resource.refresh()));

testBoth.each(["{}", '{"edges":[]}', '{"tcp_edges":null}', "null"])(
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
