const [release, workflows] = ["test/setup/release.test.ts", "test/setup/workflows.test.ts"];

export default {
  "scripts/release/release.mjs": [
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
    [
      "GitHub rejects the SDK for Go once a workflow has changed on main",
      '  await writeAll("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", ".github/workflows");\n',
      "",
      release,
      "never moved",
    ],
    [
      "a release that cannot be read is drafted twice",
      "      throw error;\n    },\n  );\n\n/** A run that is repeated",
      "      return undefined;\n    },\n  );\n\n/** A run that is repeated",
      release,
      "is drafted if",
    ],
  ],
  "scripts/release/archives.mjs": [
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
