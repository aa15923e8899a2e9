const records = "test/core/execute/recoveryRecorded.test.ts";

export default {
  "src/core/execute/update.ts": [
    [
      "one call of several confirms everything",
      "for (const name of affectedFields(call)) this.unconfirmed.delete(name);",
      "this.unconfirmed.clear();",
      records,
      "confirms only what it is about",
    ],
  ],
  "src/core/execute/create.ts": [
    [
      "a module whose PUT was lost and that cannot be read afterwards is recorded as set",
      "? outputsFrom(remote, {})",
      "? { ...desired }",
      records,
      "whose PUT was lost",
    ],
    [
      "a module of empty lists that could be neither set nor read counts as set in the plugin",
      'found === "unreadable" ? call.sets : []',
      "[]",
      "test/plugin/faults.full.test.ts",
      "neither set nor read",
    ],
  ],
  "src/core/read/lookup.ts": [
    [
      "an object that was deleted after a list was read is reported as existing",
      "if (found && (!found.has(id) || known.writes === writes)) return found.has(id);",
      "if (found) return found.has(id);",
      records,
      "after a list was read",
    ],
  ],
};
