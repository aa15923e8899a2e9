/** The dashboard in a real browser. scripts/docs/picture.mjs runs this with `-u` to update the screenshot docs/emulator.png. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startEmulator } from "../../src/emulator";
import { findUnreadable, openPage, testInBrowser } from "../support/browser";
import { isUpdatingSnapshots } from "../support/cli/snapshots";
import { publicKey } from "../support/data/publicKey";
import { root } from "../support/root";
import { send, setUpEmulator } from "./support";

jest.setTimeout(300_000); // starting a browser on a busy machine is slow

const emulator = setUpEmulator({ keepRequests: 1000 });
const screenshot = join(root, "docs/emulator.png");

const sendRequest = async (method: string, path: string, body?: object) =>
  (await send(emulator(), method, path, body)).body;

/** Fills the account. */
async function createObjects() {
  emulator().seed({
    httpsEdges: [
      {
        id: "edghts_2QSFweb",
        tls_termination: { min_version: "1.2" },
        routes: [
          {
            id: "edghtsrt_2QSGlogin",
            oidc: {
              issuer: "https://id.example.com",
              client_id: "web",
              client_secret: "hush-1",
              scopes: ["openid", "email"],
            },
            request_headers: { add: { "X-Api-Key": "hush-2" }, remove: ["Cookie"] },
          },
        ],
      },
    ],
    sessions: [{ id: "ts_2QSHoffice", ip: "192.0.2.7", metadata: "hush-3", os: "linux", region: "eu" }],
    tunnels: [{ id: "tn_2QSJoffice", labels: { site: "office" }, forwards_to: "localhost:22" }],
  });
  const ssh = await sendRequest("POST", "/edges/tcp", {
    description: "SSH to the build machines",
    hostports: ["1.tcp.example.com:20022"],
    backend: { backend_id: "bkdhr_2QSBoffice" },
    ip_restriction: { ip_policy_ids: ["ipp_2QSCoffice"] },
  });
  await sendRequest("POST", "/edges/tls", {
    description: "Database",
    hostports: ["db.example.com:443"],
    backend: { backend_id: "bkdhr_2QSBdata" },
    mutual_tls: { certificate_authority_ids: ["ca_2QSDteam"] },
    tls_termination: { terminate_at: "edge", min_version: "1.3" },
  });
  await sendRequest("POST", "/api_keys", { description: "Deployments", metadata: "hush-4" });
  await sendRequest("POST", "/ssh_credentials", {
    description: "Laptop",
    public_key: publicKey("laptop"),
    acl: ["bind:*.example.com"],
  });
  await sendRequest("PUT", `/edges/tcp/${ssh.id}/ip_restriction`, {
    enabled: false,
    ip_policy_ids: ["ipp_2QSCoffice"],
  });
  await sendRequest("GET", "/edges/tcp/edgtcp_none");
  return ssh;
}

testInBrowser("shows the account and live requests without secrets", async () => {
  const { page, problems } = await openPage(emulator().url, { viewport: { width: 1280, height: 860 } });
  await page.getByText("No edges yet").waitFor();
  await page.getByText("Connected").waitFor();
  const ssh = await createObjects();

  const card = page.locator("#account li").filter({ hasText: "SSH to the build machines" });
  await page.getByText("off; ipp_2QSCoffice").waitFor();
  expect(await card.innerText()).toMatch(/open to anyone[\s\S]*1\.tcp\.example\.com:20022/);
  expect(await page.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
    "TCP edges (1)",
    "TLS edges (1)",
    "HTTPS edges (1)",
    "HTTPS edge routes (1)",
    "API keys (2)",
    "SSH credentials (1)",
    "Tunnel sessions (1)",
    "Tunnels (1)",
  ]);
  const requests = page.getByRole("list", { name: "Requests, newest first" });
  expect((await requests.innerText()).replace(/\s+/g, " ")).toMatch(
    /^GET \/edges\/tcp\/edgtcp_none 404 .* POST \/edges\/tcp 201/,
  );

  const text = await page.content();
  expect(text).not.toMatch(/hush-/);
  expect(text).not.toContain(emulator().apiKey);

  await sendRequest("DELETE", `/edges/tcp/${ssh.id}`);
  await card.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
});

testInBrowser("shows strings of the account as text", async () => {
  const { page, problems } = await openPage(emulator().url);
  const evil = `<img src=x onerror="document.title='changed'"><script>document.title='changed'</script>`;
  await page.getByText("Connected").waitFor();
  await sendRequest("POST", "/edges/tcp", { description: evil, metadata: evil, hostports: ["1.tcp.example.com:1"] });
  await page.getByRole("heading", { level: 4, name: evil }).waitFor();
  await page.locator("summary", { hasText: "POST" }).click();
  expect(await page.locator("pre").innerText()).toContain("<img src=x");
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.title()).toBe("Tunnel edge emulator");
  expect(problems).toEqual([]);
});

testInBrowser("works with the keyboard, on a narrow screen and in dark mode, and keeps the focus", async () => {
  const { page, problems } = await openPage(emulator().url, {
    viewport: { width: 340, height: 700 },
    colorScheme: "dark",
  });
  await page.getByText("Connected").waitFor();
  await createObjects();
  await page.getByRole("heading", { name: "Database" }).waitFor();
  const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  expect(overflow).toBe(0);
  expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).not.toBe("rgb(244, 246, 248)");

  const summary = page.locator("summary", { hasText: "POST" }).last();
  const body = page.locator("pre", { hasText: "SSH to the build machines" });
  await summary.focus();
  expect(await body.isVisible()).toBe(false);
  await page.keyboard.press("Enter");
  await body.waitFor({ state: "visible" });
  await sendRequest("POST", "/edges/tcp", { description: "One more" });
  await page.getByRole("heading", { name: "One more" }).waitFor();
  expect(await body.isVisible()).toBe(true);
  expect(await page.evaluate("document.activeElement.tagName")).toBe("SUMMARY");
  expect(problems).toEqual([]);
});

describe("makes drift", () => {
  const editor = (page: Page) => page.getByRole("dialog");
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  /** Replaces a part of the JSON in the editor. */
  const edit = async (page: Page, before: string, after: string) => {
    const text = editor(page).getByRole("textbox");
    const value = await text.inputValue();
    expect(value).toContain(before);
    await text.fill(value.replace(before, after));
  };
  const save = (page: Page) => editor(page).getByRole("button", { name: "Save" }).click();

  testInBrowser("changes and deletes objects, and shows why the service rejects a change", async () => {
    const { page, problems } = await openPage(emulator().url);
    const ssh = await createObjects();
    const count = emulator().requests.length;
    await button(page, "Change SSH to the build machines").click();
    expect(await editor(page).innerText()).toContain(`PATCH /edges/tcp/${ssh.id}`);
    await edit(page, "SSH to the build machines", "Changed by hand");
    await edit(page, "1.tcp.example.com:20022", "db.example.com:443");
    await save(page);
    await editor(page).getByText('The hostport "db.example.com:443" is already served by an edge.').waitFor();
    await edit(page, "}", "");
    await save(page);
    await editor(page).getByText(/JSON/).last().waitFor();
    await editor(page).getByRole("button", { name: "Cancel" }).click();
    expect(emulator().account.tcpEdges[0]!.description).toBe("SSH to the build machines");

    await button(page, "Change SSH to the build machines").click();
    await edit(page, "SSH to the build machines", "Changed by hand");
    await save(page);
    await page.getByRole("heading", { name: "Changed by hand" }).waitFor();
    await editor(page).waitFor({ state: "hidden" });
    expect(emulator().account.tcpEdges).toMatchObject([{ id: ssh.id, hostports: ["1.tcp.example.com:20022"] }]);

    await button(page, "Delete Laptop").click();
    await page.getByRole("heading", { name: "Laptop" }).waitFor({ state: "detached" });
    expect(emulator().account.sshCredentials).toEqual([]);
    expect(emulator().requests).toHaveLength(count);
    expect(problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);
  });

  testInBrowser("changes, removes and sets modules, and keeps their secrets", async () => {
    const { page, problems } = await openPage(emulator().url);
    const ssh = await createObjects();
    await button(page, `Remove ip restriction of SSH to the build machines`).click();
    await page.getByText("off; ipp_2QSCoffice").waitFor({ state: "detached" });
    expect(emulator().account.tcpEdges).toMatchObject([{ id: ssh.id, ip_restriction: null }]);

    await button(page, "Change oidc of edghtsrt_2QSGlogin").click();
    await editor(page).getByText("A secret that stays ******** is not changed.").waitFor();
    await edit(page, '"web"', '"changed"');
    expect(await page.content()).not.toMatch(/hush-/);
    await save(page);
    await page.getByText("client id: changed").waitFor();
    const getRoute = () => emulator().account.httpsEdges[0]!.routes[0]!;
    expect(getRoute().oidc).toMatchObject({
      client_id: "changed",
      client_secret: "hush-1",
      scopes: ["openid", "email"],
    });

    await button(page, "Set user agent filter of edghtsrt_2QSGlogin").click();
    await edit(page, "true", 'true, "deny": ["curl"]');
    await save(page);
    await page.getByText("deny: curl").waitFor();
    expect(getRoute().user_agent_filter).toEqual({ enabled: true, allow: [], deny: ["curl"] });
    expect(problems).toEqual([]);
  });

  testInBrowser("works with the keyboard, and keeps the focus", async () => {
    await createObjects();
    const { page, problems } = await openPage(emulator().url);
    const waitForFocus = (name: string) =>
      page.waitForFunction(`(document.activeElement.ariaLabel ?? document.activeElement.id) === "${name}"`);
    await button(page, "Change Database").focus();
    await page.keyboard.press("Enter");
    await editor(page).waitFor();
    emulator().api("PATCH", `/edges/tls/${emulator().account.tlsEdges[0]!.id}`, { hostports: ["new.example.com:443"] });
    await page.locator("#account").getByText("new.example.com:443").waitFor();
    await page.keyboard.press("Escape");
    await editor(page).waitFor({ state: "hidden" });
    await waitForFocus("Change Database");
    await page.keyboard.press("Enter");
    await editor(page).waitFor();
    await edit(page, '"1.3"', '"1.2"');
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await editor(page).waitFor({ state: "hidden" });
    await page.getByText("terminate at: edge; min version: 1.2").nth(1).waitFor();
    await waitForFocus("Change Database");
    await page.keyboard.press("Tab");
    await waitForFocus("Delete Database");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Database" }).waitFor({ state: "detached" });
    await waitForFocus("account-heading");
    expect(problems).toEqual([]);
  });

  testInBrowser("has only the buttons of calls that the service has", async () => {
    const strict = await startEmulator({ documentedOnly: true });
    strict.seed({ tcpEdges: [{ description: "A" }], tlsEdges: [{ description: "B" }], sessions: [{}] });
    const { page } = await openPage(strict.url);
    await page.getByRole("heading", { name: "A", exact: true }).waitFor();
    const names = await page.locator("#account button").evaluateAll((buttons) => buttons.map((each) => each.ariaLabel));
    const key = "The key the emulator starts with";
    expect(names).toEqual(["Change A", "Change B", "Delete B", `Change ${key}`, `Delete ${key}`]);
    await strict.close();
  });
});

testInBrowser("shows requests that arrive while it loads", async () => {
  const { page } = await openPage("about:blank");
  await sendRequest("GET", "/tunnels?limit=1");
  await page.route("**/_emulator/requests", async (route) => {
    const response = await route.fetch();
    await sendRequest("GET", "/tunnels?limit=2");
    await route.fulfill({ response });
  });
  await page.goto(emulator().url);
  await page.getByText("Connected").waitFor();
  await page.getByText("limit=2").waitFor();
  expect(await page.locator("#requests > li").allInnerTexts()).toEqual([
    expect.stringContaining("limit=2"),
    expect.stringContaining("limit=1"),
  ]);
});

testInBrowser("filters requests by method, path and status", async () => {
  const { page, problems } = await openPage(emulator().url);
  await createObjects();
  const rows = page.locator("#requests > li:visible");
  await page.getByText("edgtcp_none").waitFor();
  await page.getByText("Connected").waitFor();
  const filter = page.getByRole("searchbox", { name: "Filter requests" });
  const total = emulator().requests.length;
  for (const [text, count] of [
    ["put", 1],
    ["post /edges", 2],
    ["404", 1],
    ["4xx", 1],
    ["2xx tls", 1],
  ] as const) {
    await filter.fill(text);
    expect([text, await rows.count()]).toEqual([text, count]);
    expect(await page.locator("#count").innerText()).toBe(`${count} of ${total}`);
  }
  await sendRequest("GET", "/tunnels");
  await sendRequest("POST", "/edges/tls", {});
  await page.getByText(`2 of ${total + 2}`).waitFor();
  await filter.fill("");
  expect(await rows.count()).toBe(total + 2);
  expect(problems).toEqual([]);
});

testInBrowser.each(["light", "dark"] as const)("all text is readable in %s mode", async (colorScheme) => {
  const { page } = await openPage(emulator().url, { colorScheme, reducedMotion: "reduce" });
  await createObjects();
  await page.getByText("off; ipp_2QSCoffice").waitFor();
  await page.locator("summary").first().click();
  expect(await page.evaluate(findUnreadable)).toEqual([]);
  await page.getByRole("button", { name: "Change oidc of edghtsrt_2QSGlogin" }).click();
  await page.getByRole("textbox").fill("{");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: "JSON" }).waitFor();
  expect(await page.evaluate(findUnreadable)).toEqual([]);
});

testInBrowser("shows that the emulator has stopped", async () => {
  const other = await startEmulator();
  const { page } = await openPage(other.url);
  await page.getByText("Connected").waitFor();
  await other.close();
  const status = page.getByText("The emulator does not respond. Reconnecting…");
  await status.waitFor();
  expect(await status.isVisible()).toBe(true);
});

testInBrowser("its screenshot is small", async () => {
  if (isUpdatingSnapshots()) {
    const { page } = await openPage(emulator().url, {
      viewport: { width: 1200, height: 570 },
      reducedMotion: "reduce",
    });
    await createObjects();
    await page.getByText("off; ipp_2QSCoffice").waitFor();
    await page.locator("summary", { hasText: "POST" }).last().click();
    await page.screenshot({ path: screenshot });
  }
  expect(statSync(screenshot).size).toBeLessThan(150_000);
});
