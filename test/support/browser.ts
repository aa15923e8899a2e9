/** A headless Chromium, if the machine has one: the one that `CHROMIUM` names, or one in the usual places. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { testIf } from "./testIf";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const places = [
  ...(process.env["PATH"] ?? "").split(":").flatMap((folder) => names.map((name) => join(folder, name))),
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const chromiumPath = process.env["CHROMIUM"] || places.find((place) => existsSync(place));

export const testInBrowser = testIf(
  chromiumPath,
  "no browser was found. Install Chromium or Chrome, or set CHROMIUM to its path.",
);

/** The browsers of a file, by their arguments. */
const browsers = new Map<string, Promise<Browser>>();
const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});
afterAll(async () => {
  for (const browser of browsers.values()) await (await browser).close();
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

/** Opens a page that shares nothing with others until the test ends, and collects its errors. */
export async function openPage(
  url: string,
  { args = [], ...options }: BrowserContextOptions & { args?: string[] } = {},
): Promise<{ page: Page; problems: string[] }> {
  const key = args.join(" ");
  const launched = browsers.get(key) ?? chromium.launch({ executablePath: chromiumPath!, args: [...flags, ...args] });
  browsers.set(key, launched);
  const context = await (await launched).newContext(options);
  contexts.push(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || problems.push(`requested ${request.url()}`));
  await page.goto(url);
  return { page, problems };
}

/** A script for `evaluate`: returns the strings whose contrast with their background is less than 4.5. */
export const findUnreadable = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const background = (element) => {
    const color = parse(getComputedStyle(element).backgroundColor);
    return color.length === 3 || !element.parentElement ? color : background(element.parentElement);
  };
  return [...document.querySelectorAll("body *")]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || "placeholder" in each)
    .filter((each) => each.checkVisibility())
    .map((each) => {
      const [a, b] = [parse(getComputedStyle(each, each.placeholder ? "::placeholder" : null).color), background(each)]
        .map(luminance).sort((x, y) => y - x);
      return [each.textContent.slice(0, 40), (a + 0.05) / (b + 0.05)];
    })
    .filter(([, ratio]) => ratio < 4.5);
})()`;
