/** The files that pages name, and the tests that CONTRIBUTING.md lists for each promise. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/root";
import { pages, read } from "./pages";

/** The files of the repository that a page names as code. */
const listNamedFiles = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|scripts|bench|docs|schemas)\/[\w./-]*)`/g)].map(([, file]) => file!);

test.each(pages())("%s names only files that exist", (page) => {
  // Those of an example are in its own folder.
  const folder = page.startsWith("examples/") ? page.replace(/[^/]*$/, "") : "";
  const missing = listNamedFiles(read(page)).filter(
    (file) => !existsSync(join(root, file)) && !existsSync(join(root, folder, file)),
  );
  expect(missing).toEqual([]);
});

test("named files are found", () => {
  expect(listNamedFiles(read("docs/architecture.md"))).toEqual(
    expect.arrayContaining(["src/core/plan/plan.ts", "src/dynamic/", "test/setup/architecture.test.ts"]),
  );
  expect(listNamedFiles("`src/core/none.ts` and `test/x/`, not `src` or `test/<name>`")).toEqual([
    "src/core/none.ts",
    "test/x/",
  ]);
});

describe("the promises in CONTRIBUTING.md", () => {
  const [, table] = /### Which tests check each promise\n([\s\S]*?)\n##/.exec(read("CONTRIBUTING.md"))!;
  const rows = [...table!.matchAll(/^\| (.+?) \| (\[.*) \|$/gm)].map(([, promise, tests]): [string, string[]] => [
    promise!,
    [...tests!.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!),
  ]);

  test.each(rows)("%s: links tests, not what they use", (_, tests) => {
    expect(tests.filter((path) => !/^test\/[\w/]+$|^test\/.+\.test\.ts$/.test(path))).toEqual([]);
  });
});
