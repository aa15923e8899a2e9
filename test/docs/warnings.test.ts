/** Where a reader can lose something, a page says so in a box of its own. */
import { pages, read } from "./pages";

/** The texts of a page's boxes, each on one line. */
const boxesIn = (page: string): string[] =>
  [...read(page).matchAll(/^> \[!WARNING\]\n((?:> .*\n)+)/gm)].map(([, text]) => text!.replace(/^> |\n/gm, " "));

test.each([
  ["docs/import.md", "destroy deletes what was imported", /`pulumi destroy` deletes/],
  ["docs/moving.md", "an edge is open while a module moves", /\bopen\b/],
  ["docs/settings.md", "a rotated key is not used by a refresh", /rotate.*\b401\b/],
  ["docs/accounts.md", "the old key is used until the next update", /\b401\b/],
  ["docs/reference/apiKey.md", "a replacement deletes the old key", /deletes the old key/],
  ["docs/options.md", "retainOnDelete must be in the state first", /`retainOnDelete`/],
  ["docs/options.md", "what --exclude leaves out may be deleted", /`pulumi up --exclude`.* deletes it/],
  ["docs/failures.md", "a lost create may exist twice", /import or delete that object/],
  ["docs/secrets.md", "Pulumi's logs contain secrets", /`pulumi up --debug`/],
  ["docs/logging.md", "Pulumi's logs contain secrets", /`--debug`/],
  ["docs/troubleshooting.md", "restore the state first", /before you have restored the state/],
])("%s: %s", (page, _, pattern) => {
  expect(boxesIn(page)).toContainEqual(expect.stringMatching(pattern));
});

test.each(pages())("%s has no warning or note outside of a box", (page) => {
  expect(read(page).match(/^(?:\*\*)?(?:Warning|Note|Caution|Important)\b(?:\*\*)?:.*$/gim) ?? []).toEqual([]);
});
