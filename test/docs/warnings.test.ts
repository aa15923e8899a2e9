/** Where a reader can lose something, a page says so in a box of its own. */
import { findInPages, pages, read } from "./pages";

/** The texts of a page's boxes, each on one line. */
const boxesIn = (page: string): string[] =>
  [...read(page).matchAll(/^> \[!WARNING\]\n((?:> .*\n)+)/gm)].map(([, text]) => text!.replace(/^> |\n/gm, " "));

test.each([
  ["destroy deletes what was imported", /`pulumi destroy` deletes\b.*\bimport/],
  ["an edge is open while a module moves", /\bargument\b.*\bresource\b.*\bopen\b/],
  ["a rotated key is not used by a refresh", /\brotate\b.*\buse the old key\b.*\b401\b/],
  ["a replacement deletes the old key", /\bdeletes the old key\b/],
  ["retainOnDelete must be in the state first", /`retainOnDelete`.*\bbefore\b/],
  ["what --exclude leaves out may be deleted", /`pulumi up --exclude`.* deletes it/],
  ["a lost create may exist twice", /\bimport or delete that object\b/],
  ["Pulumi's logs contain secrets", /`pulumi up --debug`/],
  ["restore the state first", /\bbefore you have restored the state\b/],
])("a box says: %s", (_, pattern) => {
  expect(pages().flatMap(boxesIn)).toContainEqual(expect.stringMatching(pattern));
});

test("no page has a warning or note outside of a box", () => {
  const listOutside = (page: string) =>
    read(page).match(/^(?:\*\*)?(?:Warning|Note|Caution|Important)\b(?:\*\*)?:.*$/gim) ?? [];
  expect(findInPages(listOutside)).toEqual([]);
});
