/** The files that pages name. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../support/root";
import { findInPages, read } from "./pages";

/** The files of the repository that a page names as code. */
const listNamedFiles = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|scripts|tools|bench|docs|schemas)\/[\w./-]*)`/g)].map(([, file]) => file!);

test("pages name only files that exist", () => {
  const listMissing = (page: string) => {
    // Those of an example are in its own folder.
    const folders = page.startsWith("examples/") ? [root, join(root, dirname(page))] : [root];
    return listNamedFiles(read(page)).filter((file) => !folders.some((folder) => existsSync(join(folder, file))));
  };
  expect(findInPages(listMissing)).toEqual([]);
});

test("named files are found", () => {
  expect(listNamedFiles("`src/core/none.ts` and `test/x/`, not `src` or `test/<name>`")).toEqual([
    "src/core/none.ts",
    "test/x/",
  ]);
});
