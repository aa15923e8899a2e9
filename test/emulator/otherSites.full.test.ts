/** A page of another site, in a real browser, against the emulator on the same machine. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { openPage, testInBrowser } from "../support/browser";
import { setUpEmulator } from "./support";

jest.setTimeout(300_000); // starting a browser on a busy machine is slow

const emulator = setUpEmulator();
const site = http.createServer((_, response) => {
  response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Another site</title>");
});
let siteUrl: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => {
  site.close();
  site.closeAllConnections();
});

const key = "The key the emulator starts with";
const edge = "/_emulator/objects/edges/tcp/edgtcp_1";
const change = '{"description":"changed"}';
const json = { "Content-Type": "application/json" };

/** What a page tries: each call, and whether it could read a response. */
const attempts: [path: string, init: object][] = [
  ["/", {}],
  ["/_emulator/account", {}],
  [edge, {}],
  [edge, { method: "PATCH", headers: json, body: change }],
  [edge, { method: "DELETE" }],
  ["/_emulator/reset", { method: "POST" }],
  ["/_emulator/seed", { method: "POST", headers: json, body: '{"sessions":[{}]}' }],
  ["/_emulator/seed", { method: "POST", body: '{"sessions":[{}]}' }],
];

const tryAll = `async ({ url, attempts, modes }) => {
  const results = [];
  for (const [path, init] of attempts)
    for (const mode of modes)
      results.push(await fetch(url + path, { ...init, mode }).then(
        async (response) => response.status + " " + (await response.text()),
        (error) => error.name,
      ));
  return results;
}`;

const submitForm = `async ({ url, enctype }) => {
  const frame = document.createElement("iframe");
  frame.name = "frame" + document.querySelectorAll("iframe").length;
  document.body.append(frame);
  const form = document.body.appendChild(document.createElement("form"));
  Object.assign(form, { method: "post", action: url, enctype, target: frame.name });
  const field = form.appendChild(document.createElement("input"));
  Object.assign(field, { name: '{"sessions":[{}],"x":"', value: '"}' });
  const loaded = new Promise((done) => frame.addEventListener("load", done));
  form.submit();
  await loaded;
}`;

const listen = `(url) => new Promise((done) => {
  const events = new EventSource(url);
  events.onopen = () => done("open");
  events.onerror = () => done("error");
})`;

const embed = `(url) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.onload = () => done(frame.contentDocument ? "readable" : "blocked");
  frame.src = url;
  document.body.append(frame);
})`;

const evaluate = (page: Awaited<ReturnType<typeof openPage>>["page"], script: string, argument: unknown) =>
  page.evaluate(`(${script})(${JSON.stringify(argument)})`);

const expectUnchanged = () =>
  expect(emulator().account).toMatchObject({
    tcpEdges: [{ id: "edgtcp_1", description: "mine" }],
    sessions: [],
    apiKeys: [{ description: key }],
  });

beforeEach(() => {
  emulator().seed({ tcpEdges: [{ id: "edgtcp_1", description: "mine" }] });
});

testInBrowser("a page of another origin can neither read nor change the account", async () => {
  const { page } = await openPage(siteUrl);
  const { url, port } = emulator();
  for (const target of [url, `http://localhost:${port}`]) {
    const results = await evaluate(page, tryAll, { url: target, attempts, modes: ["cors", "no-cors"] });
    expect(results).toEqual(attempts.flatMap(() => ["TypeError", "TypeError"]));
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
      for (const path of ["/_emulator/seed", "/_emulator/reset"])
        await evaluate(page, submitForm, { url: target + path, enctype });
    expect(await evaluate(page, listen, `${target}/_emulator/events`)).toBe("error");
  }
  expectUnchanged();
});

testInBrowser("a page of another origin cannot show the emulator's page, where a click could be stolen", async () => {
  const { page } = await openPage(siteUrl);
  await evaluate(page, embed, emulator().url);
  const frame = page.frames().find((each) => each !== page.mainFrame())!;
  expect(await frame.locator("button").count()).toBe(0);
  expect(await frame.content()).not.toContain("Tunnel edge emulator");
});

testInBrowser("a page of a name that resolves to this machine can use nothing", async () => {
  const { port } = emulator();
  const rebound = `http://rebound.example.com:${port}`;
  const args = ["--host-resolver-rules=MAP rebound.example.com 127.0.0.1"];
  const { page } = await openPage(rebound, { args });
  expect(await page.content()).toContain("The Host header names another server.");
  const results = (await evaluate(page, tryAll, { url: rebound, attempts, modes: ["same-origin"] })) as string[];
  for (const result of results) expect(result).toMatch(/^403 .*The Host header names another server/);
  expectUnchanged();
});

testInBrowser("the emulator's own page can read and change the account", async () => {
  const { url } = emulator();
  const { page } = await openPage(url);
  const results = (await evaluate(page, tryAll, { url, attempts, modes: ["same-origin"] })) as string[];
  expect(results.map((result) => result.slice(0, 3))).toEqual(["200", "200", "200", "200", "204", "204", "200", "415"]);
  expect(emulator().account).toMatchObject({ tcpEdges: [], sessions: [{}] });
});
