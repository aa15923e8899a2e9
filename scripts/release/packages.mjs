// Makes the packages for the other languages from the plugin's schema, each in a folder of .work/packages:
//   node scripts/release/packages.mjs [python] [go] [java] [dotnet]    makes these, or all
import fs from "node:fs";
import path from "node:path";
import { ensureCli } from "../dev/cli.mjs";
import { Failure, isMain, log, main, root, run, showProgress, work } from "../lib/index.mjs";
import { packageFiles, readSchema } from "./packageFiles.mjs";

const recipes = path.join(root, "scripts/release/packages");

/** Replaces parts of a generated file. A part that is no longer there fails, so that nothing is left unmended. */
function edit(file, ...changes) {
  let text = fs.readFileSync(file, "utf8");
  for (const [part, replacement] of changes) {
    if (text.search(part) < 0) throw new Failure(`${file} has no ${part}, which is to be replaced.`);
    text = text.replace(part, replacement);
  }
  fs.writeFileSync(file, text);
}

/** The first example of TcpEdge in a language. */
function findExample({ resources }, language) {
  const { description } = resources["tunnel-edge:index:TcpEdge"];
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(description)?.[1] ?? "";
}

const formatBlock = (language, code) => `\`\`\`${language}\n${code.trim()}\n\`\`\``;

/** The page that a registry shows. */
const createReadme = (schema, { title, language, install }) =>
  `${[
    `# ${title}`,
    `${schema.description} For Pulumi programs in ${{ python: "Python", go: "Go", java: "Java", csharp: "C#" }[language]}.`,
    ...(install ? [formatBlock("sh", install)] : []),
    formatBlock(language, findExample(schema, language)),
    `The SDK is generated from the schema of the provider ${schema.version}, and downloads that provider by itself. [Documentation](${schema.homepage}).`,
  ].join("\n\n")}\n`;

/** What the source of each language's package needs besides what the generator writes. */
const completions = {
  python(folder, schema) {
    const [title, install] = ["pulumi_tunnel_edge", "pip install pulumi_tunnel_edge"];
    const readme = createReadme(schema, { title, language: "python", install });
    fs.writeFileSync(path.join(folder, "README.md"), readme);
    fs.copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  },

  go(folder, schema) {
    const module = path.posix.dirname(schema.language.go.importBasePath);
    const install = `go get ${module}@v${schema.version}`;
    fs.writeFileSync(path.join(folder, "README.md"), createReadme(schema, { title: module, language: "go", install }));
  },

  java(folder, schema) {
    const sources = path.join(folder, "src/main/java");
    const utilities = fs.readdirSync(sources, { recursive: true }).find((file) => file.endsWith("/Utilities.java"));
    const file = path.join(sources, utilities);
    // The version is a resource that Pulumi's own build would write.
    const [, resource] = /resourceName = "(.*)"/.exec(fs.readFileSync(file, "utf8"));
    const resources = path.join(folder, "src/main/resources");
    fs.mkdirSync(path.dirname(path.join(resources, resource)), { recursive: true });
    fs.writeFileSync(path.join(resources, resource), schema.version);
    const { group, artifact } = packageFiles(schema).coordinates;
    const values = { ...schema, group, artifact };
    const pom = fs.readFileSync(path.join(recipes, "pom.xml"), "utf8");
    fs.writeFileSync(
      path.join(folder, "pom.xml"),
      pom.replace(/\n.*<!-- What stands .*/, "").replace(/@(\w+)@/g, (_, name) => values[name]),
    );
    for (const each of ["build.gradle", "settings.gradle", ".gitattributes"])
      fs.rmSync(path.join(folder, each), { force: true });
  },

  dotnet(folder, schema) {
    const name = packageFiles(schema).dotnetId;
    fs.writeFileSync(
      path.join(folder, "README.md"),
      createReadme(schema, { title: name, language: "csharp", install: `dotnet add package ${name}` }),
    );
    // Instead of a logo in a form that the repository does not have.
    edit(
      path.join(folder, `${name}.csproj`),
      [/<PackageIcon>.*<\/PackageIcon>/, "<PackageReadmeFile>README.md</PackageReadmeFile>"],
      [/<None Include="logo.png">/, '<None Include="README.md">'],
    );
    fs.rmSync(path.join(folder, "logo.png"));
  },
};

export const languages = Object.keys(completions);

/** Writes the source of a language's package. `env` has the generators on its PATH. */
export async function writeSource(language, folder, env, schema = readSchema()) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const file = `${folder}.schema.json`;
  fs.writeFileSync(file, JSON.stringify(schema));
  if (language === "java") {
    const out = `${folder}.out`;
    await run("pulumi", ["package", "gen-sdk", file, "--language", "java", "--out", out], { env });
    fs.rmSync(folder, { recursive: true });
    fs.renameSync(path.join(out, "java"), folder);
    fs.rmSync(out, { recursive: true });
  } else await run("generate-sdk", [file, language, folder], { env });
  fs.rmSync(file);
  completions[language](folder, schema);
}

/** Makes a package of its source. */
const makers = {
  async python(source, output) {
    const environment = path.join(work, "python");
    const python = path.join(environment, "bin/python");
    // Python makes none in a link, which the rehearsal has.
    fs.mkdirSync(environment, { recursive: true });
    if (!fs.existsSync(python)) await run("python3", ["-m", "venv", fs.realpathSync(environment)]);
    const requirements = path.join(recipes, "requirements.txt");
    await run(python, ["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", requirements]);
    await run(python, ["-m", "build", "--no-isolation", "--outdir", output, source]);
  },

  async go(source, output) {
    const env = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=mod" };
    await run("go", ["mod", "tidy"], { cwd: source, env });
    await run("go", ["vet", "./..."], { cwd: source, env });
    fs.cpSync(source, output, { recursive: true });
  },

  async java(source, output) {
    const repository = `-Dmaven.repo.local=${path.join(work, "maven")}`;
    await run("mvn", ["--batch-mode", "--quiet", repository, "package"], { cwd: source });
    for (const file of packageFiles().java) {
      const made = file.endsWith(".pom") ? path.join(source, "pom.xml") : path.join(source, "target", file);
      fs.copyFileSync(made, path.join(output, file));
    }
  },

  async dotnet(source, output) {
    // Its project file makes the package whenever it builds.
    await run("dotnet", ["build", "--configuration", "Release"], { cwd: source });
    for (const file of packageFiles().dotnet)
      fs.copyFileSync(path.join(source, "bin/Release", file), path.join(output, file));
  },
};

export async function makePackages(names) {
  const directories = await ensureCli({ needs: ["sdks", "java"] });
  const env = { ...process.env, PATH: [...directories, process.env.PATH].join(path.delimiter) };
  for (const name of names) {
    const [source, output] = [path.join(work, "sdks", name), path.join(work, "packages", name)];
    await showProgress(`Making the package for ${name}`, async () => {
      await writeSource(name, source, env);
      fs.rmSync(output, { recursive: true, force: true });
      fs.mkdirSync(output, { recursive: true });
      await makers[name](source, output).catch((error) => {
        if (error.code !== "ENOENT" || !error.syscall?.startsWith("spawn")) throw error;
        throw new Failure(`The package for ${name} needs ${error.path}, which is not installed.`);
      });
    });
    log(`${output}: ${fs.readdirSync(output).join(", ")}`);
  }
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    const unknown = args.filter((name) => !languages.includes(name));
    if (unknown.length > 0) throw new Failure(`Use ${languages.join(", ")}, not ${unknown.join(", ")}.`);
    await makePackages(args.length > 0 ? args : languages);
  });
}
