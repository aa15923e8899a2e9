const plan = "test/core/plan/plan.test.ts";
const batch = "test/core/read/lists.test.ts";
const response = "test/core/read/responses.test.ts";
const deletion = "test/core/read/lookup.test.ts";
const ignoring = "test/dynamic/ignoreChanges.test.ts";
const edges = "test/resources/tcpEdge.test.ts";

export default {
  "src/core/plan/plan.ts": [
    [
      "modules are removed before their update",
      "return [...update(sent, Object.fromEntries(untilRemoved)), ...removals];",
      "return [...removals, ...update(sent, Object.fromEntries(untilRemoved))];",
      plan,
    ],
    [
      "new restrictions follow what the service forces to be removed",
      "return [...update(ahead), ...removals, ...update(rest)];",
      "return [...removals, ...update(ahead), ...update(rest)];",
      plan,
    ],
    [
      "what is unconfirmed is not sent again",
      "if (unconfirmed.includes(name) && !field.replaces) {",
      "if (false) {",
      plan,
    ],
    ["what protects until a removal is not sent with it", "sent.some(protects) ? dropped : []", "[] as string[]", plan],
    [
      "a module that may never have been set is not sent",
      "if (changed.length === 0 && !hasNoValues) return [];",
      "if (changed.length === 0) return [];",
      plan,
    ],
    [
      "a PUT of one module drops the other changes",
      "const put = Object.keys(body).length === 1 ? fields[sets[0]!]!.module?.put : undefined;",
      "const put = fields[sets[0]!]!.module?.put;",
      plan,
    ],
    ["what is no longer declared stays managed", "    ...managed.filter((name) => !names.includes(name)),\n", "", plan],
    [
      "what is not managed is removed",
      "const isDropped = topLevelNames(managed).has(name) && ",
      "const isDropped = ",
      plan,
    ],
  ],
  "src/core/plan/compare.ts": [
    [
      "one equal argument identifies an object",
      "  Object.entries(fields).every(\n    ([name, field]) => desired[name] === undefined ||",
      "  Object.entries(fields).some(\n    ([name, field]) => desired[name] === undefined ||",
      "test/core/execute/lostCreate.test.ts",
      "if it has anything else",
    ],
    [
      "an import compares what is not known yet",
      ".filter(([name]) => !hasUnknown(desired[name!]))",
      "",
      "test/core/plan/compare.test.ts",
      "what is unknown",
    ],
    [
      "an import compares what the service does not return",
      " || (field.writeOnly && have === undefined)",
      "",
      "test/resources/httpsEdgeRouteOidc.test.ts",
      "can be imported from",
    ],
  ],
  "src/core/plan/diff.ts": [
    ["a removal is shown as an update", 'next === undefined ? "delete"', 'next === undefined ? "update"', plan],
    [
      "replaceOnChanges is ignored",
      "return [...replaces, ...changedNames({ changes: forced })];",
      "return replaces;",
      "test/dynamic/options.test.ts",
      "replaceOnChanges",
    ],
    [
      "a replacement without another call is no change",
      "needsCall: replaces.length + plan.calls.length > 0,",
      "needsCall: plan.calls.length > 0,",
      plan,
    ],
    [
      "a refresh makes an ignored argument managed",
      'const kept = before.ignored.filter((path) => covered.includes(path.split(".")[0]!));',
      "const kept: string[] = [];",
      ignoring,
    ],
    [
      "what is no longer ignored is not recorded",
      "ended: [...old].filter((name) => !now.has(name)),",
      "ended: [],",
      ignoring,
    ],
  ],
  "src/core/read/lists.ts": [
    ["a list is used after a write", "reading.began >= since", "true", batch, "after this process has written"],
    ["a list that failed is used again", "!reading.hasFailed && ", "", batch, "a list that fails"],
    [
      "a list that failed ends where it failed",
      "this.hasFailed = true;",
      "this.hasFailed = true;\n      this.nextPage = undefined;",
      batch,
      "a part is not taken for the whole",
    ],
    [
      "what a list does not show is deleted",
      "return reading.items.get(id) ?? (await get());",
      "return reading.items.get(id);",
      batch,
      "not in the list",
    ],
    [
      "two reads walk through a large account",
      "reading.pages.length < maxPages(reading.readers)",
      "true",
      batch,
      "few reads do not read",
    ],
    [
      "every read requests a page of its own",
      "this.nextPage ??= this.readPage();",
      "this.nextPage = this.readPage();",
      batch,
      "pages are read until the last object",
    ],
    [
      "a list from before a create proves a deletion",
      "this.readingOf(list, Math.max(lastCreate, since))",
      "this.readingOf(list, since)",
      deletion,
      "until another is created",
    ],
  ],
  "src/core/read/lookup.ts": [
    [
      "a gateway's 404 deletes the module of an HTTPS edge",
      "if (await this.client().looksMissing(error, deadline)) return false;",
      "return false;",
      deletion,
      "HttpsEdgeTlsTermination",
    ],
    [
      "an edge proves that its module is set",
      "return !isUnset(found?.[toSnakeCase(edge.module)]);",
      "return found !== undefined;",
      deletion,
      "TcpEdgeIpRestriction",
    ],
  ],
  "src/core/read/responses.ts": [
    [
      "another object's response is accepted",
      "isObject(value) && value.id === id ?",
      "isObject(value) ?",
      response,
      "a PATCH that returns another object",
    ],
    [
      "a create without an id is accepted",
      'isObject(value) && typeof value.id === "string" && value.id !== "" ?',
      "isObject(value) ?",
      "test/faults/lostResponses.test.ts",
      "the response has no id",
    ],
    [
      "anything is a module",
      "return isModule ? undefined :",
      "return isObject(value) ? undefined :",
      response,
      "its PUT returns another object",
    ],
    [
      "a token is lost with the first update",
      "else if (createOnly) outputs[name] = before[name] ?? null;",
      "",
      "test/resources/apiKey.test.ts",
      "is kept through updates",
    ],
    [
      "another order is drift",
      "if (field.equals(desired, actual)) return desired;",
      "",
      edges,
      "does not matter in the service",
    ],
  ],
  "src/core/arguments.ts": [
    [
      "drift within a module is not an input",
      "} else if (isModule && !equalsDesired(field, undefined, value)) {",
      "} else if (false) {",
      edges,
      "displayed and repaired anyway",
    ],
  ],
};
