import { type Account, documentedOperations } from "../../src/emulator";
import objectTypes from "../../src/emulator/objects";
import { createMinimalSeed, errorResponse, send, setUpEmulator } from "./support";

const emulator = setUpEmulator({ clock: () => 0 });
const small = setUpEmulator({ pageSize: 2 });

const ids = (objects: { id: string }[]) => objects.map(({ id }) => id);

/** The objectTypes of objects that the API lists. */
const listed = Object.entries(objectTypes)
  .map(([key, { path, prefix }]) => ({ key: key as keyof Account, path, prefix }))
  .filter(({ path }) => documentedOperations.includes(`GET ${path}`));

describe.each(listed)("GET $path", ({ key, path, prefix }) => {
  test("lists newest first, page by page, even if all were created in the same second", async () => {
    small().seed({ sessions: key === "tunnels" ? [{}] : [] });
    for (const letter of "abcde") small().seed({ [key]: [{ ...createMinimalSeed(key, letter), id: prefix + letter }] });
    const seen: string[] = [];
    const sizes: number[] = [];
    let next: string | null = path;
    while (next !== null) {
      const { body } = await send(small(), "GET", next);
      const { uri, next_page_uri, ...lists } = body;
      expect(uri).toBe(small().url + path);
      const [objects] = Object.values<{ id: string }[]>(lists);
      seen.push(...ids(objects!));
      sizes.push(objects!.length);
      next = next_page_uri;
      if (next !== null) expect(next.startsWith(`${small().url}${path}?`)).toBe(true);
    }
    expect(seen.map((id) => id.split("_")[1]).slice(0, 5)).toEqual([..."edcba"]);
    // The account has a key already.
    expect(sizes).toEqual(path === "/api_keys" ? [2, 2, 2] : [2, 2, 1]);
  });
});

test("a page has 100 objects, or `limit`", async () => {
  emulator().seed({ tcpEdges: Array.from({ length: 101 }, (_, index) => ({ id: `edgtcp_${index}` })) });
  const first = (await send(emulator(), "GET", "/edges/tcp")).body;
  expect(first.tcp_edges).toHaveLength(100);
  const rest = (await send(emulator(), "GET", first.next_page_uri)).body;
  expect(rest).toMatchObject({ tcp_edges: [{ id: "edgtcp_0" }], next_page_uri: null });

  const three = (await send(emulator(), "GET", "/edges/tcp?limit=3&before_id=edgtcp_50")).body;
  expect(ids(three.tcp_edges)).toEqual(["edgtcp_49", "edgtcp_48", "edgtcp_47"]);
  const query = new URL(three.next_page_uri).searchParams;
  expect(Object.fromEntries(query)).toEqual({ limit: "3", before_id: "edgtcp_47" });
});

test("the next page is right although the last object of a page was deleted", async () => {
  small().seed({ tlsEdges: [..."abcd"].map((letter) => ({ id: `edgtls_${letter}` })) });
  const { next_page_uri } = (await send(small(), "GET", "/edges/tls")).body;
  small().api("DELETE", "/edges/tls/edgtls_c");
  expect(ids((await send(small(), "GET", next_page_uri)).body.tls_edges)).toEqual(["edgtls_b", "edgtls_a"]);
});

test("an object that is recreated with the same id is the newest", async () => {
  const createSeed = (letter: string) => ({ tcpEdges: [{ id: `edgtcp_${letter}` }] });
  for (const letter of "ab") emulator().seed(createSeed(letter));
  emulator().api("DELETE", "/edges/tcp/edgtcp_a");
  for (const letter of "acd") emulator().seed(createSeed(letter));
  emulator().api("DELETE", "/edges/tcp/edgtcp_c");
  const { body } = await send(emulator(), "GET", "/edges/tcp");
  expect(ids(body.tcp_edges)).toEqual(["edgtcp_d", "edgtcp_a", "edgtcp_b"]);
});

test.each(["limit=0", "limit=101", "limit=x", "limit=", "limit=-1", "before_id=edgtcp_none"])(
  "?%s is rejected",
  async (query) => {
    expect(await send(emulator(), "GET", `/edges/tcp?${query}`)).toMatchObject(errorResponse(400, "BAD_QUERY"));
  },
);
