/** A headless Chromium, if the machine has one: the one that `CHROMIUM` names, or one in the usual places. */
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

/** `test`, or `test.skip` if there is no Chromium. */
export const testInBrowser: typeof test | typeof test.skip = chromiumPath ? test : test.skip;
if (!chromiumPath) {
  console.warn("Skipped the tests that need a browser: install Chromium or Chrome, or set CHROMIUM to its path.");
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

/** Opens a page in a new browser with a fresh profile, and collects the page's errors. */
export async function openPage(
  url: string,
  { args = [], ...options }: BrowserContextOptions & { args?: string[] } = {},
): Promise<{ page: Page; problems: string[] }> {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const launched = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath!,
    args: [...flags, ...args],
    ...options,
  });
  opened.push({ context: launched, profile });
  const page = launched.pages()[0] ?? (await launched.newPage());
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || problems.push(`requested ${request.url()}`));
  await page.goto(url);
  return { page, problems };
}
