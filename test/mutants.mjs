/**
 * What `npm run mutate` finds and no test can notice, or none should: by file, the code, what takes its place (each on
 * one line), and why.
 */
export default {
  "src/api/evidence.ts": [
    ['typeof status === "number"', "true", "A string is never greater than a number; the compiler asks for it."],
  ],
};
