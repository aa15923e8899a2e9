const [release, workflows] = ["test/setup/release.test.ts", "test/setup/workflows.test.ts"];

export default {
  "scripts/release.mjs": [
    [
      "a pushed tag of the SDK for Go is not compared",
      "if (pushed !== made) throw",
      "if (!pushed) throw",
      release,
      "never moved",
    ],
    [
      "the SDK for Go has no parent, and so no licence",
      '"commit-tree", tree, "-p", "HEAD",',
      '"commit-tree", tree,',
      release,
      "never moved",
    ],
  ],
  "scripts/archives.mjs": [
    ["a release has no packages for Java", "...java, ...dotnet]", "...dotnet]", release, "every archive and package"],
  ],
  ".github/workflows/release.yml": [
    [
      "an SDK can be installed before its plugin",
      "  pypi:\n    needs: github",
      "  pypi:\n    needs: attest",
      workflows,
      "in this order",
    ],
    ["a repeated release fails at PyPI", "skip-existing: true", "skip-existing: false", workflows, "for Python once"],
  ],
};
