/** Promise: "The documentation is tested". */
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
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

test("what holds only before the first release is on one page, which the README links, and goes with it", () => {
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
  const sources = new Map([[join(root, "given.d.ts"), given]]);
  const places = new Map<string, string>();
  for (const [index, { place, code }] of found.entries()) {
    const missing = Object.entries(imports).filter(([name]) => !code.includes(`import * as ${name} `));
    // On the first line, so that the compiler's line numbers are the example's.
    const head = missing.map(([name, from]) => `import * as ${name} from "${from}";`).join(" ");
    const file = join(root, `example-${index}.mts`);
    sources.set(file, `${head} ${code}`);
    places.set(file, place);
  }
  // One that does not compile shows that the others were compiled, and how a mistake in the arguments reads.
  const broken = join(root, "broken.mts");
  sources.set(broken, 'import * as tunnel from "pulumi-tunnel-edge"; new tunnel.TcpEdge("ssh", { hostport: [] });');
  const mistake = "'hostport' does not exist in type 'TcpEdgeArgs'. Did you mean to write 'hostports'?";
  expect(compile(sources, places)).toEqual([expect.stringMatching(`^${broken}, line 1 .*${mistake}`)]);
});

function compile(sources: Map<string, string>, places: Map<string, string>): string[] {
  // As in projects created by `pulumi new typescript`.
  const options: ts.CompilerOptions = {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const onDisk = { read: host.readFile, exists: host.fileExists };
  host.fileExists = (file) => sources.has(file) || onDisk.exists(file);
  host.readFile = (file) => sources.get(file) ?? onDisk.read(file);
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, "\n");
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${(file && places.get(file.fileName)) ?? file?.fileName}, line ${line} of the example: ${message}`;
  });
}
