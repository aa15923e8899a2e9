// The tests that run in the process, as one file: they load the code once for each mutant, and not once for each file.
// Those that start another process are not asked, and neither are those that replace a module or set up Pulumi's SDK, for all.
const fs = require("node:fs");
const path = require("node:path");

const root = path.join(__dirname, "../../..");
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

const tests = path.join(root, "test");
const isTest = (file) => /\/[^./]+\.test\.ts$/.test(file);

function isAsked(file) {
  const imports = [...addImports(file)];
  const startsProcess = imports.some((name) => name === "node:child_process" || name.startsWith("@grpc/"));
  const testsCode = imports.some((name) => name.startsWith(path.join(root, "src/")));
  return testsCode && !startsProcess && !/jest\.mock\(|runtime\.set/.test(read(file));
}

/** StrykerJS names the tests that reach a mutant, each in parentheses. The files of others need not be loaded. */
const wanted = globalThis.testNamePattern?.replace(/\\(.)/g, "$1") ?? "";
const isWanted = (name) => wanted === "" || wanted.includes(`(${name} `);

// Those of src/api wait for the time of the clock, and are last.
const asked = fs
  .readdirSync(tests, { recursive: true })
  .sort()
  .reverse()
  .map((name) => ({ name, file: path.join(tests, name) }))
  .filter(({ name, file }) => isTest(file) && isWanted(name) && isAsked(file));

// The hooks of what tests share are hooks of them all.
for (const file of asked.flatMap((each) => [...addImports(each.file)])) {
  if (file.startsWith(tests) && !isTest(file)) require(file);
}
for (const { name, file } of asked) {
  describe(name, () => {
    require(file);
  });
}
