/** The page of `--html` in a real browser. scripts/docs/picture.mjs runs this with `-u` to update docs/inventory.png. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions } from "playwright-core";
import { findUnreadable, openPage, testInBrowser } from "../../support/browser";
import { isUpdatingSnapshots } from "../../support/cli/snapshots";
import { root } from "../../support/root";
import { createPageAccount } from "./pageAccount";
import { emulator, run, stateFile, writeFile } from "./support";

jest.setTimeout(300_000); // starting a browser on a busy machine is slow

const picture = join(root, "docs/inventory.png");

/** Opens what the command prints. */
const openHtml = (html: string, options?: BrowserContextOptions) =>
  openPage(pathToFileURL(writeFile(html, ".html")).href, options);

/** The page of the account, without the key in use, whose id is another one each time. */
async function readPage() {
  const { account, own, managed } = await createPageAccount();
  const { out } = await run(account, "--html", "--state", managed);
  const lines = out.split("\n").filter((line) => !line.includes(own));
  return lines.join("\n").replaceAll(account.url, "https://api.example.com");
}

testInBrowser("has the tables, readable on a screen in both colour schemes, on a phone and on paper", async () => {
  const html = await readPage();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 340]) {
      const { page, problems } = await openHtml(html, { viewport: { width, height: 800 }, colorScheme });
      expect(await page.evaluate(findUnreadable)).toEqual([]);
      // Nothing is cut off, and nothing has to be scrolled sideways.
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      const open = page.locator("tr").filter({ hasText: "1.tcp.example.com:25432" });
      expect((await open.innerText()).replace(/\s+/g, " ")).toContain(
        "anyone edgtcp_2QSE bkdtg_2QSF no tunnel no stack",
      );
      const paints = '[...document.querySelectorAll("tbody tr")].map((row) => getComputedStyle(row).backgroundColor)';
      // What anyone can reach, what is not known, and what is restricted look different.
      expect(new Set((await page.evaluate<string[]>(paints)).slice(0, 3)).size).toBe(3);
      // On a phone each cell names its column, and the row of columns is gone.
      expect(await page.getByRole("columnheader", { name: "Managed by" }).first().isVisible()).toBe(width > 800);

      await page.emulateMedia({ media: "print" });
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
      expect(await page.evaluate(findUnreadable)).toEqual([]);
      expect(await page.getByRole("columnheader", { name: "Managed by" }).first().isVisible()).toBe(true);
      expect(problems).toEqual([]);
    }
  }
});

testInBrowser("shows what others wrote as text, loads nothing, runs nothing, and has no secret", async () => {
  const account = await emulator({ apiKey: "key-in-use" });
  const hostile = `</td><script>document.title=1</script><img src=//example.com onerror=x>`;
  account.seed({
    tcpEdges: [
      { id: "edgtcp_a", description: hostile, hostports: ["a.example.com:1"], backend: { backend_id: "bkdtg_a" } },
    ],
    apiKeys: [{ id: "ak_a", description: "CI", metadata: "hush-metadata" }],
    httpsEdges: [
      {
        id: "edghts_a",
        routes: [{ id: "edghtsrt_a", oidc: { issuer: "https://id.example.com", client_secret: "hush-client" } }],
      },
    ],
  });
  const oidc = ["HttpsEdgeRouteOidc", "login", "edghts_a/edghtsrt_a"] as [string, string, string];
  const { out } = await run(account, "--html", "--state", stateFile([oidc, ["TcpEdge", "<b>gone</b>", "edgtcp_none"]]));
  const tokens = account.account.apiKeys.flatMap(({ token }) => token ?? []);
  for (const secret of ["key-in-use", "hush-metadata", "hush-client", ...tokens]) expect(out).not.toContain(secret);
  expect(out).not.toMatch(/<(script|img|link|iframe)|url\(|https?:\/\/(?!127\.0\.0\.1)[^<]*"/);

  const { page, problems } = await openHtml(out);
  expect(await page.title()).toBe(`Inventory of ${account.url}`);
  expect(await page.getByRole("row").filter({ hasText: "edgtcp_a" }).innerText()).toContain("onerror=");
  expect(await page.getByText("edghts_a/edghtsrt_a").count()).toBeGreaterThan(0);
  expect(await page.getByRole("listitem").innerText()).toContain('TcpEdge "<b>gone</b>"');
  expect(await page.locator("li code").innerText()).toBe("pulumi refresh");
  expect(problems).toEqual([]);
});

testInBrowser("its picture is small", async () => {
  if (isUpdatingSnapshots()) {
    const { page } = await openHtml(await readPage(), { viewport: { width: 1280, height: 480 } });
    await page.screenshot({ path: picture, fullPage: true });
  }
  expect(statSync(picture).size).toBeLessThan(150_000);
});
