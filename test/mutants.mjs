// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code
/**
 * What `npm run mutate` finds and no test can notice, or none should: by file, the lines that change, what they become
 * (each on one line), and why.
 */
export default {
  "src/base/json.ts": [
    [
      "export function nonJsonType(value: unknown, within: readonly unknown[] = []): string | undefined {",
      'export function nonJsonType(value: unknown, within: readonly unknown[] = ["Stryker was here"]): string | undefined {',
      "An object is not that string.",
    ],
    [
      'const [, name = ""] = /^\\[object (\\w+)\\]$/.exec(Object.prototype.toString.call(value)) ?? [];',
      'const [, name = ""] = /^\\[object (\\w+)\\]$/.exec(Object.prototype.toString.call(value)) ?? ["Stryker was here"];',
      "Only the second item is read.",
    ],
  ],
  "src/base/redaction.ts": [
    [
      "if (encoded.length < minSecretLength * lettersPerByte) return [];",
      "if (false) return [];",
      "Only speed: what is shorter contains no secret.",
    ],
    [
      "if (encoded.length < minSecretLength * lettersPerByte) return [];",
      "if (encoded.length < minSecretLength / lettersPerByte) return [];",
      "Only speed: what is shorter contains no secret.",
    ],
    [
      "const plainForm = (text: string) => (text.search(escapes) < 0 ? text : decode(text).text).trim();",
      "const plainForm = (text: string) => (false ? text : decode(text).text).trim();",
      "Only speed: without an escape, decoding changes nothing.",
    ],
    ["if (literal.length === 0) return [];", "if (false) return [];", "Only speed: without secrets nothing is found."],
    [
      "return [...findAll(text, literal), ...find(decode(text)), ...(asForm === text ? [] : find(decode(asForm)))];",
      "return [...findAll(text, literal), ...find(decode(text)), ...(false ? [] : find(decode(asForm)))];",
      "Only speed: the same is found in the same text.",
    ],
    ["if (next.text === decoded.text) break;", "if (false) break;", "Only speed: further passes change nothing."],
  ],
  "src/core/plan/plan.ts": [
    [
      "except: readonly string[] = [],",
      'except: readonly string[] = ["Stryker was here"],',
      "No argument has that name.",
    ],
    [
      "ignored: readonly string[] = [],",
      'ignored: readonly string[] = ["Stryker was here"],',
      "No argument has that name.",
    ],
    [
      'const release = definition.kind === "object" ? planRelease(definition, values, desired) : undefined;',
      "const release = true ? planRelease(definition, values, desired) : undefined;",
      "A module has no unique argument; the compiler asks for it.",
    ],
    [
      "const guarded = sent.some(protects) ? dropped : [];",
      'const guarded = sent.some(protects) ? dropped : ["Stryker was here"];',
      "No module has that name, so nothing is set for it.",
    ],
  ],
  "src/core/execute/execute.ts": [
    [
      'const canClear = definition.kind === "object" && definition.clearIfUndeletable;',
      "const canClear = true && definition.clearIfUndeletable;",
      "A module is never cleared; the compiler asks for it.",
    ],
    [
      'const setsUnique = definition.kind === "object" && sets.includes(definition.unique?.argument ?? "");',
      'const setsUnique = true && sets.includes(definition.unique?.argument ?? "");',
      "A module has no unique argument; the compiler asks for it.",
    ],
    [
      "const others = isModule ? [] : Object.keys(definition.fields).filter((name) => !(name in declared));",
      'const others = isModule ? ["Stryker was here"] : Object.keys(definition.fields).filter((name) => !(name in declared));',
      "No argument has that name.",
    ],
    ["if (unique) {", "if (true) {", "What can only be cleared has a unique argument; the compiler asks for it."],
  ],
  "src/api/evidence.ts": [
    [
      'status === "lost" || status === 408 || (typeof status === "number" && status >= 500 && status !== 501);',
      'status === "lost" || status === 408 || (true && status >= 500 && status !== 501);',
      "A string is never greater than a number; the compiler asks for it.",
    ],
  ],
  "src/api/rateLimiter.ts": [
    [
      "private readonly sent: number[] = [];",
      'private readonly sent: number[] = ["Stryker was here"];',
      "A string in place of the first time is never later than a time.",
    ],
    [
      "const isInTurn = this.requestsPerMinute !== undefined || this.serviceLimit.isKnown;",
      "const isInTurn = true;",
      "Only speed: while there is room, a turn takes no time.",
    ],
    [
      "if (this.sent.length > (this.requestsPerMinute ?? 0)) this.sent.shift();",
      "if (false) this.sent.shift();",
      "Only memory: older times are not read.",
    ],
    [
      "const { time, reason } = rooms[0]!.time > rooms[1]!.time ? rooms[0]! : rooms[1]!;",
      "const { time, reason } = rooms[0]!.time >= rooms[1]!.time ? rooms[0]! : rooms[1]!;",
      "If both waits end at the same time, either reason is right.",
    ],
  ],
  "src/api/serviceLimit.ts": [
    [
      "private sent: SentRequest[] = [];",
      'private sent: SentRequest[] = ["Stryker was here"];',
      "A string has no time, so it is counted in no window.",
    ],
    [
      "while (this.sent[0] && this.sent[0].at < now - 2 * longestWindow) this.sent.shift();",
      "while (false) this.sent.shift();",
      "Only memory: so old a request is counted in no window.",
    ],
    [
      "while (this.sent[0] && this.sent[0].at < now - 2 * longestWindow) this.sent.shift();",
      "while (this.sent[0] && this.sent[0].at <= now - 2 * longestWindow) this.sent.shift();",
      "Only memory: so old a request is counted in no window.",
    ],
    [
      "if (request.at - since > 1.1 * this.window) this.learnWindow(since, this.lastRejection, request.at);",
      "if (request.at - since >= 1.1 * this.window) this.learnWindow(since, this.lastRejection, request.at);",
      "The factor is a guess: after exactly that time, either is as good.",
    ],
    [
      "if (wait !== undefined && wait - resolution > this.window) {",
      "if (true && wait - resolution > this.window) {",
      "What is undefined is never greater; the compiler asks for it.",
    ],
  ],
  "src/definitions/fields/publicKeys.ts": [
    [
      "} catch { return undefined; // of a type that Node does not know }",
      "} catch {}",
      "A function without a return returns undefined.",
    ],
    [
      "export const isSameKey = (one: string, other: string) => one === other || identityOf(one) === identityOf(other);",
      "export const isSameKey = (one: string, other: string) => false || identityOf(one) === identityOf(other);",
      "Only speed: equal strings have equal identities.",
    ],
    [
      'return key ? `${key.type} ${key.blob}` : text.replace(/\\s+/g, "");',
      'return key ? `${key.type} ${key.blob}` : text.replace(/\\s/g, "");',
      "Each of several spaces is removed, too.",
    ],
    [
      'const [first, ...parts] = isBase64(blob) ? readParts(Buffer.from(blob, "base64")) : [];',
      'const [first, ...parts] = isBase64(blob) ? readParts(Buffer.from(blob, "base64")) : ["Stryker was here"];',
      "A type has no spaces, so this is none.",
    ],
    [
      'if (typeof expected === "string") return part?.toString() === expected;',
      'if (typeof expected === "string") return part.toString() === expected;',
      "Only the last part can be incomplete, and that is never a text; the compiler asks for it.",
    ],
    [
      'const base64 = match[2]!.replace(/\\s+/g, "");',
      'const base64 = match[2]!.replace(/\\s/g, "");',
      "Each of several spaces is removed, too.",
    ],
    [
      "const lengthBytes = first < 0x80 ? 0 : first - 0x80;",
      "const lengthBytes = first <= 0x80 ? 0 : first - 0x80;",
      "0x80 - 0x80 is 0, too.",
    ],
  ],
  "src/definitions/fields/valueTypes.ts": [
    [
      'return index < 0 ? undefined : { index, message: "is listed twice" };',
      'return index <= 0 ? undefined : { index, message: "is listed twice" };',
      "The first item repeats none.",
    ],
    [
      'return indexOfRepeated(names) < 0 ? undefined : "has the same header twice; header names are case-insensitive";',
      'return indexOfRepeated(names) <= 0 ? undefined : "has the same header twice; header names are case-insensitive";',
      "The first name repeats none.",
    ],
    [
      "return items.findIndex((item) => item !== undefined && seen.size === seen.add(item.toLowerCase()).size);",
      "return items.findIndex((item) => item !== undefined && seen.size === seen.add(item.toUpperCase()).size);",
      "Valid hosts and header names are ASCII, in which either ignores case.",
    ],
  ],
  "src/commands/exposure/addresses.ts": [
    [
      "const isRoute = (address: string) => /^edghts_\\w+\\//.test(address);",
      "const isRoute = (address: string) => /edghts_\\w+\\//.test(address);",
      "No hostport has a slash.",
    ],
  ],
  "src/commands/exposure/edges.ts": [
    [
      "const modules = steps.flatMap((step) => parseModule(step, created) ?? []);",
      'const modules = steps.flatMap((step) => parseModule(step, created) ?? ["Stryker was here"]);',
      "A string has no kind and no edge, so it is no edge's module.",
    ],
    [
      "const isOnlyRead = ({ newState, oldState }: Step) => (newState ?? oldState)?.external === true;",
      "const isOnlyRead = ({ newState, oldState }: Step) => (newState ?? oldState).external === true;",
      "A resource's type is in one of its states; the compiler asks for it.",
    ],
    [
      "isDeleted: !newState && !oldState?.retainOnDelete,",
      "isDeleted: !newState && !oldState.retainOnDelete,",
      "A resource's type is in one of its states; the compiler asks for it.",
    ],
    ["wasIgnored: [],", 'wasIgnored: ["Stryker was here"],', "No argument has that name."],
    ["isIgnored: [],", 'isIgnored: ["Stryker was here"],', "No argument has that name."],
    [
      "const sources = newState?.propertyDependencies?.edgeId ?? [];",
      'const sources = newState?.propertyDependencies?.edgeId ?? ["Stryker was here"];',
      "No edge has that URN.",
    ],
    [
      "} else if (oldState?.retainOnDelete) {",
      "} else if (oldState.retainOnDelete) {",
      "A resource's type is in one of its states; the compiler asks for it.",
    ],
  ],
  "src/commands/exposure/model.ts": [
    [
      '(each): each is ObjectDefinition => each.kind === "object" && Object.values<Field>(each.fields).some(protects),',
      "(each): each is ObjectDefinition => true && Object.values<Field>(each.fields).some(protects),",
      "Only objects have modules; the compiler asks for it.",
    ],
  ],
  "src/commands/exposure/preview.ts": [
    [
      "const { steps, changeSummary, diagnostics = [] } = isObject(preview) ? preview : {};",
      'const { steps, changeSummary, diagnostics = ["Stryker was here"] } = isObject(preview) ? preview : {};',
      "A string is no diagnostic.",
    ],
    [
      'isObject(each) && typeof each.message === "string" ? [{ severity: each.severity, raw: each.message }] : [],',
      'isObject(each) && typeof each.message === "string" ? [{ severity: each.severity, raw: each.message }] : ["Stryker was here"],',
      "A string has no severity.",
    ],
  ],
  "src/core/deployment/pendingCreates.ts": [
    [
      "await Promise.all([...this.pending].flatMap(([create, ended]) => (isLike(wanted, create) ? [ended] : [])));",
      'await Promise.all([...this.pending].flatMap(([create, ended]) => (isLike(wanted, create) ? [ended] : ["Stryker was here"])));',
      "A string is not waited for.",
    ],
  ],
  "src/core/deployment/turns.ts": [
    [
      "const own = taken.getStore() ?? [];",
      'const own = taken.getStore() ?? ["Stryker was here"];',
      "A string is nobody's turn.",
    ],
  ],
  "src/core/deployment/writes.ts": [
    ["if (wait > 0) await clock.sleep(wait);", "if (wait >= 0) await clock.sleep(wait);", "A wait of 0 ms is none."],
    [
      "if (!write.isForKeeper) mark(clock.randomUuid().slice(0, 8));",
      "if (!write.isForKeeper) mark(clock.randomUuid());",
      "Only shorter: either differs from every other mark.",
    ],
  ],
  "src/core/register/otherProcesses.ts": [
    [
      'if (entry.about === "place") process.histories.set(entry.place, entry.history);',
      "if (true) process.histories.set(entry.place, entry.history);",
      "Nobody asks for the place of a resource's entry, which has none.",
    ],
    [
      "[...this.processes.values()].flatMap(({ histories }) => histories.get(place) ?? []);",
      '[...this.processes.values()].flatMap(({ histories }) => histories.get(place) ?? ["Stryker was here"]);',
      "A string has nothing of a history.",
    ],
  ],
  "src/core/read/lookup.ts": [
    [
      'if (definition.kind !== "object") continue;',
      "if (false) continue;",
      "Only objects have modules; the compiler asks for it.",
    ],
  ],
  "src/core/read/batchReader.ts": [
    [
      "for (const item of value ?? []) this.found.set(item.id, item);",
      'for (const item of value ?? ["Stryker was here"]) this.found.set(item.id, item);',
      "A string has no id, and nobody reads an object without one.",
    ],
    [
      "if (done) this.ended = true;",
      "if (done) this.ended = false;",
      "Only speed: after its end a list is asked for pages that it no longer requests, until there are as many as a scan may read.",
    ],
  ],
  "src/core/execute/conflicts.ts": [
    [
      "return this.unique.orderFix !== undefined && !this.isDeclaredTwice && waited < timeout;",
      "return this.unique.orderFix !== undefined && !this.isDeclaredTwice && waited <= timeout;",
      "After exactly that time, either is as good.",
    ],
    [
      "if (sender.id) deployment.register.markChanged(sender.id);",
      "if (true) deployment.register.markChanged(sender.id);",
      "Nobody waits for an object without an id; the compiler asks for it.",
    ],
    [
      "return Promise.race([timeout, change]).finally(() => done.abort());",
      "return Promise.race([timeout, change]).finally(() => undefined);",
      "Only memory: nobody listens to the timer any more, which ends by itself within 5 s.",
    ],
  ],
  "src/core/execute/removal.ts": [
    [
      'return withEdge && view.ownersOf(remote.objectPath).length === 0 ? { becomes: "left" } : { becomes: "removed" };',
      'return withEdge && view.ownersOf(remote.objectPath).length === 0 ? { becomes: "left" } : {};',
      "What is neither kept, left nor rejected is removed; the compiler asks for the name.",
    ],
    [
      'const warning = definition.kind === "object" && definition.deleteWarning?.(state.values, deployment.apiKey);',
      "const warning = true && definition.deleteWarning?.(state.values, deployment.apiKey);",
      "A module has no such warning; the compiler asks for it.",
    ],
  ],
  "src/core/execute/protectAgain.ts": [
    [
      'definition.kind === "module" && definition.protects && view.historyOf(objectPath).isUndeleted',
      "true && definition.protects && view.historyOf(objectPath).isUndeleted",
      "Only a module protects; the compiler asks for it.",
    ],
    [
      'const edge = definition.kind === "module" && definition.protects ? edgeOf(definition) : undefined;',
      "const edge = true && definition.protects ? edgeOf(definition) : undefined;",
      "Only a module protects; the compiler asks for it.",
    ],
    [
      'if (definition.kind !== "object") return;',
      "if (false) return;",
      "A module has no modules, and nobody asks whether it is undeleted; the compiler asks for it.",
    ],
  ],
  "src/core/execute/update.ts": [
    [
      "const now = { values: this.values, managed: [], unconfirmed: [] };",
      'const now = { values: this.values, managed: [], unconfirmed: ["Stryker was here"] };',
      "No argument has that name.",
    ],
  ],
  "src/core/execute/importObject.ts": [
    [
      "const argument = replaces.find((each) => definition.fields[each]?.clientOnly);",
      "const argument = replaces.find((each) => definition.fields[each].clientOnly);",
      "What is replaced is always an argument; the compiler asks for it.",
    ],
  ],
  "src/core/register/modules.ts": [
    [
      "Object.fromEntries(Object.entries(declared).filter(([key]) => key in module!.fields));",
      "Object.fromEntries(Object.entries(declared));",
      "Whoever writes or compares it looks only at the module's own fields.",
    ],
  ],
  "src/core/register/declare.ts": [
    [
      "if (removes !== undefined && !isUnlessKept && view.ownersOf(place).length === 0) {",
      "if (true && !isUnlessKept && view.ownersOf(place).length === 0) {",
      "A call that sets something is at a place that is declared.",
    ],
    [
      'if (view.removerOf(remote.path())) register.record(remote.path(), { removal: "set again" });',
      'if (true) register.record(remote.path(), { removal: "set again" });',
      "Only fewer entries: what is written has an owner, so no edge removes it afterwards.",
    ],
    [
      'definition.kind === "module" && definition.protects === true && view.ownersOf(objectPath).length > 0;',
      "true && definition.protects === true && view.ownersOf(objectPath).length > 0;",
      "An object has no such trait; the compiler asks for it.",
    ],
  ],
  "src/core/register/keepers.ts": [
    [
      'if (definition.kind === "object") return state;',
      "if (false) return state;",
      "An object has no remover and no write mark of its own; the compiler asks for it.",
    ],
  ],
  "src/core/register/places.ts": [
    [
      'const places: Places = { ...kept, ...(atKey !== undefined && { [atKey]: { name: "" } }) };',
      "const places: Places = { ...kept, ...(atKey !== undefined && { [atKey]: {} }) };",
      "The name follows; the compiler asks for it.",
    ],
    [
      'const isModuleResource = definition.kind === "module";',
      "const isModuleResource = true;",
      "Nobody asks this at the place of an object.",
    ],
  ],
  "src/core/register/resourceIndex.ts": [
    [
      "givesUp === undefined ? Object.keys(places) : [...Object.keys(places), givesUp];",
      "false ? Object.keys(places) : [...Object.keys(places), givesUp];",
      "Nobody asks for that place.",
    ],
  ],
  "src/core/register/view.ts": [
    [
      'return removal === "set again" ? undefined : removal?.by;',
      "return false ? undefined : removal?.by;",
      "A string has no `by`; the compiler asks for it.",
    ],
  ],
};
