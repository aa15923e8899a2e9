/** The whole matrix: every call of every operation of every resource meets every fault once, twice and forever. */

import { fastClock } from "../support/preload";
import {
  connectionRefused,
  faultKinds,
  forever,
  isSlow,
  largeResponse,
  listCases,
  rateLimited,
  runCases,
  TestBed,
} from "./matrix";

const often = [1, 2, forever];
const several = (count: number, ...options: Parameters<typeof TestBed.start>) =>
  Promise.all(Array.from({ length: count }, () => TestBed.start(...options)));

test("wrong and lost responses", async () => {
  const testBeds = await several(4, {}, { timeout: 30_000 });
  const cases = await listCases(
    testBeds[0]!,
    Object.keys(faultKinds).filter((kind) => !isSlow(kind)),
    often,
  );
  expect(cases.length).toBeGreaterThan(3_000);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);

test("late responses", async () => {
  const testBeds = await several(4);
  const cases = await listCases(testBeds[0]!, Object.keys(faultKinds).filter(isSlow), often);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);

test("responses of 50 MB", async () => {
  const testBeds = await several(1, {}, { timeout: 20_000 });
  // Never retried, so twice is the same as once.
  const cases = await listCases(testBeds[0]!, [largeResponse], [1, forever]);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);

test("refused connections, for a moment and forever", async () => {
  const testBeds = await several(4, {}, { proxied: true, timeout: 20_000 });
  const cases = await listCases(testBeds[0]!, [connectionRefused], [1, forever]);
  expect(await runCases(testBeds, cases, { serial: true })).toEqual([]);
}, 3_600_000);

test("the rate limit, with ten minutes in three seconds", async () => {
  const testBeds = await several(1, {}, { env: fastClock(200), timeout: 2_000_000 });
  const cases = await listCases(testBeds[0]!, [rateLimited], often);
  expect(await runCases(testBeds, cases)).toEqual([]);
}, 3_600_000);
