const protections = "test/core/protections.test.ts";
const together = "test/faults/together.test.ts";
const writes = "test/core/writes.test.ts";
const registerFiles = "test/core/registerFiles.test.ts";
const owners = "test/core/owners.test.ts";
const conflicts = "test/core/conflicts.test.ts";
const lost = "test/faults/lostResponses.test.ts";
const edges = "test/resources/tcpEdge.test.ts";
const keys = "test/resources/apiKey.test.ts";
const options = "test/dynamic/options.test.ts";

export default {
  "src/core/execute/protections.ts": [
    [
      "one of two protections in a response proves both",
      "protectionsAmong(definition, sent).every(",
      "protectionsAmong(definition, sent).some(",
      protections,
      "is no proof of both",
    ],
    [
      "a module without a response counts as applied",
      "!definition.protects || response !== undefined",
      "true",
      protections,
      "without a body",
    ],
    [
      "a GET that finds nothing counts as a confirmation",
      "return showsAll ? outputs : remote.outputs((await remote.fetch(deadline)) ?? {}, desired, outputs);",
      "const found = showsAll ? undefined : await remote.fetch(deadline);\n" +
        "  return found ? remote.outputs(found, desired, outputs) : outputs;",
      protections,
      "without a body",
    ],
    [
      "a list of rules that the service ignores counts as applied",
      "responseName === undefined ? applied.length > 0 : ",
      "responseName === undefined ? true : ",
      protections,
      "without its rules",
    ],
    [
      "what is declared with enabled: false counts as not applied",
      "(desired.enabled ?? true) === true && actual.enabled === false",
      "actual.enabled === false",
      protections,
      "enabled: false",
    ],
    ["nothing has to be applied", "if (unapplied.length === 0) return;", "return;", 300],
  ],
  "src/core/execute/execute.ts": [
    [
      "a clearing that ends halfway does not ask for a refresh",
      "if (!isClearedInPart || isUnsupported(error) || uncertainCall(error)) throw error;",
      "if (isClearedInPart || error) throw error;",
      "test/resources/tcpEdge.test.ts",
      "cleared only in part",
    ],
    [
      "what a create could not confirm is not sent again",
      "const unconfirmed = error instanceof CallError ? sets : [];",
      "const unconfirmed: string[] = [];",
      protections,
      "after a create",
    ],
    [
      "the service's own 404 for a missing DELETE counts as deleted",
      "if (!canClear && isDeleted(error)) return;",
      "if (isDeleted(error)) return;",
      together,
      "its own 404",
    ],
    [
      "a failed confirmation counts as an update that was not executed",
      "throw new CallError(error.message, { evidence: proofOfNothing });",
      "throw error;",
      protections,
      "after an update",
    ],
    [
      "a module that its edge has set for a rejected PUT is forgotten",
      "const isSet = deployment.register.historyOf(remote.path()).isSetForOwner && !(error instanceof PartialFailure);",
      "const isSet = false;",
      writes,
      "PUT is rejected",
    ],

    [
      "a DELETE without a response is looked up once",
      "(lost ? pollUntil(isRemoved, look, lost, deployment, end) : look())",
      "look()",
      together,
      "executed only after the edge was read once",
    ],
    ["a failed removal counts as done", "if (module === undefined) return;", "return;", edges],
    ["the deletion of an edge fails with its module", "if (!isDeleted(error)) throw error;", "throw error;", owners],
    [
      "an edge that cannot be deleted keeps its hostports",
      "if (unique && values[unique.argument] !== undefined) {",
      "if (false) {",
      together,
      "its own 404",
    ],
  ],
  "src/core/execute/update.ts": [
    [
      "what was read before a late execution counts as its outcome",
      "!found || !this.showsDesired(each)",
      "!found",
      together,
      "executed only after",
    ],
    [
      "what a response shows of a newly declared argument is ignored",
      "await this.executeAll(this.callsForNewlyManaged(), deadline);",
      "",
      together,
      "newly declared",
    ],
    [
      "what is still to be removed after a failure is forgotten",
      "const managed = [...before, ...",
      "const managed = [...",
      lost,
      "a lost PATCH",
    ],
    [
      "what opens an edge is sent after a protection that was not applied",
      "assertApplied(this.remote, this.remote.describe(call.route), call.sets, this.desired, this.values);",
      "",
      protections,
      "before it sends what opens",
    ],
    ["what an update did before it failed is forgotten", "this.hasCompletedCalls = true;", "", edges],
  ],
  "src/core/execute/recovery.ts": [
    [
      "an object from before the create is imported",
      "!(Date.parse(String(item.created_at)) < since) && ",
      "",
      lost,
      "existed before",
    ],
    ["another resource's object is imported", "!isKnown(item) && ", "", lost, "another resource of the program"],
    [
      "the first of several lost creates takes what is there",
      "items.length >= deployment.creates.countLost(definition, desired)",
      "items.length > 0",
      lost,
      "if fewer objects",
    ],
    [
      "the first of two candidates is imported",
      "if (others.length === 0 && unique && ",
      "if (unique && ",
      lost,
      "two credentials",
    ],
    ["the object of a create under way is named", "await creates.settle(definition, desired);", "", 1000],
    [
      "a lost create is looked for once",
      'body === "error" ? lagMs : deployment.pendingCallMs',
      "0",
      lost,
      "only after some seconds",
    ],

    ["an import of what was lost is silent", "await deployment.warn(", "deployment.debug(", lost, "a warning names it"],
  ],
  "src/core/execute/conflicts.ts": [
    [
      "a create that may have been executed is repeated",
      "if (!isConflict || mayHaveCreated) throw error;",
      "if (!isConflict) throw error;",
      conflicts,
      "may have been executed",
    ],
    ["an edge conflicts with itself", "items.filter(({ id }) => id !== this.sender.id)", "items", conflicts],
    [
      "another resource's edge is offered for an import",
      "if (isIdentical && !this.sender.id && !this.deployment.register.isKnown(id, place)) {",
      "if (isIdentical && !this.sender.id) {",
      conflicts,
      "not offered",
    ],
    [
      "an edge is offered for an import to one that exists",
      "if (isIdentical && !this.sender.id && ",
      "if (isIdentical && ",
      conflicts,
      "not offered",
    ],
    [
      "a list that could not be read has no holder",
      "if (failure) throw failure.error;",
      "",
      conflicts,
      "list cannot be read",
    ],
    [
      "nothing is released",
      "this.sender.release && !this.hasReleased",
      "this.sender.release && this.hasReleased",
      1000,
    ],
    [
      "nobody waits for a release",
      "const timeout = this.willRelease ? releaseTimeoutMs : discoveryTimeoutMs;",
      "const timeout = 0;",
      conflicts,
    ],
    [
      "of several holders the first is waited for until the end",
      "if (await this.waitForHolder(this.holder, pause)) this.holder = undefined;",
      "await this.waitForHolder(this.holder, pause);",
      conflicts,
      "the second is awaited",
    ],
  ],
  "src/core/execute/importObject.ts": [
    ["an import that differs is recorded", "if (!object || problems.length > 0) throw", "if (!object) throw", edges],
    [
      "an existing resource takes another import id",
      "if (importId === undefined || importId === id) return;",
      "return;",
      edges,
    ],
    [
      "a replacement imports the old object again",
      "if (importId === undefined || argument === undefined) return;",
      "return;",
      keys,
    ],
  ],
  "src/core/resourceProvider.ts": [
    ["a rejected PUT of an overwritten module is forgotten", " || before !== state;", ";", 1000],
    [
      "a failed update does not count as failed",
      "      this.deployment.register.markFailed(options.key);\n      // What the service has",
      "      // What the service has",
      writes,
      "not removed",
    ],
    [
      "an object that does not exist is read",
      "if (!object && !state) throw",
      "if (false as boolean) throw",
      "test/dynamic/get.test.ts",
    ],
    ["another order is a change", "old ? preserveEquivalent(definition.fields, old, args) : args", "args", edges],
    [
      "a service that returns something else is not reported",
      "if (names.length === 0) return;",
      "return;",
      protections,
      "another field",
    ],
    [
      "the outcome of a timed out update is not looked up",
      "update.stateAfterFailure(isUncertain, graceDeadline(deadline?.at, this.deployment.clock))",
      "update.stateAfterFailure(isUncertain, deadline?.at)",
      options,
      "executed and timed out",
    ],
    [
      "what the program declares is not known to other creates",
      "    deployment.register.know(state.id);\n",
      "",
      lost,
      "that it replaces",
    ],
  ],
  "src/core/timeouts.ts": [
    [
      "a timeout of 0 ends at once",
      "if (duration <= 0n) return undefined;",
      "if (duration < 0n) return undefined;",
      options,
      "0 means",
    ],
    [
      "there is no time to look for the outcome",
      "deadline && Math.max(deadline, clock.now() + 5_000)",
      "deadline",
      options,
      "executed and timed out",
    ],
  ],
  "src/core/errorContext.ts": [
    [
      "what an operation did before it failed is not recorded",
      "if (error instanceof PartialFailure) throw new PartialFailure(message, error.id, error.properties);",
      "",
      protections,
      "after a create",
    ],
  ],
  "src/core/commandProvider.ts": [
    [
      "a command that may have ended the session is swallowed",
      "    endsSession(state.lost) && this.changedArguments(state, args).length === 0;",
      "    endsSession(state.lost);",
      1000,
    ],
    [
      "a lost command is forgotten",
      "if (uncertainCall(error)) record({ sent: progress.sent, lost: command });",
      "",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "commands are sent to an agent that cannot run them",
      "await agent.assertCanRun(commands);",
      "",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "a lost command is not sent as one",
      "progress.lost === command",
      "false",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "what failed halfway continues in another session",
      "isSame && (isComplete || values.sessionId === args.sessionId)",
      "isSame",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "a changed trigger sends nothing",
      '["commands", "triggers"]',
      '["commands"]',
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "every command is sent again",
      "commands.slice(progress.sent.length)",
      "commands",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
  ],
  "src/core/commands/agent.ts": [
    [
      "a restart does not wait for an update",
      "if (endsSession(command)) await this.waitForUpdate(command);",
      "",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "a session that has ended fails a repeated restart",
      "if (again) return;",
      "",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
    [
      "an update that was lost twice counts as sent",
      "if (again || !uncertainCall(error)) throw error;",
      "if (again) return;\n    if (!uncertainCall(error)) throw error;",
      "test/resources/tunnelSessionCommand.test.ts",
    ],
  ],
  "src/core/execute/removal.ts": [
    [
      "a failed owner is ignored",
      "if (owner && !hasFailed(owner)) return",
      "if (owner) return",
      writes,
      "whose new owner failed",
    ],
    [
      "an object that the program keeps is deleted",
      "const owner = register.keeperOf(remote.path());",
      'const owner = definition.kind === "module" ? register.keeperOf(remote.path()) : undefined;',
      owners,
      "is not deleted",
    ],
    [
      "a module is removed although its edge was not updated",
      "? register.unfinishedAt(remote.parentPath, remote.path()) : undefined;",
      "? undefined : register.unfinishedAt(remote.parentPath, remote.path());",
      writes,
      "if its edge's update",
    ],
    [
      "what another resource declares is not restored",
      "if (owner.value && !owner.isCreated) await",
      "if (owner.value && owner.isCreated) await",
      owners,
      "restored as the edge declares",
    ],
  ],
  "src/core/deployment/register.ts": [
    [
      "a resource that was checked again still has the update that its diff announced",
      'this.save({ key, resource, phase: "checked", places, givesUp: before?.givesUp });',
      'this.save({ key, resource, phase: before?.phase ?? "checked", places, givesUp: before?.givesUp });',
      "test/cli/processes.full.test.ts",
      "an upgrade",
    ],
    [
      "an update that has not succeeded is ignored",
      "return this.holdersOf(place).find(({ phase }) => phase !==",
      "return this.holdersOf(place).find(({ phase }) => isReplacedToo === undefined && phase !==",
      200,
    ],
  ],
  "src/core/deployment/sharedRegister.ts": [
    [
      "the processes of a deployment do not know of each other",
      "of this.shared.read()) {",
      "of this.shared.read()) {\n      if (name) continue;",
      200,
    ],
  ],
  "src/engine/registerFiles.ts": [
    ["a link is followed", " | (fs.constants.O_NOFOLLOW ?? 0)", "", registerFiles, "a link"],
    [
      "a folder that others can write is used",
      "if ((found.mode & 0o077) !== 0)",
      "if ((found.mode & 0o077) < 0)",
      registerFiles,
    ],
    ["a process that has stopped lives", "systemTime.now() - mtimeMs > deadMs", "mtimeMs < 0", registerFiles],
    ["an earlier deployment counts", "if (mtimeMs < this.began - earlierMs) return undefined;", "", registerFiles],
    [
      "a process that only deletes does not look",
      "    this.attempt(() => {\n      this.own ??= this.open();\n      for",
      "    this.attempt(() => {\n      if (!this.own) return;\n      for",
      registerFiles,
    ],
    ["each process says it", "        isFirst = false;\n", "", registerFiles, "said once"],
    [
      "the gap between a folder and its first file is open",
      'if ((error as NodeJS.ErrnoException).code === "ENOENT") return createIn(folder, name);',
      "",
      registerFiles,
      "removes its folder",
    ],
  ],
  "src/core/deployment/writes.ts": [
    [
      "a write does not wait for one whose response was lost",
      "if (wait > 0) await clock.sleep(wait);",
      "",
      writes,
      "waits for its end",
    ],
    [
      "the write mark is set after the send",
      "    markWritten(remote, decided);\n    return send(decided, () => register.record(edge, { lostUntil: clock.now() + longestDelayMs }));",
      "    const sent = await send(decided, () => register.record(edge, { lostUntil: clock.now() + longestDelayMs }));\n    markWritten(remote, decided);\n    return sent;",
      together,
      "may have written it",
    ],
    [
      "writes have no turn",
      "return turns.take(edge, async () => {",
      "return turns.take(edge + clock.random(), async () => {",
      1000,
    ],
    [
      "what another resource declares is removed",
      "if (!keeper) return write;",
      "if (!keeper || true) return write;",
      1000,
    ],
  ],
  "src/core/deployment/overwrites.ts": [
    [
      "a module's resource does not know who wrote last",
      "if (writeMark === undefined || writeMark === state.writeMarks[remote.path()]) return state;",
      "if (writeMark === undefined || remote.id) return state;",
      1000,
    ],
  ],
  "src/hiddenInputs.ts": [
    ["a name identifies a resource", 'typeof parents === "string" ?', 'typeof parents === "number" ?', 1000],
  ],
};
