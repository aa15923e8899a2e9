import type { Fault } from "../../src/emulator";
import { emulatorOf, headersOf, refusal, send } from "./support";

const emulator = emulatorOf();
const create = () => send(emulator(), "POST", "/edges/tcp", { description: "new" });
const edges = () => emulator().account.tcpEdges.length;

describe("the answer", () => {
  test.each<[Fault, number, string, unknown]>([
    [{ status: 503 }, 503, "application/json", refusal(503, "FAULT").body],
    [{ status: 502, body: "<html>Bad gateway</html>" }, 502, "text/html; charset=utf-8", "<html>Bad gateway</html>"],
    [{ status: 500, body: "" }, 500, "text/plain; charset=utf-8", undefined],
    [{ status: 404, body: { msg: "gone" } }, 404, "application/json", { msg: "gone" }],
    [{ body: "not JSON" }, 200, "text/plain; charset=utf-8", "not JSON"],
    [{ bytes: 5000 }, 200, "application/json", "x".repeat(4998)],
  ])("of %j", async (fault, status, type, body) => {
    emulator().fail(fault);
    const answer = await create();
    expect(answer).toMatchObject({ status, body });
    expect(answer.body).toEqual(body);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(edges()).toBe(0);
    expect(emulator().requests[0]).toMatchObject({ status, processed: false, body: { description: "new" } });
    expect((await create()).status).toBe(201);
  });

  test("has the headers asked for", async () => {
    emulator().fail({ status: 429, headers: { "Retry-After": "7" } });
    expect((await create()).headers.get("retry-after")).toBe("7");
    emulator().fail({ headers: { "X-Extra": "1" } });
    const answer = await create();
    expect([answer.status, answer.headers.get("x-extra")]).toEqual([201, "1"]);
  });

  test("may be lost after the request took effect", async () => {
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
  ])("is reset: %j", async (fault, made) => {
    emulator().fail(fault);
    await expect(create()).rejects.toThrow("fetch failed");
    expect(edges()).toBe(made);
    expect(emulator().requests[0]).toMatchObject({ status: "reset", processed: made === 1 });
  });

  test("is closed in the middle of the answer", async () => {
    emulator().fail({ truncate: true });
    await expect(create()).rejects.toThrow("terminated");
    expect(edges()).toBe(1);
  });

  test("is kept though the answer is half of itself", async () => {
    emulator().fail({ truncate: "complete" });
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toMatch(/^\{"id":"edgtcp_/);
    expect(() => JSON.parse(answer.body)).toThrow();
  });

  test.each<[Fault, boolean]>([
    [{ hang: true }, true],
    [{ hang: "headers" }, false],
  ])("stays open without an end: %j", async (fault, answers) => {
    emulator().fail(fault);
    const controller = new AbortController();
    const asked = fetch(`${emulator().url}/edges/tcp`, {
      headers: headersOf(emulator().apiKey),
      signal: controller.signal,
    });
    const settled = await Promise.race([
      asked.then(() => true),
      new Promise((resolve) => setTimeout(resolve, 150, false)),
    ]);
    expect(settled).toBe(answers);
    expect(emulator().requests[0]!.status).toBe("hang");
    controller.abort();
    await expect(asked.then((response) => response.text())).rejects.toThrow();
  });
});

describe("a delay", () => {
  test.each([
    [false, 0],
    [true, 1],
  ])("after the effect: %p", async (delayAfter, made) => {
    emulator().fail({ delayMs: 200, delayAfter });
    const started = performance.now();
    const asked = create();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(edges()).toBe(made);
    expect((await asked).status).toBe(201);
    expect(performance.now() - started).toBeGreaterThan(190);
    expect(edges()).toBe(1);
  });
});

describe("which requests", () => {
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
  ])("%j meets %s: %p", async (where, request, met) => {
    const [method = "", path = ""] = request.split(" ");
    const handle = emulator().fail({ ...where, status: 500 });
    expect(await hit(method, path)).toBe(met);
    expect(handle.hits).toBe(met ? 1 : 0);
  });

  const three = async () => [await hit("GET", "/tunnels"), await hit("GET", "/tunnels"), await hit("GET", "/tunnels")];

  test("one by default", async () => {
    emulator().fail({ status: 500 });
    expect(await three()).toEqual([true, false, false]);
  });

  test("so many, after so many", async () => {
    const handle = emulator().fail({ status: 500, skip: 1, times: 2 });
    expect([...(await three()), await hit("GET", "/tunnels")]).toEqual([false, true, true, false]);
    expect(handle.hits).toBe(2);
  });

  test("all, until cancelled", async () => {
    const handle = emulator().fail({ status: 500, times: Number.POSITIVE_INFINITY });
    expect(await three()).toEqual([true, true, true]);
    handle.cancel();
    expect(await three()).toEqual([false, false, false]);
    expect(handle.hits).toBe(3);
  });

  test("the fault asked for first goes first", async () => {
    emulator().fail({ status: 500 });
    emulator().fail({ status: 503 });
    expect((await create()).status).toBe(500);
    expect((await create()).status).toBe(503);
  });

  test("faults come before keys are looked at, and not to calls in process", async () => {
    emulator().fail({ status: 500 });
    expect(emulator().api("GET", "/tunnels")).toMatchObject({ tunnels: [] });
    expect((await send({ url: emulator().url, apiKey: "none" }, "GET", "/tunnels")).status).toBe(500);
  });
});
