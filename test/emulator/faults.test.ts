import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../src/emulator";
import { waitUntil } from "../support/waitUntil";
import { createHeaders, errorResponse, send, setUpEmulator } from "./support";

const emulator = setUpEmulator();
const create = () => send(emulator(), "POST", "/edges/tcp", { description: "new" });
const edges = () => emulator().account.tcpEdges.length;

describe("the response", () => {
  test.each<[Fault, number, string, unknown]>([
    [{ status: 503 }, 503, "application/json", errorResponse(503, "FAULT").body],
    [{ status: 502, body: "<html>Bad gateway</html>" }, 502, "text/html; charset=utf-8", "<html>Bad gateway</html>"],
    [{ status: 500, body: "" }, 500, "text/plain; charset=utf-8", undefined],
    [{ status: 404, body: { msg: "gone" } }, 404, "application/json", { msg: "gone" }],
    [{ body: "not JSON" }, 200, "text/plain; charset=utf-8", "not JSON"],
    [{ bytes: 5000 }, 200, "application/json", "x".repeat(4998)],
  ])("of %j", async (fault, status, type, body) => {
    emulator().fail(fault);
    const response = await create();
    expect(response).toMatchObject({ status, body });
    expect(response.body).toEqual(body);
    expect(response.headers.get("content-type")).toBe(type);
    expect(edges()).toBe(0);
    expect(emulator().requests[0]).toMatchObject({ status, processed: false, body: { description: "new" } });
    expect((await create()).status).toBe(201);
  });

  test("has the fault's headers", async () => {
    emulator().fail({ status: 429, headers: { "Retry-After": "7" } });
    expect((await create()).headers.get("retry-after")).toBe("7");
    emulator().fail({ headers: { "X-Extra": "1" } });
    const response = await create();
    expect([response.status, response.headers.get("x-extra")]).toEqual([201, "1"]);
  });

  test("may be an error after the request was processed", async () => {
    emulator().fail({ status: 504, processed: true });
    expect((await create()).status).toBe(504);
    expect(edges()).toBe(1);
    expect(emulator().requests[0]).toMatchObject({ status: 504, processed: true });
  });
});

describe("the connection", () => {
  test.each<[Fault, number]>([
    [{ resetBefore: true }, 0],
    [{ resetAfter: true }, 1],
  ])("is reset: %j", async (fault, created) => {
    emulator().fail(fault);
    await expect(create()).rejects.toThrow("fetch failed");
    expect(edges()).toBe(created);
    expect(emulator().requests[0]).toMatchObject({ status: "reset", processed: created === 1 });
  });

  test("is closed in the middle of the response", async () => {
    emulator().fail({ truncate: true });
    await expect(create()).rejects.toThrow("terminated");
    expect(edges()).toBe(1);
  });

  test("stays open after half a response that claims to be complete", async () => {
    emulator().fail({ truncate: "complete" });
    const response = await create();
    expect(response.status).toBe(201);
    expect(response.body).toMatch(/^\{"id":"edgtcp_/);
    expect(() => JSON.parse(response.body)).toThrow();
  });

  test.each<[Fault, boolean]>([
    [{ hang: true }, true],
    [{ hang: "headers" }, false],
  ])("hangs: %j", async (fault, hasHeaders) => {
    emulator().fail(fault);
    const controller = new AbortController();
    const pending = fetch(`${emulator().url}/edges/tcp`, {
      headers: createHeaders(emulator().apiKey),
      signal: controller.signal,
    });
    const responded = jest.fn();
    pending.then(responded, () => undefined);
    await waitUntil(() => emulator().requests[0]?.status === "hang");
    if (hasHeaders) await pending;
    else await sleep(100);
    expect(responded).toHaveBeenCalledTimes(hasHeaders ? 1 : 0);
    const body = pending.then((response) => response.text());
    controller.abort();
    await expect(body).rejects.toThrow("aborted");
  });
});

describe("a delay", () => {
  test.each([
    ["before", false, 0],
    ["after", true, 1],
  ])("waits %s processing", async (_, delayAfter, created) => {
    emulator().fail({ delayMs: 3_600_000, delayAfter }); // it does not end before the test
    const responded = jest.fn();
    create().then(responded, () => undefined);
    await waitUntil(() => (delayAfter ? edges() > 0 : emulator().requests[0]?.body !== undefined));
    await sleep(50);
    expect(edges()).toBe(created);
    expect(responded).not.toHaveBeenCalled();
  });

  test.each([false, true])("ends with the response, after processing: %p", async (delayAfter) => {
    emulator().fail({ delayMs: 200, delayAfter });
    const started = performance.now();
    expect((await create()).status).toBe(201);
    expect(performance.now() - started).toBeGreaterThan(190);
    expect(edges()).toBe(1);
  });

  test("of many requests at once prints no warning", () => {
    const program = `
      const { startEmulator } = require("pulumi-tunnel-edge/emulator");
      startEmulator().then(async (emulator) => {
        emulator.fail({ delayMs: 10, times: 12 });
        await Promise.all(Array.from({ length: 12 }, () => fetch(emulator.url + "/tunnels")));
        await emulator.close();
      });`;
    const { stderr, status } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  });
});

describe("the requests that get the fault", () => {
  const hit = async (method: string, path: string) => (await send(emulator(), method, path)).status === 500;

  test.each<[Fault, string, boolean]>([
    [{ method: "GET" }, "GET /tunnels", true],
    [{ method: "get" }, "GET /tunnels", true],
    [{ method: "POST" }, "GET /tunnels", false],
    [{ path: "/tunnels" }, "GET /tunnels", true],
    [{ path: "/tunnels" }, "GET /tunnels?limit=1", true],
    [{ path: "/tunnels" }, "GET /tunnels/tn_1", false],
    [{ path: "/tunnels/*" }, "GET /tunnels/tn_1", true],
    [{ path: "/tunnels/{id}" }, "GET /tunnels/tn_1", true],
    [{ path: "/edges/*" }, "GET /edges/tcp/edgtcp_1", false],
    [{ path: "/edges/**" }, "GET /edges/tcp/edgtcp_1", true],
    [{ path: "/edges/t.p" }, "GET /edges/tcp", false],
    [{ path: /tcp$/g }, "GET /edges/tcp", true],
    [{ path: /tcp$/ }, "GET /edges/tls", false],
  ])("%j matches %s: %p", async (filter, request, matches) => {
    const [method = "", path = ""] = request.split(" ");
    const handle = emulator().fail({ ...filter, status: 500 });
    expect(await hit(method, path)).toBe(matches);
    expect(handle.hits).toBe(matches ? 1 : 0);
  });

  const three = async () => [await hit("GET", "/tunnels"), await hit("GET", "/tunnels"), await hit("GET", "/tunnels")];

  test("are one by default", async () => {
    emulator().fail({ status: 500 });
    expect(await three()).toEqual([true, false, false]);
  });

  test("are as many as `times`, after `skip`", async () => {
    const handle = emulator().fail({ status: 500, skip: 1, times: 2 });
    expect([...(await three()), await hit("GET", "/tunnels")]).toEqual([false, true, true, false]);
    expect(handle.hits).toBe(2);
  });

  test("are all until it is cancelled", async () => {
    const handle = emulator().fail({ status: 500, times: Number.POSITIVE_INFINITY });
    expect(await three()).toEqual([true, true, true]);
    handle.cancel();
    expect(await three()).toEqual([false, false, false]);
    expect(handle.hits).toBe(3);
  });

  test("get the first of several faults", async () => {
    emulator().fail({ status: 500 });
    emulator().fail({ status: 503 });
    expect((await create()).status).toBe(500);
    expect((await create()).status).toBe(503);
  });

  test("include unauthenticated requests, but not calls in process", async () => {
    emulator().fail({ status: 500 });
    expect(emulator().api("GET", "/tunnels")).toMatchObject({ tunnels: [] });
    expect((await send({ url: emulator().url, apiKey: "none" }, "GET", "/tunnels")).status).toBe(500);
  });
});
