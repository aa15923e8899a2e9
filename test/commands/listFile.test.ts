/** Files with a list, one entry on each line. */
import { parseList } from "../../src/commands/listFile";

const parse = (text: string) =>
  parseList(text, "list.txt", (entry) => (/^[a-z*]+$/.test(entry) ? undefined : 'must be letters, such as "abc"'));

test.each<[string, string, Record<string, number>]>([
  ["nothing", "", {}],
  ["only comments and empty lines", "# a\n\n   \n\t# b", {}],
  ["entries, and comments after them", "abc\n# why\n  def # because\n", { abc: 1, def: 3 }],
  ["the line breaks of Windows", "abc\r\ndef\r\n", { abc: 1, def: 2 }],
  ["a comment right after an entry", "abc#def", { abc: 1 }],
  ["other scripts in a comment", "abc # Büro, 事務所, 🏢", { abc: 1 }],
  ["a wildcard, as it is written", "*", { "*": 1 }],
])("reads %s", (_, text, lines) => {
  expect(parse(text)).toEqual(Object.entries(lines).map(([entry, line]) => ({ entry, line })));
});

test.each<[string, string, string]>([
  ["an invalid entry", "abc\n123", 'line 2: "123" must be letters, such as "abc".'],
  ["two entries on one line", "abc def", 'line 1: "abc def" must be letters, such as "abc". A comment begins with #.'],
  ["an entry twice", "abc\n\nabc", 'line 3: "abc" is already on line 1; remove one.'],
])("rejects %s", (_, text, message) => {
  expect(() => parse(text)).toThrow(new Error(`list.txt, ${message}`));
});

test.each<[string, string, string]>([
  ["a zero-width space", "a\u200bbc", "U+200B"],
  ["another order of letters, in a comment", "# a\u202e", "U+202E"],
  ["a byte order mark", "\ufeffabc", "U+FEFF"],
  ["another space", "abc\u00a0", "U+00A0"],
  ["another line break", "# a\u2028abc", "U+2028"],
  ["a carriage return within a line", "# a\rabc", "U+000D"],
  ["a letter without a shape", "# \u3164", "U+3164"],
  ["a pattern without dots", "# \u2800", "U+2800"],
  ["half a character", "# \ud800", "U+D800"],
])("rejects %s", (_, text, code) => {
  expect(() => parse(text)).toThrow(
    new Error(`list.txt, line 1: contains the invisible character ${code}; remove it.`),
  );
});
