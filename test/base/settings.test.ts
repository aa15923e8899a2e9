import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { Client } from "../../src/api/client";
import { Clock } from "../../src/base/clock";
import { explicitMark, isOwnAddress, readSettings } from "../../src/base/settings";
import { anyText } from "../support/data/text";

const read = (config: Record<string, unknown>, environment: Record<string, string> = {}) =>
  readSettings(
    Object.fromEntries(Object.entries(config).map(([name, value]) => [`tunnel-edge:${name}`, value])),
    environment,
  );
const good = { apiKey: "key", baseUrl: "https://api.example.com" };
const reasons = (config: Record<string, unknown>) => read({ ...good, ...config }).problems.map(({ reason }) => reason);

test("settings come from the configuration, then the environment, then the defaults", () => {
  const { settings, problems } = read(
    { apiKey: " from-config\n", baseUrl: "https://api.example.com/v2/" },
    { TUNNEL_EDGE_API_KEY: "from-environment", TUNNEL_EDGE_MAX_RETRIES: "7", TUNNEL_EDGE_LOG_REQUESTS: "true" },
  );
  expect(problems).toEqual([]);
  expect(settings).toEqual({
    apiKey: "from-config",
    baseUrl: "https://api.example.com/v2",
    headers: {},
    maxRetries: 7,
    timeoutSeconds: 30,
    requestsPerMinute: undefined,
    logRequests: true,
  });
});

test.each<[environment: Record<string, string>, wrong: string[]]>([
  [{ HTTPS_PROXY: "user:hush@proxy.example.com:3128" }, ["HTTPS_PROXY"]],
  [{ HTTP_PROXY: "none", https_proxy: "http://" }, ["https_proxy", "HTTP_PROXY"]],
  [{ HTTP_PROXY: "ftp://proxy.example.com" }, ["HTTP_PROXY"]],
  [{ http_proxy: "shttp://proxy.example.com" }, ["http_proxy"]],
  [{ HTTP_PROXY: "httpx://proxy.example.com" }, ["HTTP_PROXY"]],
  [{ https_proxy: "http://proxy.example.com:3128", HTTPS_PROXY: "which does not count" }, []],
  [{ https_proxy: "", HTTPS_PROXY: "which does not count" }, []],
  [{ HTTPS_PROXY: "https://proxy.example.com", HTTP_PROXY: "socks://proxy.example.com" }, []],
  [{ HTTP_PROXY: "socks5://proxy.example.com" }, []],
])("a variable for a proxy must have its address, unless the service is on this machine: %p", (environment, wrong) => {
  const problems = wrong.map((name) => ({
    setting: "baseUrl",
    reason: `${name} is not the address of a proxy; use one such as http://proxy.example.com:3128.`,
  }));
  expect(read(good, environment).problems).toEqual(problems);
  expect(read({ ...good, baseUrl: "http://localhost:4000" }, environment).problems).toEqual([]);
});

test("a missing setting is named, with both ways to set it", () => {
  expect(read({}).problems.map(({ reason }) => reason)).toEqual([
    "tunnel-edge:apiKey is not set: run `pulumi config set --secret tunnel-edge:apiKey`, or set TUNNEL_EDGE_API_KEY in the environment.",
    "tunnel-edge:baseUrl is not set: run `pulumi config set tunnel-edge:baseUrl https://api.example.com`, or set TUNNEL_EDGE_BASE_URL in the environment.",
  ]);
});

test("an explicit provider does not take the key from the environment", () => {
  const { problems } = read({ baseUrl: "https://a.example", explicit: "true" }, { TUNNEL_EDGE_API_KEY: "other" });
  expect(problems.map(({ reason }) => reason)).toEqual([
    "the explicit Provider has no apiKey. Pass `apiKey` in its arguments: it does not use the stack's API key.",
  ]);
});

test("an explicit provider with an address of its own does not take the headers from the environment", () => {
  const environment = { TUNNEL_EDGE_HEADERS: '{"X-Team":"edge"}' };
  const config = { apiKey: "key", baseUrl: "https://a.example" };
  expect(read({ ...config, explicit: explicitMark(false) }, environment).settings.headers).toEqual({
    "X-Team": "edge",
  });
  expect(read({ ...config, explicit: explicitMark(true) }, environment).settings.headers).toEqual({});
});

test.each([
  ["https://a.example", "https://a.example/", undefined, false],
  ["https://A.example:443/", undefined, "https://a.example", false],
  ["https://a.example", undefined, undefined, true],
  ["https://a.example/v2", "https://a.example", undefined, true],
  ["https://a.example", "https://b.example", "https://a.example", true],
])("%s is an address of its own, if the stack has %s and the environment %s: %s", (own, stack, variable, expected) => {
  expect(isOwnAddress(own, stack, { TUNNEL_EDGE_BASE_URL: variable })).toBe(expected);
});

test.each(["http://localhost:4000", "http://127.0.0.1", "http://127.1.2.3:1", "http://[::1]:1", "https://x.example"])(
  "%s is a valid address",
  (baseUrl) => expect(reasons({ baseUrl })).toEqual([]),
);

test.each([
  ["http://api.example.com", /must start with "https:\/\/", because every request contains the API key/],
  ["http://evil.localhost", /must start with "https:\/\//],
  ["http://localhost.", /must start with "https:\/\//],
  ["http://[::ffff:127.0.0.1]", /must start with "https:\/\//],
  ["http://0.0.0.0", /must start with "https:\/\//],
  ["http://127.0.0.1.example.com", /must start with "https:\/\//],
  ["ftp://localhost", /must start with "https:\/\//],
  ["api.example.com", /is not a URL; use the full address of the service/],
  ["https://user:pass@api.example.com", /must not contain a user name or password/],
  ["https://api.example.com?x=1", /must not contain a query/],
])("%s is rejected as an address", (baseUrl, words) => {
  expect(reasons({ baseUrl })).toEqual([expect.stringMatching(words)]);
});

test.each([
  [{ apiKey: "two words" }, /apiKey must contain only printable ASCII characters/],
  [{ apiKey: "a\r\nX: y" }, /apiKey must contain only printable ASCII characters/],
  [{ headers: "x" }, /headers must be a JSON object .* it is not valid JSON/],
  [{ headers: "[]" }, /headers must be a JSON object/],
  [{ headers: '{"AUTHORIZATION":"x"}' }, /headers must not contain AUTHORIZATION/],
  [{ headers: '{"a b":"x"}' }, /invalid header name/],
  [{ headers: '{"a":"x\\ny"}' }, /must set a to a single-line string/],
  [{ headers: '{"a":1}' }, /must set a to a single-line string/],
  [{ maxRetries: "-1" }, /maxRetries must be a whole number from 0 to 20/],
  [{ timeoutSeconds: "soon" }, /timeoutSeconds must be a whole number from 1 to 3600/],
  [{ requestsPerMinute: "0" }, /requestsPerMinute must be a whole number from 1/],
  [{ logRequests: "maybe" }, /logRequests must be "true" or "false"/],
])("%j is rejected", (config, words) => {
  const [reason, ...more] = reasons(config);
  expect(reason).toMatch(words);
  expect(more).toEqual([]);
});

test("structured configuration and values from a program are accepted too", () => {
  expect(read({ ...good, headers: { "X-Team": "edge" }, maxRetries: 2 }).settings).toMatchObject({
    headers: { "X-Team": "edge" },
    maxRetries: 2,
  });
});

describe("a misspelled setting is an error that names it", () => {
  test.each([
    ["baseURL", "baseUrl"],
    ["apikey", "apiKey"],
    ["base-url", "baseUrl"],
    ["header", "headers"],
    ["retries", "maxRetries"],
    ["requestPerMinute", "requestsPerMinute"],
  ])("%s, in the configuration", (misspelled, setting) => {
    const reason = `tunnel-edge:${misspelled} is not a setting; did you mean tunnel-edge:${setting}? Remove it with \`pulumi config rm tunnel-edge:${misspelled}\`.`;
    expect(read({ ...good, [misspelled]: "x" }).problems).toEqual([{ setting, reason, isUsable: true }]);
  });

  test("in the configuration instead of a required one, which is not reported as missing too", () => {
    const { problems } = read({ apiKey: "key", baseURL: "https://api.example.com" });
    expect(problems).toMatchObject([{ reason: expect.stringMatching(/^tunnel-edge:baseURL/), isUsable: false }]);
  });

  test("in the environment, unless the setting has a value", () => {
    const environment = { TUNNEL_EDGE_BASEURL: "https://api.example.com", TUNNEL_EDGE_APIKEY: "x" };
    expect(read({ apiKey: "key" }, environment).problems).toEqual([
      {
        setting: "baseUrl",
        reason: "TUNNEL_EDGE_BASEURL is not a setting; did you mean TUNNEL_EDGE_BASE_URL?",
        isUsable: false,
      },
    ]);
    expect(read(good, environment).problems).toEqual([]);
  });

  test("unless it resembles no setting, because a project may be named tunnel-edge", () => {
    const others = { edges: "x", region: "x", sshKey: "x", hostports: "x", timeout: "x", explicit: "" };
    expect(read({ ...good, ...others }, { TUNNEL_EDGE_REGION: "eu", TUNNEL_EDGE_HOME: "x" }).problems).toEqual([]);
    expect(readSettings({ "other:baseURL": "x", "tunnel-edge": "x" }, {}).problems).toHaveLength(2);
  });
});

describe("random input is rejected by the setting's name, or works", () => {
  const seed = Number(process.env["SEED"] ?? 1115);
  const strange = fc.oneof(
    anyText(20),
    fc.string({ maxLength: 20 }),
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 3, 1e9, Number.NaN, [], {}, [1], { a: 1 }, "NaN", "Infinity"),
    fc.constantFrom("0x10", "1e1", "٣", "1,5", "5 ", "+5", "true ", "TRUE", "yes", "null", "undefined", "a\r\nb"),
  );
  const property = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, check: (value: T) => void | Promise<void>) =>
    fc.assert(
      fc.asyncProperty(arbitrary, async (value) => check(value)),
      { seed, numRuns },
    );
  const isLoopback = (host: string) => /^(localhost|127\..*|\[::1\])$/.test(host);

  test.each(["maxRetries", "timeoutSeconds", "requestsPerMinute", "logRequests", "apiKey", "headers"] as const)(
    `%s (SEED=${seed})`,
    (setting) =>
      property(strange, 300, (value) => {
        const { settings, problems } = read({ ...good, [setting]: value });
        if (problems.length === 0) {
          const fine = { headers: "object", logRequests: "boolean", apiKey: "string" }[setting as string] ?? "number";
          expect([fine, "undefined"]).toContain(typeof settings[setting]);
          return;
        }
        expect(problems).toEqual([{ setting, reason: expect.stringMatching(`^tunnel-edge:${setting} .*[.]$`) }]);
      }),
  );

  const schemes = ["https://", "http://", "HTTP://", "https:", "//", "", "ftp://", "http:\\\\", "file:///"];
  const scheme = fc.constantFrom(...schemes);
  const host = fc.constantFrom(
    ...["localhost", "127.0.0.1", "0x7f.1", "[::1]", "127.0.0.1.example.com", "localhost.example.com", "a.localhost"],
    ...["example.com", "a b", "", "user@localhost", "localhost@example.com", "127.0.0.1#@example.com", "é.example"],
    ...["[::1", "localhost:99999", "localhost\u0000"],
  );
  const rests = ["", "/", "/v2/", "/../x", "?a", "#a", "/a b", "/%2e%2e/x", ":8080/v2", "\r\nX: y", "\\x"];
  const rest = fc.constantFrom(...rests);
  test(`baseUrl (SEED=${seed})`, () =>
    property(fc.tuple(scheme, host, rest), 1_000, (parts) => {
      const { settings, problems } = read({ ...good, baseUrl: parts.join("") });
      if (problems.length > 0) {
        expect(problems).toEqual([
          { setting: "baseUrl", reason: expect.stringMatching(/^tunnel-edge:baseUrl .*[.]$/) },
        ]);
        return;
      }
      const { protocol, hostname, username, search, hash } = new URL(settings.baseUrl);
      expect(protocol === "https:" || isLoopback(hostname)).toBe(true);
      expect([username, search, hash]).toEqual(["", "", ""]);
    }));

  test(`headers, which are sent as declared (SEED=${seed})`, async () => {
    const arrived: Record<string, string | string[] | undefined>[] = [];
    const server = createServer(({ headers }, response) => {
      arrived.push(headers);
      response.end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const name = fc.oneof(
      fc.constantFrom(
        ...["Expect", "Upgrade", "Keep-Alive", "TE", "Trailer", "Host", "Accept", "Connection", "Cookie"],
        ...["Proxy-Authorization", "Content-Length", "Transfer-Encoding", "Service-Version"],
        ...["constructor", "toString", "X Y", "", "é", "a:b", "a\nb"],
      ),
      fc.stringMatching(/^[A-Za-z0-9-]{1,10}$/),
    );
    const value = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom<unknown>("a\r\nX: y", "\u0000", "é", "日本", "a\tb", 1, null, {}),
    );
    let taken = 0;
    try {
      await property(fc.dictionary(name, value, { maxKeys: 2, noNullPrototype: true }), 150, async (headers) => {
        const { settings, problems } = read({ ...good, baseUrl, maxRetries: 0, headers: JSON.stringify(headers) });
        if (problems.length > 0) {
          expect(problems.map(({ setting }) => setting)).toEqual(["headers"]);
          return;
        }
        const ignore = () => undefined;
        const expects = { findProblem: ignore };
        await new Client(settings, { onRateLimit: ignore, onWait: ignore, onRequest: ignore }, new Clock()).call(
          "GET /x",
          {
            expects,
          },
        );
        const { authorization, ...got } = arrived.at(-1)!;
        expect(authorization).toBe("Bearer key");
        for (const [each, text] of Object.entries(headers)) expect(got[each.toLowerCase()]).toBe(String(text).trim());
        taken++;
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(taken).toBeGreaterThan(20);
  });
});
