const report = "test/commands/report/report.test.ts";

export default {
  "src/commands/report/limit.ts": [
    [
      "a comment is measured before its text is escaped",
      "measure(writeFirst(count)) <= most",
      "items.slice(0, count).join().length <= most",
      report,
      "it is shortened",
    ],
    [
      "a summary is measured in characters",
      "measure: Buffer.byteLength",
      "measure: comment.measure",
      report,
      "in bytes",
    ],
  ],
  "src/commands/report/index.ts": [
    [
      "how the preview of an empty state was made is not known",
      "isRefreshed ? { ...preview, isRefreshed } : preview",
      "preview",
      report,
      "how a preview was made",
    ],
    [
      "a preview without refresh steps is said to be without a refresh",
      'hasRefreshed ? "Compared with the state" : "What changes"',
      '"Compared with the state"',
      report,
      "how a preview was made",
    ],
  ],
  "src/commands/exposure/model.ts": [
    [
      "a secret list of policies that changes is the same",
      "hasHidden(a) ? equal(a ?? null, b ?? null) :",
      "hasHidden(a) ? true :",
      "test/commands/exposure/exposure.test.ts",
      "secret list",
    ],
  ],
  "src/commands/inventory/repair.ts": [
    [
      "what another stack may have is to be deleted",
      "isFound && hasUnique(create) ?",
      "isFound ?",
      "test/commands/inventory/repair.test.ts",
      "an API key",
    ],
  ],
  "src/commands/inventory/html.ts": [
    [
      "what others wrote is HTML",
      "const show = (text: string) => escapeHtml(clean(text));",
      "const show = clean;",
      "test/commands/inventory/inventory.test.ts",
      "hostile names",
    ],
    [
      "secrets are in the page",
      "escapeHtml(clean(text))",
      "escapeHtml(text)",
      "test/commands/inventory/inventory.test.ts",
      "the API key is not shown",
    ],
  ],
  "src/commands/inventory/main.ts": [
    [
      "what could not be read is accepted unseen",
      'inventory.left.filter(({ kind }) => kind !== "gap")',
      "inventory.left",
      "test/commands/inventory/inventory.test.ts",
      "may not list",
    ],
  ],
  "src/commands/importer/yaml.ts": [
    [
      "a character beyond 16 bits is two escapes in YAML",
      "high === undefined\n",
      "high !== all\n",
      "test/commands/importer/import.test.ts",
      "beyond 16 bits",
    ],
  ],
  "src/engine/registerFiles.ts": [
    [
      "what a process that crashed has declared is forgotten",
      "if (code === 0) this.close();",
      "this.close();",
      "test/core/registerFiles.test.ts",
      "crashed",
    ],
    [
      "a process that cannot publish counts as running",
      "clearInterval(this.own?.touching);",
      "",
      "test/core/registerFiles.test.ts",
      "cannot publish",
    ],
  ],
};
