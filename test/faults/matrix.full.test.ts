/** A part of the matrix in which every call, every fault and every number of times has its turn. */
import { type Case, casesOf, forever, isSlow, kinds, large, limited, problemsOf, refused, Site } from "./matrix";

/** Of the cases of each call, a few: others for the next call. */
function some(cases: Case[], count: number): Case[] {
  return [...new Set(cases.map(({ call }) => call))].flatMap((call, index) => {
    const own = cases.filter((each) => each.call === call);
    return Array.from({ length: count }, (_, nth) => own[(index * count + nth) % own.length]!);
  });
}

test("answers that are wrong, lost or late", async () => {
  const sites = await Promise.all([Site.start(), Site.start()]);
  const all = await casesOf(sites[0]!, Object.keys(kinds), [1, forever, 2]);
  const cases = some(
    all.filter(({ kind, times }) => !isSlow(kind) || times === 1),
    3,
  );
  expect(new Set(cases.map(({ kind }) => kind)).size).toBe(Object.keys(kinds).length);
  expect(await problemsOf(sites, cases)).toEqual([]);
});

test("answers of 50 MB, and connections refused", async () => {
  const site = await Site.start({}, { gated: true, timeout: 20_000 });
  const cases = [
    ...(await casesOf(site, [large], [1], { types: ["SshCredential"] })),
    ...(await casesOf(site, [refused], [forever], { types: ["TcpEdge"] })),
  ];
  expect(await problemsOf([site], cases, { alone: true })).toEqual([]);
});

test("the rate limit", async () => {
  const site = await Site.start();
  const cases = await casesOf(site, [limited], [1], { types: ["TcpEdge", "HttpsEdgeRouteOidc"] });
  expect(await problemsOf([site], cases, { alone: true })).toEqual([]);
});
