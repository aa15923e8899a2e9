// The tests that mutants are shown to: those that run in the process. Those that start another process are not asked, and
// neither are those that replace a module or set up Pulumi's SDK, for all.
const fs = require("node:fs");
const path = require("node:path");

const read = (file) => fs.readFileSync(file, "utf8");
const isFile = (file) => fs.existsSync(file) && fs.statSync(file).isFile();

/** Adds what a file imports, and what that imports: the names of packages, and the files of the clone. */
function addImports(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of read(file).matchAll(/^(?:import|export)\b(?! type)[^;]*?\bfrom "([^"]+)"/gm)) {
    const place = path.resolve(path.dirname(file), name);
    const imported = name.startsWith(".") && [`${place}.ts`, `${place}/index.ts`].find(isFile);
    if (imported) addImports(imported, found);
    else found.add(name);
  }
  return found;
}

const isTest = (file) => /\/[^./]+\.test\.ts$/.test(file);

function isAsked({ file, imports }, root) {
  const startsProcess = imports.some((name) => name === "node:child_process" || name.startsWith("@grpc/"));
  const testsCode = imports.some((name) => name.startsWith(path.join(root, "src/")));
  return testsCode && !startsProcess && !/jest\.mock\(|runtime\.set/.test(read(file));
}

/**
 * Those of a clone, each with the files that tests share and it uses. Those of src/api wait for the time of the clock, and
 * are last.
 */
exports.findAskedTests = (root) => {
  const tests = path.join(root, "test");
  return fs
    .readdirSync(tests, { recursive: true })
    .sort()
    .reverse()
    .map((name) => ({ name, file: path.join(tests, name) }))
    .filter(({ file }) => isTest(file))
    .map((test) => ({ ...test, imports: [...addImports(test.file)] }))
    .filter((test) => isAsked(test, root))
    .map(({ name, file, imports }) => ({
      name,
      file,
      shared: imports.filter((each) => each.startsWith(tests) && !isTest(each)),
    }));
};
