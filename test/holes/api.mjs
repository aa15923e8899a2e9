const client = "test/api/client.test.ts";
const evidence = "test/api/evidence.test.ts";
const rateLimiter = "test/api/rateLimiter.test.ts";
const rateLimitHeaders = "test/api/rateLimitHeaders.test.ts";
const serviceLimit = "test/api/serviceLimit.test.ts";
const settings = "test/base/settings.test.ts";
const lost = "test/core/execute/lostCreate.test.ts";

export default {
  "src/api/routes.ts": [
    [
      "a command to paste has the value of a header",
      ": …`",
      ": ` + headers[name]",
      "test/api/curl.test.ts",
      "no value of a header",
    ],
    [
      "a command to paste has an id as the shell reads it",
      "quoteForShell(baseUrl + path)",
      "baseUrl + path",
      "test/api/curl.test.ts",
      "cannot leave its place",
    ],
  ],
  "src/api/client.ts": [
    [
      "a 403 with any body proves the address",
      'body === "error" && status === 403',
      "status === 403",
      client,
      "of 404 with",
    ],
    [
      "the key is sent to the origin of the next page",
      "if (url?.origin !== this.transport.origin) {",
      "if (!url) {",
      client,
      "another origin",
    ],
    [
      "a retry that is rejected hides an attempt that may have been executed",
      "isUncertain ||= isLost;",
      "isUncertain = isLost;",
      client,
      "that are rejected do not prove",
    ],
    [
      "what a lost attempt may have done is forgotten when its retry is rejected",
      "if (isUncertain) failure.evidence =",
      "if (isLost) failure.evidence =",
      200,
    ],
    [
      "a POST that may have been executed is repeated",
      '(method === "POST" && isUncertain)',
      "false",
      client,
      "not a POST after 502",
    ],
    [
      "a list without end is read for ever",
      "if (seen.size === maxPages) throw",
      "if (false as boolean) throw",
      client,
      "without an end",
    ],
    [
      "a page without its list is empty",
      "if (!Array.isArray(items)) return",
      "if (!Array.isArray(items)) return undefined;\n    if (false as boolean) return",
      client,
      "without their list",
    ],
  ],
  "src/api/evidence.ts": [
    [
      "any 2xx of a DELETE is a deletion",
      'statuses: [204], bodies: ["none"], proves: { call: "executed", object: "deleted" }',
      'statuses: ["2xx"], proves: { call: "executed", object: "deleted" }',
      evidence,
    ],
    [
      "any 404 is a deletion",
      'statuses: [404], bodies: ["error"], proven: true, proves:',
      "statuses: [404], proves:",
      evidence,
    ],
    [
      "a gateway's 5xx was not executed",
      '{ statuses: ["unsent", 429, 501], proves:',
      '{ statuses: ["unsent", 429, 501, 507, 520, 522, 524, 530, 599], proves:',
      evidence,
    ],
    [
      "an accepted deletion is one",
      '{ methods: ["DELETE"], statuses: [202], proves: proofOfNothing },',
      '{ methods: ["DELETE"], statuses: [202], proves: { call: "executed", object: "deleted" } },',
      evidence,
    ],
    [
      "a request that timed out in the server was not executed",
      "{ statuses: [408], proves: proofOfNothing },",
      "",
      evidence,
    ],
    [
      "anybody's 4xx was not executed",
      '{ statuses: ["4xx"], bodies: ["error"], proves:',
      '{ statuses: ["4xx"], proves:',
      evidence,
    ],
  ],
  "src/api/callError.ts": [
    [
      "what a cause says is not known",
      "return error instanceof Error && error.cause !== undefined ? uncertainCall(error.cause) : undefined;",
      "return undefined;",
      "test/core/execute/conflicts.test.ts",
      "whatever else",
    ],
    [
      "a connection that broke was never there",
      "if (key && key in connectFailures && !wasConnected(error))",
      "if (key && key in connectFailures)",
      "test/api/errors.test.ts",
    ],
    [
      "half an error body is the service's",
      '("error_code" in value || ("status_code" in value && "msg" in value))',
      '("error_code" in value || "msg" in value)',
      client,
      "of 404 with",
    ],
  ],
  "src/api/transport.ts": [
    [
      "the service's clock is this machine's",
      "this.clockOffset = time - this.clock.now();",
      "this.clockOffset = 0;",
      lost,
      "that was created just now",
    ],
    ["a redirect's query is in the message", "return origin + pathname;", "return location;", client, "that redirects"],
    [
      "a response that never ends is awaited",
      "Math.min(this.settings.timeoutSeconds * 1000, deadline - this.clock.now())",
      "deadline - this.clock.now()",
      client,
      "never ends",
    ],
    [
      "a write ends with the deployment",
      'request.method === "GET" ? 0 : maxWriteMsAfterCancel',
      "0",
      "test/core/deployment/deployment.test.ts",
    ],
    [
      "the user's headers are not sent",
      "      ...lowerCaseNames(settings.headers),\n      authorization:",
      "      authorization:",
      client,
      "the headers of the settings",
    ],
  ],
  "src/api/rateLimiter.ts": [
    [
      "a request is sent after its deadline",
      "if (now > deadline - 10) throw deadlineExceeded;",
      "",
      rateLimiter,
      "nearly over",
    ],
    ["the user's rate is counted once", "this.sent.push(now);", "", rateLimiter],
    ["every rejection is reported", "this.hasWarned = true;", "", rateLimiter],
  ],
  "src/api/serviceLimit.ts": [
    ["a rejected request counts", "this.sent.splice(this.sent.indexOf(request), 1);", "", serviceLimit],
    ["Retry-After is ignored", "Math.max(pause, this.findWait(wait))", "pause", serviceLimit],
  ],
  "src/api/rateLimitHeaders.ts": [
    [
      "a date of the service is this machine's",
      "Date.parse(header) - serviceTime",
      "Date.parse(header) - Date.now()",
      rateLimitHeaders,
    ],
  ],
  "src/base/clock.ts": [
    [
      "a wait that is longer than a timer can be ends at once",
      "Math.min(ms, maxTimerMs)",
      "ms",
      "test/base/clock.test.ts",
    ],
    [
      "a cancelled clock starts new waits",
      "async sleep(ms: number, signal?: AbortSignal): Promise<void> {\n    this.throwIfCancelled();",
      "async sleep(ms: number, signal?: AbortSignal): Promise<void> {",
      "test/base/clock.test.ts",
    ],
    ["what was cancelled is not awaited", "await Promise.allSettled(this.running);", "", "test/base/clock.test.ts"],
  ],
  "src/base/settings.ts": [
    [
      "a key is sent without encryption",
      '!(url.protocol === "http:" && isLoopback(url.hostname))',
      'url.protocol !== "http:"',
      settings,
      "is rejected as an address",
    ],
    [
      "any host is this machine",
      "/^(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])$/.test(host)",
      "/(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])$/.test(host)",
      settings,
      "is rejected as an address",
    ],
    [
      "a header replaces the key",
      "if (reservedHeaders.has(name.toLowerCase())) {",
      "if (reservedHeaders.has(name)) {",
      settings,
      "AUTHORIZATION",
    ],
    [
      "an explicit provider takes the environment's key",
      "const usesEnvironment = !ownSettings.includes(setting);",
      "const usesEnvironment = true;",
      settings,
      "does not take the key",
    ],
  ],
};
