/** The whole matrix: every call of every operation of every resource meets every fault once, twice and for ever. */
import { resolve } from "node:path";
import { casesOf, forever, isSlow, kinds, large, limited, problemsOf, refused, Site } from "./matrix";

const often = [1, 2, forever];
const several = (count: number, ...options: Parameters<typeof Site.start>) =>
  Promise.all(Array.from({ length: count }, () => Site.start(...options)));

test("answers that are wrong or lost", async () => {
  const sites = await several(4, {}, { timeout: 30_000 });
  const cases = await casesOf(
    sites[0]!,
    Object.keys(kinds).filter((kind) => !isSlow(kind)),
    often,
  );
  expect(cases.length).toBeGreaterThan(3_000);
  expect(await problemsOf(sites, cases)).toEqual([]);
}, 3_600_000);

test("answers that are late", async () => {
  const sites = await several(4);
  const cases = await casesOf(sites[0]!, Object.keys(kinds).filter(isSlow), often);
  expect(await problemsOf(sites, cases)).toEqual([]);
}, 3_600_000);

test("answers of 50 MB", async () => {
  const sites = await several(1, {}, { timeout: 20_000 });
  // Never tried again: meeting it twice is meeting it once.
  const cases = await casesOf(sites[0]!, [large], [1, forever]);
  expect(await problemsOf(sites, cases)).toEqual([]);
}, 3_600_000);

test("connections refused, for a moment and for ever", async () => {
  const sites = await several(4, {}, { gated: true, timeout: 20_000 });
  const cases = await casesOf(sites[0]!, [refused], [1, forever]);
  expect(await problemsOf(sites, cases, { alone: true })).toEqual([]);
}, 3_600_000);

test("the rate limit, whose ten minutes are three seconds here", async () => {
  const hurry = { NODE_OPTIONS: `--require ${resolve(__dirname, "../support/hurry.js")}`, HURRY: "200" };
  const sites = await several(1, {}, { env: hurry, timeout: 2_000_000 });
  const cases = await casesOf(sites[0]!, [limited], often);
  expect(await problemsOf(sites, cases)).toEqual([]);
}, 3_600_000);
