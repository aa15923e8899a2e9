const states = "test/core/secretStates.test.ts";

export default {
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
      "unite(outputs.marks, inputs.marks);",
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
