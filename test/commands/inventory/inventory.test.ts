/** What the command `inventory` prints of an account, and of the stacks that manage it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "pulumi-tunnel-edge/emulator";
import { listLines } from "../../../src/commands/inventory/lines";
import { definitions } from "../../../src/definitions";
import type { ObjectDefinition } from "../../../src/definitions/definition";
import { publicKey } from "../../support/data/publicKey";
import { root } from "../../support/root";
import { emulator, linesOf, type ParsedLine, type Provider, run, stateFile, writeFile } from "./support";

const seed: Seed = {
  apiKeys: [{ id: "ak_ci", description: "CI" }],
  sshCredentials: [{ id: "sshcr_bob", public_key: publicKey("bob"), description: "Bob's laptop" }],
  tcpEdges: [
    {
      id: "edgtcp_ssh",
      description: "SSH to the build machines",
      hostports: ["1.tcp.example.com:20022"],
      backend: { backend_id: "bkdtg_build" },
      ip_restriction: { ip_policy_ids: ["ipp_office"] },
    },
    { id: "edgtcp_db", hostports: ["1.tcp.example.com:25432"], backend: { backend_id: "bkdtg_db" } },
    { id: "edgtcp_bare" },
  ],
  tlsEdges: [
    { id: "edgtls_page", hostports: ["page.example.com:443"], backend: { backend_id: "bkdhr_page" } },
    { id: "edgtls_off", hostports: ["off.example.com:443"], backend: { enabled: false, backend_id: "bkdtg_db" } },
  ],
  httpsEdges: [
    {
      id: "edghts_web",
      tls_termination: { min_version: "1.2" },
      routes: [
        { id: "edghtsrt_login", oidc: { issuer: "https://id.example.com", client_id: "a", client_secret: "b" } },
      ],
    },
  ],
  sessions: [{ id: "ts_1", os: "linux", region: "us", agent_version: "3.5.0", credential_id: "sshcr_bob" }],
  tunnels: [
    { id: "tn_build", session_id: "ts_1", labels: { app: "build" }, backend_ids: ["bkdtg_build"] },
    { id: "tn_demo", session_id: "ts_1", proto: "https", public_url: "https://demo.example.com" },
    { id: "tn_ssh", session_id: "ts_1", proto: "tcp", public_url: "tcp://1.tcp.example.com:20022" },
  ],
};

/** A service with this account, and no other API key but the one that is used. */
async function service(options: Parameters<typeof emulator>[0] = {}) {
  const started = await emulator(options);
  started.seed(seed);
  return started;
}

const idsOf = (lines: ParsedLine[]) => lines.map(({ id, address }) => address ?? id).sort();

test("prints who can connect to each address, what serves it, and the credentials, in one request a page", async () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const account = await service({ clock: () => now });
  account.fail({ headers: { Date: new Date(now + 3 * 86_400_000).toUTCString() }, times: Number.POSITIVE_INFINITY });
  const { code, out, err } = await run(account);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(
    out.replace(/\w{20,}/g, (id) => id.replace(/[^_]{20,}/, (random) => "x".repeat(random.length))),
  ).toMatchInlineSnapshot(`
"Public addresses

PUBLIC ADDRESS            WHO CAN CONNECT                           EDGE         BACKEND              TUNNELS                            AGE  DESCRIPTION
1.tcp.example.com:25432   anyone                                    edgtcp_db    bkdtg_db             no tunnel                          3 d
page.example.com:443      anyone                                    edgtls_page  bkdhr_page                                              3 d
https://demo.example.com  not known to the API                                                        tn_demo (linux, us, agent 3.5.0)   3 d
1.tcp.example.com:20022   restricted by ipRestriction (ipp_office)  edgtcp_ssh   bkdtg_build          tn_build (linux, us, agent 3.5.0)  3 d  "SSH to the build machines"
off.example.com:443       nobody                                    edgtls_off   bkdtg_db (disabled)  no tunnel                          3 d
none                      nobody                                    edgtcp_bare                                                          3 d

API keys and SSH credentials

ID                              OWNER                            SESSIONS  AGE  DESCRIPTION
ak_ci                           usr_xxxxxxxxxxxxxxxxxxxxxxxxxxx            3 d  "CI"
ak_xxxxxxxxxxxxxxxxxxxxxxxxxxx  usr_xxxxxxxxxxxxxxxxxxxxxxxxxxx            3 d  "The key the emulator starts with"
sshcr_bob                       usr_xxxxxxxxxxxxxxxxxxxxxxxxxxx  1         3 d  "Bob's laptop"

5 public addresses: 2 open to anyone, 1 not known, 1 restricted, 1 closed.
2 API keys, 1 SSH credential, 3 TCP edges, 2 TLS edges, 3 tunnels and 1 tunnel session.
To see what is managed, name stacks with --stack, or files from \`pulumi stack export\` with --state.
The API does not list HTTPS edges and their routes, IP policies, certificate
authorities, backends and tunnel credentials, and does not show the contents of
IP policies and certificate authorities.
"
`);
  expect(account.calls()).toEqual([
    "GET /api_keys",
    "GET /ssh_credentials",
    "GET /edges/tcp",
    "GET /edges/tls",
    "GET /tunnels",
    "GET /tunnel_sessions",
  ]);
});

const managed = (provider: Provider, stack = "dev") =>
  stateFile(
    [
      ["TcpEdge", "ssh", "edgtcp_ssh"],
      ["TcpEdge", "read", "edgtcp_db", { external: true }],
      ["TlsEdge", "old", "edgtls_off", { delete: true }],
      ["TlsEdge", "replaced", "edgtls_gone", { pendingReplacement: true }],
      ["TcpEdgeIpRestriction", "office", "edgtcp_ssh"],
      ["HttpsEdgeRouteOidc", "login", "edghts_web/edghtsrt_login"],
      ["HttpsEdgeTlsTermination", "web", "edghts_web"],
      ["ApiKey", "gone", "ak_gone"],
      ["TunnelSessionCommand", "update", "0b7c"],
    ],
    { provider, stack },
  );

test.each<Provider>(["dynamic", "plugin"])("shows what a state of the %s provider manages", async (provider) => {
  const account = await service();
  const lines = await linesOf(account, "--state", managed(provider));
  const managers = lines.map(({ id, managedBy = [], modulesManagedBy = [] }) => [
    id,
    [...managedBy, ...modulesManagedBy].map(({ name }) => name).join(", "),
  ]);
  expect(Object.fromEntries(managers)).toMatchObject({
    edgtcp_ssh: 'TcpEdge "ssh" of edges/dev, TcpEdgeIpRestriction "office" of edges/dev',
    edgtcp_db: "",
    edgtls_off: 'TlsEdge "old" of edges/dev (to be deleted)',
    ak_ci: "",
    "edghts_web/edghtsrt_login": 'HttpsEdgeRouteOidc "login" of edges/dev',
    edghts_web: 'HttpsEdgeTlsTermination "web" of edges/dev',
  });
  expect(lines.find(({ address }) => address === "edghts_web/edghtsrt_login")).toMatchObject({
    who: "restricted",
    connects: "restricted by oidc",
  });
  expect(lines.filter(({ message }) => message)).toEqual([
    {
      kind: "missing",
      id: "ak_gone",
      message:
        'ak_gone, which is ApiKey "gone" of edges/dev, is not in this account. If it was deleted, run `pulumi refresh`. ' +
        "If it is in another account, use the settings of that one.",
    },
  ]);
  // What the lists do not show is read once.
  expect(account.calls().slice(6).sort()).toEqual([
    "GET /api_keys/{id}",
    "GET /edges/https/{edge_id}/routes/{id}/oidc",
    "GET /edges/https/{id}/tls_termination",
  ]);
  const unmanaged = await linesOf(account, "--state", managed(provider), "--unmanaged");
  expect(unmanaged.map(({ id }) => id)).not.toContain("edgtcp_ssh");
  expect(unmanaged.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["edgtcp_db", "edgtcp_bare", "ak_ci", "tn_demo"]),
  );
});

test("shows a module as missing if it was removed from its edge", async () => {
  const account = await service();
  const lines = await linesOf(account, "--state", stateFile([["TcpEdgeIpRestriction", "db", "edgtcp_db"]]));
  expect(lines.filter(({ kind }) => kind === "missing")).toMatchObject([{ id: "edgtcp_db" }]);
});

test("reads states of released versions, and shows nothing of their secrets", async () => {
  const { account, state } = JSON.parse(readFileSync(join(root, "test/states/0.1.0.json"), "utf8"));
  const file = writeFile(JSON.stringify(account));
  const old = await emulator({ file });
  // `pulumi do` also keeps the program of what it creates. The resource is among the others.
  const snippets = [{ name: "key", program: 'resource "key" "tunnel-edge:index:ApiKey" { metadata = "hush" }' }];
  const exported = writeFile(JSON.stringify({ version: 3, deployment: { ...(state.deployment ?? state), snippets } }));
  const { code, out } = await run(old, "--state", exported, "--unmanaged");
  expect(code).toBe(0);
  expect(out).not.toContain("needs attention");
  expect(out).not.toMatch(/edgtcp_|edgtls_|sshcr_|hush/);
});

test("warns about an object in two states, but not about a state that is given twice", async () => {
  const account = await service();
  const [dev, prod] = [
    stateFile([["TcpEdge", "ssh", "edgtcp_ssh"]]),
    stateFile([["TcpEdge", "ssh", "edgtcp_ssh", { protect: true }]], { stack: "prod", provider: "plugin" }),
  ];
  const both = await linesOf(account, "--state", dev, "--state", prod, "--state", dev);
  expect(both.filter(({ message }) => message)).toEqual([
    {
      kind: "shared",
      id: "edgtcp_ssh",
      message:
        'edgtcp_ssh is TcpEdge "ssh" of edges/dev and TcpEdge "ssh" of edges/prod, which overwrite each other. ' +
        "Keep one of them. For each other one, run " +
        "`pulumi state delete --stack dev urn:pulumi:dev::edges::pulumi-nodejs:dynamic/tunnel-edge:TcpEdge::ssh` or " +
        "`pulumi state delete --stack prod --force urn:pulumi:prod::edges::tunnel-edge:index:TcpEdge::ssh` " +
        "in its project's folder, and remove it from its program before the next `pulumi up`.",
    },
  ]);
});

test("fails without settings, and suggests --stack", async () => {
  expect(await run({ url: "", apiKey: "" })).toEqual({
    code: 2,
    out: "",
    err:
      "TUNNEL_EDGE_API_KEY is not set. It selects the account.\n" +
      "TUNNEL_EDGE_BASE_URL is not set. It selects the account.\n" +
      "Or name a stack with --stack, whose settings are then used.\n",
  });
});

test("shows as not known who can connect through an IP restriction without a policy", () => {
  const definition = definitions.find(({ type }) => type === "TcpEdge") as ObjectDefinition;
  const values = { hostports: ["a.example:1"], backend: { backendId: "bkdhr_1" }, ipRestriction: { ipPolicyIds: [] } };
  const lines = listLines({ objects: [{ definition, id: "edgtcp_a", values }], gaps: [], time: 0 }, undefined);
  expect(lines).toMatchObject([{ who: "unknown", connects: "not known" }]);
});

test("rejects a state that is nested too deeply", async () => {
  const account = await service();
  const depth = 100_000;
  const file = writeFile(`{"deployment":{"resources":[${"[".repeat(depth)}${"]".repeat(depth)}]}}`);
  expect(await run(account, "--state", file)).toEqual({
    code: 2,
    out: "",
    err: `${file} is nested more than 1000 levels deep. Write it with \`pulumi stack export > ${file}\`.\n`,
  });
});

test("hides the secrets of a stack", async () => {
  const account = await service();
  const envelope = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };
  const inputs = { description: envelope, hostports: envelope, ipRestriction: { ipPolicyIds: [envelope] } };
  const { out } = await run(account, "--state", stateFile([["TcpEdge", "ssh", "edgtcp_ssh", { inputs }]]));
  expect(out).toMatch(/^\[secret\] +restricted by ipRestriction +edgtcp_ssh .*"\[secret\]"$/m);
  expect(out).not.toMatch(/build machines|20022|ipp_office/);
});

test("--open shows what anyone can connect to, or might be able to", async () => {
  const account = await service();
  expect(idsOf(await linesOf(account, "--open"))).toEqual([
    "1.tcp.example.com:25432",
    "https://demo.example.com",
    "page.example.com:443",
  ]);
});

describe("--ignore", () => {
  const list = (...lines: string[]) => writeFile(lines.map((line) => `${line}\n`).join(""));

  test("accepts open addresses, and --fail fails on what is not listed", async () => {
    const account = await service();
    expect((await run(account, "--open", "--fail")).code).toBe(1);
    const file = list(
      "# open",
      "1.tcp.example.com:25432 # the database",
      "page.example.com:443",
      "https://demo.example.com",
    );
    const ignored = await run(account, "--open", "--fail", "--ignore", file);
    expect(ignored).toMatchObject({ code: 0, out: expect.stringContaining("Shown: 0 of 9 lines; 3 ignored.") });
    // Another address of an accepted edge, and one that opens, are lines. A tunnel may be away.
    account.api("PATCH", "/edges/tcp/edgtcp_db", { hostports: ["1.tcp.example.com:25432", "1.tcp.example.com:1"] });
    account.api("DELETE", "/edges/tcp/edgtcp_ssh/ip_restriction");
    account.account.tunnels.length = 0;
    expect(idsOf(await linesOf(account, "--open", "--ignore", file))).toEqual([
      "1.tcp.example.com:1",
      "1.tcp.example.com:20022",
    ]);
  });

  test("accepts unmanaged objects by their ids, until one of them opens", async () => {
    const account = await service();
    const state = stateFile(
      [...account.account.apiKeys, { id: "sshcr_bob" }].map(({ id }, index) => [
        id.startsWith("ak_") ? "ApiKey" : "SshCredential",
        `credential-${index}`,
        id,
      ]),
    );
    const args = ["--state", state, "--unmanaged", "--fail", "--ignore"];
    const ids = ["edgtcp_ssh", "edgtcp_bare", "edgtls_off"];
    const addresses = ["1.tcp.example.com:25432", "page.example.com:443", "https://demo.example.com"];
    const file = list(...ids, ...addresses);
    expect(await run(account, ...args, file)).toMatchObject({ code: 0 });
    account.api("DELETE", "/edges/tcp/edgtcp_ssh/ip_restriction");
    const { code, out } = await run(account, ...args, file);
    expect(code).toBe(1);
    expect(out).toMatch(/^1\.tcp\.example\.com:20022 +anyone/m);
    expect(out).toContain(
      `- ${file}, line 1: edgtcp_ssh hides no line. Instead of an edge, list the address that anyone may connect to.`,
    );
  });

  test("warns about an entry that hides no line", async () => {
    const account = await service();
    const file = list("edgtcp_gone", "1.tcp.example.com:20022");
    const lines = await linesOf(account, "--open", "--ignore", file);
    expect(lines.filter(({ kind }) => kind === "unused")).toEqual(
      ["edgtcp_gone", "1.tcp.example.com:20022"].map((entry, index) => ({
        kind: "unused",
        id: entry,
        message: `${file}, line ${index + 1}: ${entry} hides no line. Remove it, so that it does not hide one later.`,
      })),
    );
  });

  test("does not hide an object that two stacks manage", async () => {
    const account = await service();
    const states = ["dev", "prod"].flatMap((stack) => [
      "--state",
      stateFile([["TcpEdge", "ssh", "edgtcp_ssh"]], { stack }),
    ]);
    const lines = await linesOf(account, ...states, "--ignore", list("edgtcp_ssh"));
    expect(lines.filter(({ id }) => id === "edgtcp_ssh")).toMatchObject([{ kind: "shared" }]);
  });

  test.each([
    [
      "edgtcp_db 1.tcp.example.com:25432",
      '"edgtcp_db 1.tcp.example.com:25432" is neither an id nor a public address. A comment begins with #',
    ],
    ["[secret]", '"[secret]" is neither an id nor a public address'],
    ["edgtcp_\u200bdb", "contains the invisible character U+200B; remove it"],
  ])("rejects %j", async (entry, problem) => {
    const file = list("# known", entry);
    expect(await run({ url: "http://127.0.0.1:1", apiKey: "x" }, "--ignore", file)).toEqual({
      code: 2,
      out: "",
      err: `${file}, line 2: ${problem}.\n`,
    });
  });
});

test("keeps hostile names on their line", async () => {
  const account = await emulator();
  account.seed({
    tcpEdges: [{ id: "edgtcp_1", description: "a\nb | c \u202e`x`\u001b[31m <script>" }],
    sessions: [{ id: "ts_1", os: "li\nnux\u001b[2J" }],
    tunnels: [{ id: "tn_1", proto: "https", public_url: "https://x.example/ #\n\u001b[2J|" }],
  });
  for (const format of [[], ["--html"], ["--json"]]) {
    const { out } = await run(account, ...format);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    if (format.length === 0) expect(out.split("\n").filter((line) => line.includes("edgtcp_1"))).toHaveLength(1);
    if (format[0] === "--html") expect(out).not.toContain("<script>");
  }
});

test("hides the API key, wherever it is", async () => {
  const account = await emulator({ apiKey: "a-very-secret-key" });
  account.seed({ tcpEdges: [{ description: "uses a-very-secret-key" }] });
  for (const format of [[], ["--html"], ["--json"]])
    expect((await run(account, ...format)).out).not.toContain("a-very-secret-key");
});

describe("with an account that it cannot read completely", () => {
  test("names the objects that the key may not list, and shows the others", async () => {
    const account = await service();
    account.fail({ method: "GET", path: "/api_keys", status: 403, times: Number.POSITIVE_INFINITY });
    const { code, out } = await run(account, "--state", managed("dynamic"), "--open");
    expect(code).toBe(0);
    expect(out).toMatch(/^- No API key could be listed: GET \/api_keys returned 403/m);
    expect(out).toContain("1.tcp.example.com:25432");
    expect(out).not.toContain("ak_gone");
    // What is not known may be anything.
    expect((await run(account, "--unmanaged", "--state", managed("dynamic"), "--fail")).code).toBe(1);
    expect(idsOf(await linesOf(account, "--open"))).toContain("keys");
    expect(idsOf(await linesOf(account, "--open", "--ignore", writeFile("keys\n")))).not.toContain("keys");
  });

  test("shows what was read of an interrupted list, and nothing of it as missing", async () => {
    const account = await emulator({ pageSize: 2 });
    account.seed({ tcpEdges: ["a", "b", "c"].map((id) => ({ id: `edgtcp_${id}` })) });
    account.fail({ method: "GET", path: "/edges/tcp", status: 403, skip: 1 });
    const lines = await linesOf(account, "--state", stateFile([["TcpEdge", "a", "edgtcp_a"]]));
    expect(lines.filter(({ type }) => type === "TcpEdge").map(({ id }) => id)).toEqual(["edgtcp_c", "edgtcp_b"]);
    expect(lines.filter(({ message }) => message)).toMatchObject([
      {
        kind: "gap",
        id: "tcp_edges",
        message: expect.stringMatching(/^Not every TCP edge could be listed: GET \/edges\/tcp returned 403/),
      },
    ]);
  });

  test("fails if the key is rejected or no service responds", async () => {
    const account = await emulator();
    expect(await run({ url: account.url, apiKey: "wrong" })).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("401"),
    });
    await account.close();
    expect(await run(account)).toMatchObject({ code: 2, out: "" });
  });
});

test("lists 1,000 objects in as many requests as there are pages, below a rate limit", async () => {
  const account = await emulator({ rateLimit: { requests: 10, windowMs: 300 } });
  const edges = Array.from({ length: 800 }, (_, index) => ({
    id: `edgtcp_${index}`,
    hostports: [`${index}.example.com:22`],
    backend: { backend_id: "bkdtg_a" },
  }));
  account.seed({ tcpEdges: edges, apiKeys: Array.from({ length: 199 }, () => ({})) });
  const state = stateFile(edges.slice(1).map(({ id }) => ["TcpEdge", id, id]));
  expect(idsOf(await linesOf(account, "--state", state, "--unmanaged", "--open"))).toEqual(["0.example.com:22"]);
  const accepted = account.requests.filter(({ status }) => status === 200);
  expect(accepted).toHaveLength(8 + 2 + 4);
});

describe("rejects", () => {
  test.each([
    [["--unmanaged"], "--unmanaged needs states to compare with: add --stack or --state.\n"],
    [["--json", "--html"], "--json and --html exclude each other: use one of them.\n"],
    [["--oepn"], "Unknown option '--oepn'; see --help.\n"],
    [["--state", "/none"], "Cannot read /none: there is no such file.\n"],
  ])("the arguments %j", async (args, err) => {
    expect(await run({ url: "http://127.0.0.1:1", apiKey: "x" }, ...args)).toEqual({ code: 2, out: "", err });
  });

  test("a file that is no state", async () => {
    const preview = writeFile('{"steps":[]}');
    const { err } = await run({ url: "http://127.0.0.1:1", apiKey: "x" }, "--state", preview);
    expect(err).toBe(`${preview} is not the output of \`pulumi stack export\`.\n`);
  });
});
