const conflicts = "test/core/execute/conflicts.test.ts";
const lost = "test/core/execute/lostCreate.test.ts";
const agent = "test/core/execute/agent.test.ts";
const retries = "test/faults/retries.test.ts";
const edges = "test/resources/tcpEdge.test.ts";
const removal = "test/core/execute/removal.test.ts";
const options = "test/dynamic/options.test.ts";

export default {
  "src/core/execute/execute.ts": [
    [
      "an edge that cannot be deleted loses its protections while it has hostports that are not shown",
      "if (unique) {",
      "if (unique && values[unique.argument] !== undefined) {",
      removal,
      "the service does not show",
    ],
    [
      "a clearing that ends halfway does not ask for a refresh",
      "if (!isClearedInPart || isUnsupported(error) || uncertainCall(error)) throw error;",
      "if (isClearedInPart || error) throw error;",
      removal,
      "is cleared in part",
    ],
    [
      "the service's own 404 for a missing DELETE counts as deleted",
      "if (!canClear && isDeleted(error)) return;",
      "if (isDeleted(error)) return;",
      "test/core/execute/removal.test.ts",
      "is cleared: 404",
    ],
    [
      "a DELETE without a response is looked up once",
      "(lost ? inGrace.deployment.pollUntil(isRemoved, look, lost, inGrace.deadline) : look())",
      "look()",
      "test/core/execute/removal.test.ts",
      "over as soon as",
    ],
    [
      "a failed removal counts as done",
      "if (module === undefined) return;",
      "return;",
      removal,
      "cannot remove stays in the state",
    ],
    [
      "an edge that cannot be deleted keeps its hostports",
      "await clear(routes.update, writeFields(fields, released));",
      "",
      "test/core/execute/removal.test.ts",
      "is cleared: 404",
    ],
  ],
  "src/core/deployment/deployment.ts": [
    [
      "a lost create is looked for once",
      'body === "error" ? lagMs : longestDelayMs',
      "0",
      lost,
      "if the service itself has responded",
    ],
  ],
  "src/core/execute/lostCreate.ts": [
    [
      "an object from before the create is imported",
      "!(Date.parse(String(object.createdAt)) < since - clockToleranceMs) && ",
      "",
      lost,
      "62 s ago",
    ],
    [
      "the first of several lost creates takes what is there",
      "creates.countLost(create)",
      "1",
      lost,
      "if only the other is found",
    ],
    [
      "the first of two candidates is imported",
      "if (isIdentified(create) && others.length === 0) {",
      "if (isIdentified(create)) {",
      lost,
      "if the list shows two",
    ],
    [
      "the object of a create under way is named",
      "await creates.settle(create);",
      "",
      "test/core/deployment/pendingCreates.test.ts",
      "whose response comes later",
    ],
    [
      "an import of what was lost is silent",
      "await operation.warn(\n      `${failure",
      "operation.debug(\n      `${failure",
      lost,
      "a warning names it",
    ],
  ],
  "src/core/deployment/pendingCreates.ts": [
    [
      "a retry of a lost create can create a second object",
      "error instanceof PartialFailure || this.lost.some((each) => each.key === key)",
      "error instanceof PartialFailure",
      retries,
      "nothing identifies its object",
    ],
    [
      "a retry forgets what a create that failed halfway has left",
      "error instanceof PartialFailure || this.lost",
      "this.lost",
      retries,
      "a module",
    ],
  ],
  "src/core/execute/conflicts.ts": [
    [
      "a list that could not be read has no holder",
      "if (!failure) return undefined;",
      "return undefined;",
      conflicts,
      "lists cannot be read",
    ],
  ],
  "src/core/execute/importObject.ts": [
    [
      "an import that differs is recorded",
      "if (!object || problems.length > 0) throw",
      "if (!object) throw",
      edges,
      "only if it still matches",
    ],
  ],
  "src/core/resourceProvider.ts": [
    [
      "an object that does not exist is read",
      "if (!object && !state) throw",
      "if (false as boolean) throw",
      "test/core/operation.test.ts",
      "does not exist",
    ],
    [
      "another order is a change",
      "old ? preserveEquivalent(definition.fields, old, args) : args",
      "args",
      edges,
      "order of hostports",
    ],
  ],
  "src/core/timeouts.ts": [
    [
      "a timeout of 0 ends at once",
      "if (duration <= 0) return undefined;",
      "if (duration < 0) return undefined;",
      options,
      "0 means",
    ],
    [
      "a read has no timeout",
      '  const option = operation === "import"',
      '  if (operation === "read") return undefined;\n  const option = operation === "import"',
      options,
      "timeout of a read",
    ],
  ],
  "src/core/commandProvider.ts": [
    [
      "what failed is forgotten in a retry",
      "failed.get(options.key) ?? saved",
      "saved",
      agent,
      "is not forgotten if that fails",
    ],
    [
      "a session that has ended means that any commands worked",
      'state.failure === "lost" && this.changedArguments(state, args).length === 0',
      'state.failure === "lost"',
      agent,
      "says nothing of other triggers",
    ],
    [
      "commands are sent to an agent that cannot run them",
      "await agent.assertCanRun(commands);",
      "",
      agent,
      "is sent nothing",
    ],
    [
      "a sequence that failed does not start over",
      "this.changedArguments(state, args).length > 0 || state.failure !== undefined",
      "this.changedArguments(state, args).length > 0",
      agent,
      "starts over after a refresh",
    ],
    [
      "a changed trigger sends nothing",
      '["commands", "triggers"]',
      '["commands"]',
      "test/resources/tunnelSessionCommand.test.ts",
      "changed triggers or commands",
    ],
  ],
  "src/core/execute/agent.ts": [
    ["nothing waits for an update", "await clock.sleep(updateGraceMs);", "", agent, "ends when the agent is ready"],
    [
      "an update that was lost twice counts as sent",
      "if (isRepeated) throw error;",
      "if (isRepeated) return;",
      agent,
      "lost, too",
    ],
    [
      "a second update that the agent rejects is an error",
      "(isRepeated && rejection?.isUpdated)",
      "false",
      agent,
      "is no error",
    ],
    [
      "a lost restart is forgotten when the deployment is cancelled",
      "isOver, lost, deadline).catch(() => false)",
      "isOver, lost, deadline)",
      agent,
      "is cancelled before",
    ],
  ],
  "src/dynamic/hiddenInputs.ts": [
    ["a name identifies a resource", 'typeof parents === "string" ?', 'typeof parents === "number" ?', 1000],
  ],
};
