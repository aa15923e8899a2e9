const states = "test/core/secrets.test.ts";

export default {
  "src/base/redaction.ts": [
    [
      "the token of Pulumi Cloud is shown",
      "[apiKey, accessToken, ",
      "[apiKey, ",
      "test/base/redaction.test.ts",
      "Pulumi Cloud",
    ],
    ["hex is not hidden", "htmlForms, hexForms]", "htmlForms]", "test/base/redaction.test.ts", "in hex is hidden"],
    [
      "of base64, letters with bits of a secret stay",
      ".map((range) => withSharedLetters(text, range))",
      "",
      "test/base/redaction.test.ts",
      "only letters that have no bit",
    ],
  ],
  "src/commands/account.ts": [
    [
      "a proxy's address that is wrong is that of the service",
      "if (!reason.startsWith(configKey(setting))) return reason;",
      'if (reason.startsWith("TUNNEL_EDGE_")) return reason;',
      "test/commands/importer/import.test.ts",
      "HTTPS_PROXY",
    ],
  ],
  "src/core/adapters.ts": [
    [
      "the outputs of a failed update are plain",
      "encloseSecrets(toOutputs(error.properties))",
      "encloseSecrets({ values: error.properties })",
      states,
    ],
  ],
  "src/plugin/resource.ts": [
    [
      "the old inputs' secrets are forgotten",
      "uniteMarks(outputs.marks, inputs.marks);",
      "outputs.marks;",
      states,
      "only the old inputs",
    ],
  ],
  "src/dynamic/host/hostProvider.ts": [
    [
      "what was secret in the outputs is forgotten",
      "this.outputs(properties, news, declared, olds);",
      "this.outputs(properties, news, declared, {});",
      states,
      "ignoreChanges",
    ],
  ],
  "src/dynamic/host/properties.ts": [
    [
      "what is ignored counts as declared plain",
      'const isDeclared = (name: string) => !ignored.includes(name) && !ignored.includes("*");',
      "const isDeclared = (name: string) => ignored.length >= 0 || name;",
      states,
      "ignoreChanges",
    ],
  ],
};
