/** A headless Chromium, where the machine has one: `CHROMIUM` names it, else the usual places are looked in. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const places = [
  ...(process.env["PATH"] ?? "").split(":").flatMap((folder) => names.map((name) => join(folder, name))),
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

export const chromiumPath = process.env["CHROMIUM"] || places.find((place) => existsSync(place));

/** `test`, or where there is no Chromium a test that is skipped, and says so. */
export const testInBrowser: typeof test | typeof test.skip = chromiumPath ? test : test.skip;
if (!chromiumPath) {
  console.warn("Skipped what needs a browser: install Chromium or Chrome, or name it in the variable CHROMIUM.");
}

const opened: { context: BrowserContext; profile: string }[] = [];
afterAll(async () => {
  for (const { context, profile } of opened.splice(0)) {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});

const flags = [
  "--no-sandbox", // root, as in containers, can have none
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page in a browser of its own, with a fresh profile, and what went wrong in it. */
export async function openPage(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const launched = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath!,
    args: flags,
    ...options,
  });
  opened.push({ context: launched, profile });
  const page = launched.pages()[0] ?? (await launched.newPage());
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || problems.push(`asked for ${request.url()}`));
  await page.goto(url);
  return { page, problems };
}
