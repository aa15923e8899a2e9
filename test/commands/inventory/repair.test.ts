/** What an interrupted create has left in the account, and the next step. */
import type { Seed } from "pulumi-tunnel-edge/emulator";
import { curlDelete } from "../../support/curl";
import { publicKey } from "../../support/data/publicKey";
import type { Properties } from "../../support/engine/provider";
import { emulator, linesOf, type Provider, stateFile } from "./support";

const hostports = ["a.example.com:22"];

/** What a state manages shows that it is of this account. */
const anchor = { id: "sshcr_anchor", public_key: publicKey("anchor") };

interface Case {
  account: Seed;
  pending: [type: string, name: string, inputs: Properties][];
  resources?: Parameters<typeof stateFile>[0];
  provider?: Provider;
  created?: string;
  messages: string[];
}

const imports =
  'edgtcp_1 was probably created for TcpEdge "ssh" of edges/dev: add import: "edgtcp_1" to its options and run `pulumi up`';
const nothing = (name: string) =>
  `The create of ${name} of edges/dev was interrupted, and nothing in the account matches it. Run \`pulumi up\`, which creates it.`;

const cases: Record<string, Case> = {
  "an edge is found by its hostports": {
    account: { tcpEdges: [{ id: "edgtcp_1", hostports }, { id: "edgtcp_2" }] },
    pending: [["TcpEdge", "ssh", { hostports }]],
    messages: [`${imports}.`],
  },
  "the plugin can import it with a command": {
    account: { tcpEdges: [{ id: "edgtcp_1", hostports }] },
    pending: [["TcpEdge", "ssh", { hostports }]],
    provider: "plugin",
    messages: [`${imports}, or run \`pulumi import tunnel-edge:index:TcpEdge ssh edgtcp_1\`.`],
  },
  "a credential is found by its public key": {
    account: { sshCredentials: [{ id: "sshcr_1", public_key: publicKey("a") }, { public_key: publicKey("b") }] },
    pending: [["SshCredential", "a", { publicKey: publicKey("a").replace(/ \S+$/, " another-comment") }]],
    messages: [
      'sshcr_1 was probably created for SshCredential "a" of edges/dev: add import: "sshcr_1" to its options and run `pulumi up`.',
    ],
  },
  "an API key is to be deleted": {
    account: { apiKeys: [{ id: "ak_1", description: "CI" }] },
    pending: [["ApiKey", "ci", { description: "CI" }]],
    messages: [
      `ak_1 was probably created for ApiKey "ci" of edges/dev, and its token is lost. If no other stack has it, delete it with ${curlDelete("", "/api_keys/ak_1")} and run \`pulumi up\`, which creates a new one.`,
    ],
  },
  "what a state manages is not what was left": {
    account: { tcpEdges: [{ id: "edgtcp_1", description: "x" }] },
    pending: [["TcpEdge", "ssh", { description: "x" }]],
    resources: [["TcpEdge", "other", "edgtcp_1"]],
    messages: [nothing('TcpEdge "ssh"')],
  },
  "something that differs was not created by it": {
    account: { tcpEdges: [{ id: "edgtcp_1", hostports, description: "somebody else's" }] },
    pending: [["TcpEdge", "ssh", { hostports, description: "mine" }]],
    messages: [nothing('TcpEdge "ssh"')],
  },
  "something older than the stack was not created by it": {
    account: { apiKeys: [{ id: "ak_1", description: "CI" }] },
    pending: [["ApiKey", "ci", { description: "CI" }]],
    created: "2999-01-01T00:00:00Z",
    messages: [nothing('ApiKey "ci"')],
  },
  "several that match": {
    account: {
      tlsEdges: [
        { id: "edgtls_1", description: "x" },
        { id: "edgtls_2", description: "x" },
      ],
    },
    pending: [["TlsEdge", "a", { description: "x" }]],
    messages: [
      expect.stringMatching(
        /^edgtls_\d \(created \S+\) or edgtls_\d \(created \S+\) may have been created for TlsEdge "a" of edges\/dev\. If so, and if no other stack has it, add import: "edgtls_\d" to its options and run `pulumi up`\.$/,
      ),
    ],
  },
  "each of several creates has its own": {
    account: {
      tlsEdges: [
        { id: "edgtls_1", description: "x" },
        { id: "edgtls_2", description: "x", metadata: "m" },
      ],
    },
    pending: [
      ["TlsEdge", "a", { description: "x" }],
      ["TlsEdge", "b", { description: "x", metadata: "m" }],
    ],
    messages: [
      'edgtls_1 was probably created for TlsEdge "a" of edges/dev. If no other stack has it, add import: "edgtls_1" to its options and run `pulumi up`.',
      'edgtls_2 was probably created for TlsEdge "b" of edges/dev. If no other stack has it, add import: "edgtls_2" to its options and run `pulumi up`.',
    ],
  },
  "a create that was interrupted twice": {
    account: { tlsEdges: [{ id: "edgtls_1", description: "x" }] },
    pending: [
      ["TlsEdge", "a", { description: "x" }],
      ["TlsEdge", "a", { description: "x" }],
    ],
    messages: [
      'edgtls_1 was probably created for TlsEdge "a" of edges/dev. If no other stack has it, add import: "edgtls_1" to its options and run `pulumi up`.',
    ],
  },
  "a resource that was created again": {
    account: {
      tlsEdges: [
        { id: "edgtls_1", description: "x" },
        { id: "edgtls_2", description: "x" },
      ],
    },
    pending: [["TlsEdge", "a", { description: "x" }]],
    resources: [["TlsEdge", "a", "edgtls_2"]],
    messages: [
      `edgtls_1 was probably created for TlsEdge "a" of edges/dev, which is edgtls_2 now. If no other stack has it, delete it with ${curlDelete("", "/edges/tls/edgtls_1")}.`,
    ],
  },
  "nothing is left": {
    account: { tlsEdges: [{ id: "edgtls_2" }] },
    pending: [["TlsEdge", "a", { description: "x" }]],
    resources: [["TlsEdge", "a", "edgtls_2"]],
    messages: [
      'Nothing is left of an interrupted create of TlsEdge "a" of edges/dev, which is edgtls_2. Forget it with `pulumi refresh --clear-pending-creates`.',
    ],
  },
  "modules, commands and imports are repeated": {
    account: { tcpEdges: [{ id: "edgtcp_1", hostports }] },
    pending: [
      ["TcpEdgeIpRestriction", "office", { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] }],
      ["TunnelSessionCommand", "update", { sessionId: "ts_1", commands: ["update"] }],
      ["TcpEdge", "ssh", { hostports, __import: "edgtcp_1" }],
    ],
    messages: ['TcpEdgeIpRestriction "office"', 'TunnelSessionCommand "update"', 'TcpEdge "ssh"'].map(
      (name) => `The create of ${name} of edges/dev was interrupted. Run \`pulumi up\`, which repeats it.`,
    ),
  },
  "a secret is neither needed nor shown": {
    account: { tcpEdges: [{ id: "edgtcp_1", hostports, metadata: "hush" }] },
    pending: [
      [
        "TcpEdge",
        "ssh",
        {
          hostports,
          metadata: { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hush"' },
        },
      ],
    ],
    messages: [`${imports}.`],
  },
};

test.each(Object.entries(cases))("%s", async (_, { account, pending, resources = [], messages, ...options }) => {
  const service = await emulator();
  service.seed({ ...account, sshCredentials: [...(account.sshCredentials ?? []), anchor] });
  const known: typeof resources = [["SshCredential", "anchor", anchor.id], ...resources];
  const lines = await linesOf(service, "--state", stateFile(known, { pending, ...options }));
  expect(lines.flatMap(({ message }) => message?.replace(service.url, "") ?? [])).toEqual(messages);
});

test("a create that declared nothing may have made any object", async () => {
  const service = await emulator();
  const lines = await linesOf(
    service,
    "--state",
    stateFile([], { pending: [["ApiKey", "key", { keepers: { a: "1" } }]] }),
  );
  const [{ message }] = lines.filter(({ kind }) => kind === "pending") as [Record<string, string>];
  expect(message).toMatch(
    /^ak_\w+ \(created \S+\) may have been created for ApiKey "key" of edges\/dev, and its token is lost\. If so, and if edges\/dev uses this account, which its state does not show, and if no other stack has it, delete it/,
  );
});

describe("a create of another account", () => {
  const pending: Case["pending"] = [["ApiKey", "ci", { description: "CI" }]];
  const seed: Seed = { apiKeys: [{ id: "ak_1", description: "CI" }], sshCredentials: [anchor] };

  /** What is said of the create in a state with these resources. */
  async function describeCreate(resources: Parameters<typeof stateFile>[0], options: Parameters<typeof stateFile>[1]) {
    const service = await emulator();
    service.seed(seed);
    const lines = await linesOf(service, "--state", stateFile(resources, { pending, ...options }));
    return lines.filter(({ kind }) => kind === "pending").map(({ message }) => message);
  }

  test.each([
    ["dynamic", "tunnel-edge:baseUrl"],
    ["plugin", "baseUrl"],
  ] as const)("at another address is not looked for: %s", async (provider, key) => {
    const options = { provider, settings: { [key]: "https://other.example.com" } };
    const other =
      'The create of ApiKey "ci" of edges/dev was interrupted at https://other.example.com. Use the settings of that address.';
    expect(await describeCreate([], options)).toEqual([other]);
    expect(await describeCreate([["SshCredential", "anchor", anchor.id]], options)).toEqual([other]);
  });

  test("what a state manages at another address is neither missing nor asked for", async () => {
    const service = await emulator();
    const settings = { baseUrl: "https://other.example.com" };
    const lines = await linesOf(
      service,
      "--state",
      stateFile([["TcpEdge", "a", "edgtcp_a"]], { provider: "plugin", settings }),
    );
    expect(lines.flatMap(({ message }) => message ?? [])).toEqual([
      'edgtcp_a, which is TcpEdge "a" of edges/dev, is at https://other.example.com. To see it, use the settings of that address.',
    ]);
    expect(service.calls().filter((call) => call.includes("edgtcp_a"))).toEqual([]);
  });

  test("at the same address is known by what else its state manages", async () => {
    expect(await describeCreate([["SshCredential", "anchor", anchor.id]], {})).toEqual([
      expect.stringMatching(
        /^ak_1 was probably created for ApiKey "ci" of edges\/dev, and its token is lost\. If no other stack/,
      ),
    ]);
    expect(await describeCreate([["SshCredential", "anchor", "sshcr_elsewhere"]], {})).toEqual([
      'The create of ApiKey "ci" of edges/dev was interrupted, and nothing that edges/dev manages is in this account. If it is in another account, use the settings of that one. If everything was deleted, run `pulumi refresh`, then this command again.',
    ]);
    expect(await describeCreate([], {})).toEqual([
      expect.stringContaining(
        "lost. If edges/dev uses this account, which its state does not show, and if no other stack has it, delete",
      ),
    ]);
  });
});

test("what is unique in this account may be unique in another one", async () => {
  const service = await emulator();
  service.seed({ tcpEdges: [{ id: "edgtcp_1", hostports }] });
  const lines = await linesOf(service, "--state", stateFile([], { pending: [["TcpEdge", "ssh", { hostports }]] }));
  expect(lines.flatMap(({ message }) => message ?? [])).toEqual([
    'edgtcp_1 was probably created for TcpEdge "ssh" of edges/dev. If edges/dev uses this account, which its state does not show, and if no other stack has it, add import: "edgtcp_1" to its options and run `pulumi up`.',
  ]);
});

test("ids and names in commands are quoted", async () => {
  const service = await emulator();
  service.seed({ tcpEdges: [{ id: "edgtcp_$(x)", hostports }], sshCredentials: [anchor] });
  const known: Parameters<typeof stateFile>[0] = [["SshCredential", "anchor", anchor.id]];
  const pending: Case["pending"] = [["TcpEdge", "a b", { hostports }]];
  const lines = await linesOf(service, "--state", stateFile(known, { pending, provider: "plugin" }));
  const [{ message }] = lines.filter(({ kind }) => kind === "pending") as [Record<string, string>];
  expect(message).toContain("`pulumi import tunnel-edge:index:TcpEdge 'a b' 'edgtcp_$(x)'`");
});
