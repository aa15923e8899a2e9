import { readSettings } from "../../src/settings";

const read = (config: Record<string, unknown>, environment: Record<string, string> = {}) =>
  readSettings((key) => config[key.replace("tunnel-edge:", "")], environment);
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

test("a missing setting is named, with both ways to set it", () => {
  expect(read({}).problems.map(({ reason }) => reason)).toEqual([
    "tunnel-edge:apiKey is not set: run `pulumi config set --secret tunnel-edge:apiKey <key>`, or set TUNNEL_EDGE_API_KEY in the environment.",
    "tunnel-edge:baseUrl is not set: run `pulumi config set tunnel-edge:baseUrl https://<the service's address>`, or set TUNNEL_EDGE_BASE_URL in the environment.",
  ]);
});

test("an explicit provider takes no key from the environment", () => {
  const { problems } = read({ baseUrl: "https://a.example", explicit: "true" }, { TUNNEL_EDGE_API_KEY: "other" });
  expect(problems.map(({ reason }) => reason)).toEqual([
    "the explicit Provider has no apiKey: state `apiKey` among its arguments, it takes none from the stack.",
  ]);
});

test.each(["http://localhost:4000", "http://127.0.0.1", "http://127.1.2.3:1", "http://[::1]:1", "https://x.example"])(
  "%s is an address",
  (baseUrl) => expect(reasons({ baseUrl })).toEqual([]),
);

test.each([
  ["http://api.example.com", /must start with "https:\/\/", because every request carries the API key/],
  ["http://127.0.0.1.example.com", /must start with "https:\/\//],
  ["ftp://localhost", /must start with "https:\/\//],
  ["api.example.com", /is not a URL: give the service's address in full/],
  ["https://user:pass@api.example.com", /must not contain a user name or password/],
  ["https://api.example.com?x=1", /must not contain a query/],
])("%s is refused as an address", (baseUrl, words) => {
  expect(reasons({ baseUrl })).toEqual([expect.stringMatching(words)]);
});

test.each([
  [{ apiKey: "two words" }, /apiKey has a space, a line break/],
  [{ apiKey: "a\r\nX: y" }, /apiKey has a space, a line break/],
  [{ headers: "x" }, /headers must be a JSON object .* this is not JSON/],
  [{ headers: "[]" }, /headers must be a JSON object/],
  [{ headers: '{"AUTHORIZATION":"x"}' }, /headers must not set AUTHORIZATION/],
  [{ headers: '{"a b":"x"}' }, /header name that HTTP does not allow/],
  [{ headers: '{"a":"x\\ny"}' }, /must give a a text of one line/],
  [{ headers: '{"a":1}' }, /must give a a text of one line/],
  [{ maxRetries: "-1" }, /maxRetries must be a whole number from 0 to 20/],
  [{ timeoutSeconds: "soon" }, /timeoutSeconds must be a whole number from 1 to 3600/],
  [{ requestsPerMinute: "0" }, /requestsPerMinute must be a whole number from 1/],
  [{ logRequests: "maybe" }, /logRequests must be "true" or "false"/],
])("%j is refused", (config, words) => {
  const [reason, ...more] = reasons(config);
  expect(reason).toMatch(words);
  expect(more).toEqual([]);
});

test("structured configuration and a program's values are read too", () => {
  expect(read({ ...good, headers: { "X-Team": "edge" }, maxRetries: 2 }).settings).toMatchObject({
    headers: { "X-Team": "edge" },
    maxRetries: 2,
  });
});
