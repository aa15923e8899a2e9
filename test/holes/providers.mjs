const inlinePrograms = "test/cli/inlinePrograms.full.test.ts";
const protocol = "test/plugin/protocol.test.ts";
const properties = "test/plugin/properties.test.ts";
const errors = "test/dynamic/errors.test.ts";
const options = "test/dynamic/options.test.ts";

export default {
  "src/core/unknown.ts": [
    ["an unknown archive is a string", '  "e48ece36-62e2-4504-bad9-02848725956a",\n', "", properties],
  ],
  "src/plugin/properties.ts": [
    [
      "an envelope is passed on",
      "return isSecretEnvelope(values) ? [values.value ?? null, true] : [values, marks];",
      "return [values, marks];",
      properties,
    ],
    ["null is nothing", "else writer.writeEnum(1, 0 as never);", "", properties],
  ],
  "src/plugin/functions.ts": [
    [
      "a list ends with the first page",
      "        if (--remaining === 0) return;\n      }",
      "        if (--remaining === 0) return;\n      }\n      return;",
      protocol,
      "of all pages",
    ],
    ["a limit is ignored", "if (--remaining === 0) return;", "", protocol, "of all pages"],
  ],
  "src/plugin/savedState.ts": [
    [
      "what an import has read is managed",
      "return isImported(inputs) ? { ...recorded, [importedKey]: true } :",
      "return",
      protocol,
      "left alone, at once",
    ],
    [
      "what an update has left unfinished is forgotten",
      ", ...(isUnfinished && { [managedKey]: managed! })",
      "",
      protocol,
      "failed halfway",
    ],
  ],
  "src/plugin/resource.ts": [
    [
      "a patch of pulumi do knows nothing of what it changes",
      "{ outputs, inputs: args }",
      "{ outputs, inputs: {} }",
      "test/cli/do.full.test.ts",
      "TcpEdgeIpRestriction is created",
    ],
    [
      "what is left unfinished is no change",
      "news.values).length > 0 ||",
      "news.values).length > 99 ||",
      protocol,
      "nothing is left to send",
    ],
    [
      "a refresh forgets that an object was imported",
      "...(isImported(inputs.values) && { [importedKey]: imported! })",
      "",
      protocol,
      "left alone, after a refresh",
    ],
    [
      "the import's own run records nothing",
      "        importOptions.isImport === true ||\n",
      "",
      "test/plugin/differences.test.ts",
    ],
  ],
  "src/plugin/protocol.ts": [
    [
      "a preview creates",
      "const { id, outputs } = request.getPreview()",
      "const { id, outputs } = (request.getPreview() as unknown) === 1",
      protocol,
      "a preview",
    ],
    [
      "a preview updates",
      "const outputs = request.getPreview()",
      "const outputs = (request.getPreview() as unknown) === 1",
      protocol,
      "a preview",
    ],
    [
      "an import is a read",
      "const isImport = !request.hasInputs();",
      "const isImport = false as boolean;",
      protocol,
      "imported object",
    ],
    [
      "a replacement in detail is an update",
      "(isReplaced ? replacingKinds : kinds)[action]",
      "kinds[action]",
      protocol,
      "of a replacement",
    ],
  ],
  "src/plugin/pluginProvider.ts": [
    ["a cancelled deployment goes on waiting", "void this.clock.cancel();", "", protocol, "cancelled"],
    [
      "a plugin outlives its engine",
      "exitWithEngine(this.engine, { cancel: () => this.clock.cancel() });",
      "",
      protocol,
      "ends with its engine",
    ],
    [
      "missing settings are undefined",
      'if (problems.length > 0) throw new ProviderError(problems.map(({ reason }) => reason).join("\\n"));',
      "",
      protocol,
      "missing settings",
    ],
    [
      "what was cancelled once stays cancelled",
      "    this.clock = new Clock();\n    this.isCancelled = false;",
      "",
      protocol,
      "after one that was cancelled",
    ],
    [
      "a second account over one connection replaces the first",
      "else if (this.configuration) assertSameAccount",
      "else if (!this.configuration) assertSameAccount",
      protocol,
      "one account of an engine",
    ],
  ],
  "src/plugin/server.ts": [
    [
      "all connections of an attached process have one configuration",
      "const [own] = engine === undefined ? [serveProvider(undefined)] : served;",
      "const [own = serveProvider(undefined)] = served;",
      "test/cli/plugin.full.test.ts",
      "started by hand",
    ],
  ],
  "src/plugin/config.ts": [
    [
      "pulumi do has no settings of the environment",
      "/^(default(_|$)|$)/",
      "/^default(_|$)/",
      "test/cli/do.full.test.ts",
      "a command is sent",
    ],
    ["headers go to another address", "explicitMark(hasOwnAddress)", "explicitMark(false)", protocol, "headers"],
    [
      "an unknown setting is checked",
      "problems.filter(({ setting }) => !unknown.includes(setting))",
      "problems",
      protocol,
      "unknown settings",
    ],
    [
      "an explicit provider is a default one",
      "!/^(default(_|$)|$)/.test(parseUrn(urn).name)",
      "!/default/.test(urn)",
      protocol,
    ],
  ],
  "src/dynamic/host/hostError.ts": [["an error is shown with its stack", "    this.stack = message;\n", "", errors]],
  "src/core/errors.ts": [
    ["messages have secrets", "message: format(message)", "message", errors],
    ["an unexpected error has secrets", "stack: format(stack)", "stack", errors],
  ],
  "src/dynamic/host/hostProvider.ts": [
    [
      "a partial failure loses its provider",
      "    [hiddenInputs.provider]: source[hiddenInputs.provider]!,\n",
      "",
      "test/faults/consecutiveFaults.test.ts",
    ],
    [
      "notices are in every run",
      "this.deployment.informsOfPlans = news[hiddenInputs.preview] === true;",
      "this.deployment.informsOfPlans = true;",
      "test/core/log.test.ts",
      "only in previews",
    ],
    [
      "old secrets are in messages",
      "[olds, news].map(marked)",
      "[news].map(marked)",
      "test/core/sensitive.test.ts",
      "from an explicit provider",
    ],
    ["a changed timeout of a delete is not recorded", "!equal(before, after) || ", "", options, "timeout of a delete"],
    [
      "an object that no program manages has a state",
      "properties[managedKey] === undefined ? undefined : this.provider.parse(id, properties)",
      "this.provider.parse(id, properties)",
      "test/core/operation.test.ts",
      "does not exist",
    ],
    [
      "replaceOnChanges replaces what is only written differently",
      'if (diff.replaces.length === 0 && news[hiddenInputs.replaceOnChanges] !== undefined) return "changed";',
      "",
      options,
      "does not compare for itself",
    ],
  ],
  "src/dynamic/host/properties.ts": [
    [
      "the timeout of a delete is not in the state",
      ", ...(remove !== undefined && { delete: remove })",
      "",
      options,
      "timeout of a delete",
    ],
    [
      "the timeout of a read is not in the state",
      "...(read !== undefined && { read }), ",
      "",
      options,
      "timeout of a read",
    ],
  ],
  "src/dynamic/host/inputComparisons.ts": [
    [
      "one of two equal resources decides for both",
      " && this.comparable.get(key) !== false",
      "",
      "test/dynamic/inputComparisons.test.ts",
    ],
    [
      "internal inputs may differ",
      "equal(comparedProperties(olds), comparedProperties(news)) && ",
      "",
      "test/dynamic/inputComparisons.test.ts",
    ],
  ],
  "src/core/read/service.ts": [
    [
      "a result is shared for ever",
      "ask().finally(() => this.pending.delete(key))",
      "ask()",
      "test/functions/calls.test.ts",
      "a later call",
    ],
  ],
  "src/dynamic/program/run.ts": [
    [
      "all settings share their reads",
      "const key = JSON.stringify(settings);",
      "const key = settings.baseUrl;",
      "test/functions/calls.test.ts",
      "with two keys",
    ],
    [
      "the end of a run ends the user's process",
      "if (isStartedBy(engine)) exitWithEngine",
      "if (engine) exitWithEngine",
      inlinePrograms,
      "neither ends",
    ],
    [
      "a program outlives its CLI",
      "if (isStartedBy(engine)) exitWithEngine",
      "if (!engine) exitWithEngine",
      "test/cli/killedProgram.full.test.ts",
      "a program",
    ],
    [
      "all runs have the clock of the first",
      "runs.get(engine) ?? new Run(engine)",
      "((outside as { first?: Run }).first ??= new Run(engine))",
      inlinePrograms,
      "neither ends",
    ],
  ],
  "src/dynamic/program/invoke.ts": [
    [
      "a cancelled function that nobody awaits ends the process",
      "throw run.isOver ? allowUnhandled(failed) : failed;",
      "throw failed;",
      inlinePrograms,
      "ends nothing",
    ],
  ],
  "src/dynamic/program/sdk/runEngine.ts": [
    [
      "a component provider outlives its CLI",
      "return process.argv.includes(",
      'return ["none"].includes(',
      "test/cli/killedProgram.full.test.ts",
      "component",
    ],
    [
      "a child process ends with the engine of its parent",
      'return runner.test(require.main?.filename ?? "");',
      "return true;",
      "test/dynamic/sdk.test.ts",
      "inherits",
    ],
  ],
  "src/core/functions/query.ts": [
    [
      "one filter is enough",
      "wanted.every(([name, value])",
      "wanted.some(([name, value])",
      "test/functions/results.test.ts",
    ],
    [
      "what is returned only on creation is in results",
      "if (!createOnly) fields[name] = assigned();",
      "fields[name] = createOnly ? assigned() : assigned();",
      "test/functions/results.test.ts",
    ],
    [
      "a secret result is not secret",
      "secrets: Object.keys(fields).filter((name) => fields[name]!.secret),",
      "secrets: [],",
      "test/functions/results.test.ts",
    ],
    [
      "an unknown filter is ignored",
      "if (Object.hasOwn(filters, name)) continue;",
      "continue;",
      "test/functions/calls.test.ts",
      "is not a filter",
    ],
  ],
  "src/core/secrets.ts": [
    [
      "secrets within a module are in messages",
      "if (module) return isObject(value) ? sensitiveIn(module.fields, value) : [];",
      "if (module) return [];",
      "test/core/sensitive.test.ts",
      "metadata in JSON",
    ],
  ],
  "src/core/check/checks.ts": [
    [
      "a stricter version rejects what the service has accepted",
      "findIssues(fields, args).filter((issue) => !isAccepted(issue))",
      "findIssues(fields, args)",
      "test/checks/checks.test.ts",
    ],
    [
      "a key in the wrong argument is quoted",
      'typeof value === "string" && value.length > 40',
      "false",
      "test/base/quote.test.ts",
    ],
    [
      "an unknown value is checked",
      "if (value === unknownValue) return [];",
      "",
      "test/resources/tcpEdge.test.ts",
      "unknown in a preview",
    ],
  ],
  "src/core/check/importedArgs.ts": [
    [
      "what no program can declare is imported",
      "if (problems.length === 0) declaration.args[name] = value!;",
      "declaration.args[name] = value!;\n    if (problems.length === 0) continue;",
      "test/commands/importer/import.test.ts",
      "cannot declare are left out",
    ],
    [
      "defaults are imported",
      "isDefault(field, value) || ",
      "",
      "test/commands/importer/import.test.ts",
      "except defaults",
    ],
  ],
  "src/commands/importer/yaml.ts": [
    [
      "a string of the service is an expression in YAML",
      '.replace(/\\$(?=[${])/g, "$$$$")',
      "",
      "test/commands/importer/source.test.ts",
    ],
    ["a word is a boolean in YAML", '{ compat: "yaml-1.1" }', "{}", "test/commands/importer/source.test.ts"],
    [
      "what nobody sees stands in YAML without quotes",
      "escapeInLines(value) !== value",
      "false",
      "test/commands/importer/source.test.ts",
    ],
    ["a key is the call of a function in YAML", "/^fn::/i", "/^fn::$/i", "test/commands/importer/source.test.ts"],
    ["a null is imported as YAML", "parts.includes(null)", "false", "test/commands/importer/source.test.ts"],
  ],
  "src/commands/exposure/model.ts": [
    [
      "mutual TLS restricts what passes through",
      "isTls ? not(isUpstream(edge)) : true",
      "true",
      "test/commands/exposure/exposure.test.ts",
    ],
    [
      "a module that is switched off is on",
      'isHidden(module.enabled) ? "unknown" : module.enabled !== false',
      "true",
      "test/commands/exposure/exposure.test.ts",
    ],
    [
      "what is unknown is false",
      'answers.includes(false) ? false : answers.includes("unknown") ? "unknown" : true',
      '!answers.includes(false) && !answers.includes("unknown")',
      "test/commands/exposure/exposure.test.ts",
    ],
  ],
};
