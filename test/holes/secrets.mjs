const states = "test/core/secretsInStates.test.ts";

export default {
  "src/base/redaction.ts": [
    [
      "base64 with line breaks is not hidden",
      "[=:, -]{1,3}",
      "[=:]{1,3}",
      "test/base/redaction.test.ts",
      "line breaks",
    ],
    [
      "the token of Pulumi Cloud is shown",
      "return [apiKey, accessToken, ",
      "return [apiKey, ",
      "test/base/redaction.test.ts",
      "Pulumi Cloud",
    ],
    ["hex is not hidden", '{ name: "hex",', '{ name: "latin1",', "test/base/redaction.test.ts", "in hex is hidden"],
    [
      "a secret that occurs twice is hidden once",
      "lastStart = findFirst(start, encoded.length, (at) => !has(at + 1, encoded.length));",
      "lastStart = start;",
      "test/base/redaction.test.ts",
      "only the lines with a secret",
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
  "src/plugin/markedResource.ts": [
    [
      "the outputs of a failed update are plain",
      "if (error instanceof SavedFailure) error.outputs =",
      "if (error instanceof SavedFailure && !error.outputs.values) error.outputs =",
      states,
      "plugin",
    ],
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
      "the outputs of a failed update of a class are plain",
      "        ...this.outputs(partial, olds, news),\n",
      "        ...partial,\n",
      states,
      "dynamic",
    ],
    [
      "what was secret in the outputs is forgotten",
      "return this.enclose(properties, news, declared, namedSecrets(olds));",
      "return this.enclose(properties, news, declared);",
      states,
      "ignoreChanges",
    ],
  ],
  "src/dynamic/host/secrets.ts": [
    [
      "what is ignored counts as declared plain",
      'const isDeclared = (name: string) => !ignored.includes(name) && !ignored.includes("*");',
      "const isDeclared = (name: string) => ignored.length >= 0 || name;",
      states,
      "ignoreChanges",
    ],
  ],
};
