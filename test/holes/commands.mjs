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
  "src/commands/exposure/addresses.ts": [
    [
      "a wildcard serves nothing",
      "isWildcard(wildcard) && name",
      "false && name",
      "test/commands/exposure/addresses.test.ts",
      "a wildcard",
    ],
    [
      "a wildcard serves one label only",
      "name.endsWith(wildcard.slice(1))",
      "name.endsWith(wildcard.slice(1)) && !name.slice(0, -wildcard.length + 1).includes('.')",
      "test/commands/exposure/addresses.test.ts",
      "a wildcard",
    ],
    [
      "an id is trusted that restricted an address beside another restriction",
      "others.length === 0 && ",
      "",
      "test/commands/exposure/addresses.test.ts",
      "trusted",
    ],
    [
      "hidden hostports were nobody else's",
      'side === "before" ? givers.filter(hasHiddenAddress) : []',
      "[]",
      "test/commands/exposure/addresses.test.ts",
      "a new address",
    ],
    [
      "one of two edges that claim an address counts",
      "if (own.length > 0) return own;",
      "if (own.length > 0) return [own[0]];",
      "test/commands/exposure/addresses.test.ts",
      "two edges",
    ],
  ],
  "src/commands/exposure/edges.ts": [
    [
      "a change without details leaves a secret as it was",
      "Object.keys(detailedDiff).map(parsePath) : [[]]",
      "Object.keys(detailedDiff).map(parsePath) : []",
      "test/commands/exposure/edges.test.ts",
      "a secret",
    ],
    [
      "a change within a secret leaves it as it was",
      "path[index] === undefined || path[index] === key",
      "path[index] === key",
      "test/commands/exposure/edges.test.ts",
      "a secret",
    ],
    [
      "a module is overwritten by one with other ids, unnoticed",
      "[stateOf(module), whatOf(name, module)]",
      "[stateOf(module)]",
      "test/commands/exposure/edges.test.ts",
      "a module that nobody declares",
    ],
    [
      "the secret of one edge's module is that of another's",
      "module.edgeAfter === module.edgeBefore ? module.before : undefined",
      "module.before",
      "test/commands/exposure/edges.test.ts",
      "moves here from another edge",
    ],
  ],
  "src/commands/exposure/model.ts": [
    [
      "an empty list of IP policies lets nobody in",
      "isPassable(name) || ids?.length === 0",
      "isPassable(name)",
      "test/commands/exposure/model.test.ts",
      "empty list",
    ],
    [
      "a policy that also does something else restricts",
      'return [{ on: "unknown", what: rules }];',
      "return [{ on: true, what: rules }];",
      "test/commands/exposure/model.test.ts",
    ],
  ],
  "src/commands/exposure/proof.ts": [
    [
      "two secrets are the same",
      "&& (isOneEdge || !hasHidden(a))",
      "",
      "test/commands/exposure/exposure.test.ts",
      "secret",
    ],
    ["what is unknown is the same", "&& !includes(a, isUnknown) ", "", "test/commands/exposure/enumeration.test.ts"],
    [
      "any restriction keeps strangers out",
      "failures.length === 0 && (isRestricted",
      "(failures.length === 0 || isRestricted) && (isRestricted",
      "test/commands/exposure/enumeration.test.ts",
    ],
    [
      "a backend that was hidden was enabled",
      "wasReached !== true && !(before",
      "wasReached === false && !(before",
      "test/commands/exposure/enumeration.test.ts",
    ],
  ],
  "src/definitions/httpsEdgeRouteOidc.ts": [
    [
      "another issuer lets in the same people",
      'issuer: deciding("value", url({ default: "" }))',
      'issuer: url({ default: "" })',
      "test/commands/exposure/exposure.test.ts",
      "issuer",
    ],
    [
      "requests that need no login any more are not said",
      'deciding("begins", boolean({ default: false }))',
      "boolean({ default: false })",
      "test/commands/exposure/exposure.test.ts",
      "OPTIONS",
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
