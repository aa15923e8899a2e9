/** Strings of any characters. */
import fc from "fast-check";

const surrogates = [0xd800, 0x800] as const;
const character = fc
  .nat(0x10ffff - surrogates[1])
  .map((code) => String.fromCodePoint(code < surrogates[0] ? code : code + surrogates[1]));

/** As fast-check's unit `binary`, which first makes a table of all characters: that takes a second. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(fc.string({ unit: character, maxLength }), fc.string({ unit: "binary-ascii", maxLength }));
