/** The dashboard in a real browser. `npm run picture` runs this with `-u` to update the screenshot docs/emulator.png. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { openPage, testInBrowser } from "../support/browser";
import { isUpdatingSnapshots } from "../support/snapshots";
import { send, setUpEmulator } from "./support";

jest.setTimeout(300_000); // starting a browser on a busy machine is slow

const emulator = setUpEmulator({ keepRequests: 1000 });
const screenshot = join(__dirname, "../../docs/emulator.png");

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
    public_key: "ssh-ed25519 AAAA laptop",
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
  expect(await card.innerText()).toContain("1.tcp.example.com:20022");
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
  expect(text).not.toMatch(/hush/);
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

testInBrowser("shows that the emulator has stopped", async () => {
  const { startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const other = await startEmulator();
  const { page } = await openPage(other.url);
  await page.getByText("Connected").waitFor();
  await other.close();
  await page.getByText("The emulator does not respond. Reconnecting…").waitFor();
});

testInBrowser("its screenshot is small", async () => {
  if (isUpdatingSnapshots()) {
    const { page } = await openPage(emulator().url, {
      viewport: { width: 1200, height: 640 },
      reducedMotion: "reduce",
    });
    await createObjects();
    await page.getByText("off; ipp_2QSCoffice").waitFor();
    await page.locator("summary", { hasText: "POST" }).last().click();
    await page.screenshot({ path: screenshot });
  }
  expect(statSync(screenshot).size).toBeLessThan(150_000);
});
