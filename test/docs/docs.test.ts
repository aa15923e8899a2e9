/** Promise: "The documentation is tested". */
import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSecretSetting, settingNames } from "../../src/base/settings";
import { agentCommands, definitions } from "../../src/definitions";
import type { Field } from "../../src/definitions/fields/field";
import { createFolder } from "../support/cli/example";
import { compile } from "../support/compile";
import { root } from "../support/root";
import { commandsIn, examples, filesIn, findInPages, hasComment, pages, read } from "./pages";

/** The pages for the Pulumi Registry, which shows them without the others. */
const registryPages = ["docs/_index.md", "docs/installation-configuration.md"];

test("the reference matches the source", () => {
  const check = () =>
    execFileSync(process.execPath, [join(root, "scripts/docs/docs.mjs"), "--check"], { stdio: "pipe" });
  expect(check).not.toThrow();
});

describe("links", () => {
  test("none is broken", () => {
    expect(findInPages((page) => listLinks(read(page)).filter((link) => !targetExists(page, link)))).toEqual([]);
  });

  test("a broken link is found", () => {
    expect(["docs/none.md", "#none", "LICENSE"].map((link) => targetExists("README.md", link))).toEqual([
      false,
      false,
      true,
    ]);
    expect(listAnchors("# A page\n\n```sh\n# none\n```\n\n## `pulumi up`: how\n")).toEqual(["a-page", "pulumi-up-how"]);
  });

  test("those of the registry's pages are whole addresses, and lead to pages that exist", () => {
    const listBroken = (page: string) => {
      const own = [
        ...read(page).matchAll(/\]\(https:\/\/github\.com\/[\w-]+\/pulumi-tunnel-edge\/blob\/main\/([^)]+)\)/g),
      ];
      const missing = own.map(([, path]) => path!).filter((path) => !targetExists("README.md", path));
      return [...missing, ...listLinks(read(page)).filter((link) => !link.startsWith("#"))];
    };
    expect(findInPages(listBroken, registryPages)).toEqual([]);
  });

  // As npm packs it, without building first.
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const files: string[] = JSON.parse(packed)[0].files.map(({ path }: { path: string }) => path);
  const isPacked = (path: string) => files.some((file) => file === path || file.startsWith(`${path}/`));

  test("those of the package's pages lead to its pages and pictures", () => {
    const listOutside = (page: string) => {
      const targets = listLinks(read(page)).map((link) => link.split("#")[0]!);
      const paths = targets.filter((path) => path !== "").map((path) => join(dirname(page), decodeURIComponent(path)));
      return paths.filter((path) => !isPacked(path));
    };
    const packedPages = files.filter((file) => file.endsWith(".md"));
    expect(findInPages(listOutside, packedPages)).toEqual([]);
    expect(["README.md", "docs", "CONTRIBUTING.md", "dev"].map(isPacked)).toEqual([true, true, false, false]);
  });
});

test("docs/README.md links every page of docs and every example", () => {
  const links = listLinks(read("docs/README.md")).map((link) => join("docs", link));
  const listed = pages().filter((page) => /^(docs|examples\/[^/]+)\/[^/]+$/.test(page));
  const others = listed.filter((page) => !["docs/README.md", "docs/_index.md"].includes(page));
  expect(others.length).toBeGreaterThan(15);
  expect(others.filter((page) => !links.includes(page))).toEqual([]);
});

test("the README is read in two minutes, and links the list of all pages", () => {
  const text = read("README.md");
  const links = [...text.matchAll(/\]\(/g)];
  expect(listLinks(text)).toContain("docs/README.md");
  expect({ words: text.split(/\s+/).length <= 520, links: links.length <= 16 }).toEqual({ words: true, links: true });
});

const removeCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");

function listLinks(text: string): string[] {
  const inText = [...removeCode(text).matchAll(/\]\(([^)\s]+)\)/g)];
  const inHtml = [...text.matchAll(/(?:src|href)="([^"]+)"/g)];
  return [...inText, ...inHtml].map(([, link]) => link!).filter((link) => !/^(https?|mailto):/.test(link));
}

function targetExists(page: string, link: string): boolean {
  const [path, anchor] = link.split("#") as [string, string?];
  const file = path === "" ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || (statSync(join(root, file)).isFile() && listAnchors(read(file)).includes(anchor));
}

/** The anchors that GitHub generates for headings. */
function listAnchors(text: string): string[] {
  const headings = [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

describe("commands", () => {
  test("none has a comment, which zsh would pass to the command", () => {
    expect(findInPages((page) => commandsIn(read(page)).filter(hasComment))).toEqual([]);
  });

  test("a comment is found", () => {
    const page =
      "# Title\n\n```sh\nnpm start  # deploys\nsed '/# /d' x#y\n# alone\n```\n\n1. x\n\n   ```sh\n   a #b\n   ```\n";
    expect(commandsIn(page).filter(hasComment)).toEqual(["npm start  # deploys", "# alone", "   a #b"]);
  });
});

test("only docs/setup.md and its link tell users about the time before the first release", () => {
  const { name, version, peerDependencies, peerDependenciesMeta } = JSON.parse(read("package.json"));
  const isReleased = /^## \S+ - \d{4}-/m.test(read("CHANGELOG.md"));
  const texts = pages().filter((page) => /\b(before|until) the first release\b|E404/i.test(read(page)));
  // dev/releasing.md says what the maintainers do once.
  expect(texts.sort()).toEqual(isReleased ? ["dev/releasing.md"] : ["README.md", "dev/releasing.md", "docs/setup.md"]);
  if (isReleased) return;
  const required = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  expect(commandsIn(read("docs/setup.md"))).toContain(`npm install path/to/${name}-${version}.tgz ${required}`);
});

test("every promise is named by a test", () => {
  const promises = [...read("docs/failures.md").matchAll(/^- \*\*(.+?)[.,:]?\*\*/gm)].map(([, promise]) => promise!);
  const named = filesIn("test", ".ts").flatMap((file) => read(file).match(/^[ /]\*\*? .*\bPromises?: .*$/gm) ?? []);
  expect(promises.length).toBeGreaterThan(10);
  expect(promises.filter((promise) => !named.some((line) => line.includes(`"${promise}"`)))).toEqual([]);
});

test("every setting named in a page exists", () => {
  const source = filesIn("src", ".ts").map(read).join("\n");
  const listUnknown = (page: string) =>
    (read(page).match(/TUNNEL_EDGE_[A-Z_]+\b/g) ?? []).filter((name) => !source.includes(`"${name}"`));
  expect(findInPages(listUnknown)).toEqual([]);
});

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

test("a file that a page names is found", () => {
  expect(listNamedFiles("`src/core/none.ts` and `test/x/`, not `src` or `test/<name>`")).toEqual([
    "src/core/none.ts",
    "test/x/",
  ]);
});

/** The names of secret fields; of those in which only a part is secret, that part's name. */
const secretNames = (fields: Record<string, Partial<Field>>): string[] =>
  Object.entries(fields).flatMap(([name, { secret, sensitive, module }]) =>
    module
      ? secretNames(module.fields)
      : typeof sensitive === "function"
        ? ["config"]
        : secret || sensitive
          ? [name]
          : [],
  );

test("docs/secrets.md has every secret field and setting", () => {
  const fields = [...definitions, ...agentCommands].flatMap((each) =>
    secretNames({ ...each.fields, ...each.computed }),
  );
  const names = [...new Set([...fields, ...settingNames.filter(isSecretSetting)])];
  expect(names).toEqual(expect.arrayContaining(["token", "clientSecret", "add", "metadata", "config", "apiKey"]));
  const page = read("docs/secrets.md");
  expect(names.filter((name) => !new RegExp(`\`(\\w+[.:])*${name}\``).test(page))).toEqual([]);
});

/** The texts of a page's boxes, each on one line. */
const boxesIn = (page: string): string[] =>
  [...read(page).matchAll(/^> \[!WARNING\]\n((?:> .*\n)+)/gm)].map(([, text]) => text!.replace(/^> |\n/gm, " "));

test.each([
  ["destroy deletes what was imported", /`pulumi destroy` deletes\b.*\bimport/],
  ["an edge is open while a module moves", /\bargument\b.*\bresource\b.*\bopen\b/],
  ["a rotated key is not used by a refresh", /\brotate\b.*\buse the old key\b.*\b401\b/],
  ["a replacement deletes the old key", /\bdeletes the old key\b/],
  ["retainOnDelete must be in the state first", /`retainOnDelete`.*\bbefore\b/],
  ["an object that --exclude leaves out may be deleted", /`pulumi up --exclude`.* deletes it/],
  ["a lost create may exist twice", /\bimport or delete that object\b/],
  ["Pulumi's logs contain secrets", /`pulumi up --debug`/],
  ["restore the state first", /\bbefore you have restored the state\b/],
])("a box warns: %s", (_, pattern) => {
  expect(pages().flatMap(boxesIn)).toContainEqual(expect.stringMatching(pattern));
});

test("no page has a warning or note outside of a box", () => {
  const listOutside = (page: string) =>
    read(page).match(/^(?:\*\*)?(?:Warning|Note|Caution|Important)\b(?:\*\*)?:.*$/gim) ?? [];
  expect(findInPages(listOutside)).toEqual([]);
});

/** What an example may use without declaring it. */
const given = `
declare const config: import("@pulumi/pulumi").Config;
declare const ssh: import("pulumi-tunnel-edge").TcpEdge;
declare const api: import("pulumi-tunnel-edge").TlsEdge;
declare const staging: import("pulumi-tunnel-edge").Provider;
`;
const imports: Record<string, string> = {
  tunnel: "pulumi-tunnel-edge",
  pulumi: "@pulumi/pulumi",
  fs: "node:fs",
};

test("every example compiles", () => {
  const found = examples();
  expect(found.length).toBeGreaterThan(20);
  const folder = createFolder("examples");
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  // As in projects created by `pulumi new typescript`. An example may import the user's own files.
  const strict = {
    strict: true,
    target: "ES2022",
    module: "node16",
    types: ["node"],
    skipLibCheck: true,
    noEmit: true,
  };
  const compilerOptions = { ...strict, noUncheckedSideEffectImports: false };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*"] }));
  write("given.d.ts", given);
  for (const [index, { code }] of found.entries()) {
    const missing = Object.entries(imports).filter(([name]) => !code.includes(`import * as ${name} `));
    // On the first line, so that the compiler's line numbers are the example's.
    const head = missing.map(([name, from]) => `import * as ${name} from "${from}";`).join(" ");
    write(`${index}.mts`, `${head} ${code}`);
  }
  // One that does not compile shows that the others were compiled, and how a mistake in the arguments reads.
  write("broken.mts", 'import * as tunnel from "pulumi-tunnel-edge"; new tunnel.TcpEdge("ssh", { hostport: [] });');
  const mistake = "'hostport' does not exist in type 'TcpEdgeArgs'. Did you mean to write 'hostports'?";
  const errors = compile(folder).map((error) =>
    error.replace(
      /^.*?(\d+)\.mts\((\d+),/,
      (_, index, line) => `${found[index]!.place}, line ${line} of the example (`,
    ),
  );
  expect(errors).toEqual([expect.stringMatching(`broken\\.mts\\(1,.*${mistake}`)]);
});
