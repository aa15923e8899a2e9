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
  const isMutable = (name) =>
    name.startsWith(path.join(root, "src/")) && !name.startsWith(path.join(root, "src/emulator/"));
  const testsCode = imports.some(isMutable);
  return testsCode && !startsProcess && !/jest\.mock\(|runtime\.set/.test(read(file));
}

/** Almost all tests reach src/api, but its own notice its mutants. Else the fewer files a test loads, the faster it is. */
const rank = ({ name, imports }) => (name.startsWith("api/") ? 0 : imports.length);

/** Those of a clone, each with the files that tests share and it uses; the fastest first. */
exports.findAskedTests = (root) => {
  const tests = path.join(root, "test");
  return fs
    .readdirSync(tests, { recursive: true })
    .sort()
    .map((name) => ({ name, file: path.join(tests, name) }))
    .filter(({ file }) => isTest(file))
    .map((test) => ({ ...test, imports: [...addImports(test.file)] }))
    .filter((test) => isAsked(test, root))
    .sort((a, b) => rank(a) - rank(b))
    .map(({ name, file, imports }) => ({
      name,
      file,
      shared: imports.filter((each) => each.startsWith(tests) && !isTest(each)),
    }));
};
