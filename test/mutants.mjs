/**
 * What `npm run mutate` finds and no test can notice, or none should: by file, the lines that change, what they become
 * (each on one line), and why.
 */
export default {
  "src/redaction.ts": [
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
  "src/exposure/preview.ts": [
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
};
