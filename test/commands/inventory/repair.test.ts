/** What an interrupted create has left in the account, and the next step. */
import type { Seed } from "pulumi-tunnel-edge/emulator";
import { curlDelete } from "../../support/curl";
import { publicKey } from "../../support/data/publicKey";
import type { Properties } from "../../support/engine/provider";
import { emulator, linesOf, type Provider, stateFile } from "./support";

const hostports = ["a.example.com:22"];

/** What a state manages shows that it is of this account. */
const anchor = { id: "sshcr_anchor", public_key: publicKey("anchor") };

type Pending = [type: string, name: string, inputs: Properties][];
interface Case {
  account: Seed;
  pending: Pending;
  resources?: Parameters<typeof stateFile>[0];
  provider?: Provider;
  created?: string;
  messages: string[];
}

const imports =
  'edgtcp_1 was probably created for TcpEdge "ssh" of edges/dev: add import: "edgtcp_1" to its options and run `pulumi up`';
const nothing = (name: string) =>
  `The create of ${name} of edges/dev was interrupted, and nothing in the account matches it. Run \`pulumi up\`, which creates it.`;
const probably = (id: string, name: string) =>
  `${id} was probably created for TlsEdge "${name}" of edges/dev. If no other stack has it, add import: "${id}" to its options and run \`pulumi up\`.`;
const repeated = (name: string) =>
  `The create of ${name} of edges/dev was interrupted. Run \`pulumi up\`, which repeats it.`;

const ssh = { id: "edgtcp_1", hostports };
const pendingSsh: Pending = [["TcpEdge", "ssh", { hostports }]];
const [tls1, tls2] = [
  { id: "edgtls_1", description: "x" },
  { id: "edgtls_2", description: "x" },
];
const pendingTls: Pending = [["TlsEdge", "a", { description: "x" }]];
const key = { id: "ak_1", description: "CI" };
const pendingKey: Pending = [["ApiKey", "ci", { description: "CI" }]];
const hush = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hush"' };

const cases: Record<string, Case> = {
  "finds an edge by its hostports": {
    account: { tcpEdges: [ssh, { id: "edgtcp_2" }] },
    pending: pendingSsh,
    messages: [`${imports}.`],
  },
  "prints the command that imports an edge with the plugin": {
    account: { tcpEdges: [ssh] },
    pending: pendingSsh,
    provider: "plugin",
    messages: [`${imports}, or run \`pulumi import tunnel-edge:index:TcpEdge ssh edgtcp_1\`.`],
  },
  "finds a credential by its public key": {
    account: { sshCredentials: [{ id: "sshcr_1", public_key: publicKey("a") }, { public_key: publicKey("b") }] },
    pending: [["SshCredential", "a", { publicKey: publicKey("a").replace(/ \S+$/, " another-comment") }]],
    messages: [
      'sshcr_1 was probably created for SshCredential "a" of edges/dev: add import: "sshcr_1" to its options and run `pulumi up`.',
    ],
  },
  "advises to delete an API key, whose token is lost": {
    account: { apiKeys: [key] },
    pending: pendingKey,
    messages: [
      `ak_1 was probably created for ApiKey "ci" of edges/dev, and its token is lost. If no other stack has it, delete it with ${curlDelete("", "/api_keys/ak_1")} and run \`pulumi up\`, which creates a new one.`,
    ],
  },
  "ignores an object that a state manages": {
    account: { tlsEdges: [tls1] },
    pending: pendingTls,
    resources: [["TlsEdge", "other", "edgtls_1"]],
    messages: [nothing('TlsEdge "a"')],
  },
  "ignores an object that differs": {
    account: { tcpEdges: [{ ...ssh, description: "somebody else's" }] },
    pending: [["TcpEdge", "ssh", { hostports, description: "mine" }]],
    messages: [nothing('TcpEdge "ssh"')],
  },
  "ignores an object that is older than the stack": {
    account: { apiKeys: [key] },
    pending: pendingKey,
    created: "2999-01-01T00:00:00Z",
    messages: [nothing('ApiKey "ci"')],
  },
  "names all objects that match": {
    account: { tlsEdges: [tls1, tls2] },
    pending: pendingTls,
    messages: [
      expect.stringMatching(
        /^edgtls_\d \(created \S+\) or edgtls_\d \(created \S+\) may have been created for TlsEdge "a" of edges\/dev\. If so, and if no other stack has it, add import: "edgtls_\d" to its options and run `pulumi up`\.$/,
      ),
    ],
  },
  "finds the object of each create": {
    account: { tlsEdges: [tls1, { ...tls2, metadata: "m" }] },
    pending: [...pendingTls, ["TlsEdge", "b", { description: "x", metadata: "m" }]],
    messages: [probably("edgtls_1", "a"), probably("edgtls_2", "b")],
  },
  "finds one object for a create that was interrupted twice": {
    account: { tlsEdges: [tls1] },
    pending: [...pendingTls, ...pendingTls],
    messages: [probably("edgtls_1", "a")],
  },
  "advises to delete the old object of a resource that was created again": {
    account: { tlsEdges: [tls1, tls2] },
    pending: pendingTls,
    resources: [["TlsEdge", "a", "edgtls_2"]],
    messages: [
      `edgtls_1 was probably created for TlsEdge "a" of edges/dev, which is edgtls_2 now. If no other stack has it, delete it with ${curlDelete("", "/edges/tls/edgtls_1")}.`,
    ],
  },
  "advises to forget a create that left nothing": {
    account: { tlsEdges: [{ id: "edgtls_2" }] },
    pending: pendingTls,
    resources: [["TlsEdge", "a", "edgtls_2"]],
    messages: [
      'Nothing is left of an interrupted create of TlsEdge "a" of edges/dev, which is edgtls_2. Forget it with `pulumi refresh --clear-pending-creates`.',
    ],
  },
  "advises to repeat modules, commands and imports": {
    account: { tcpEdges: [ssh] },
    pending: [
      ["TcpEdgeIpRestriction", "office", { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] }],
      ["TunnelSessionCommand", "update", { sessionId: "ts_1", commands: ["update"] }],
      ["TcpEdge", "ssh", { hostports, __import: "edgtcp_1" }],
    ],
    messages: ['TcpEdgeIpRestriction "office"', 'TunnelSessionCommand "update"', 'TcpEdge "ssh"'].map(repeated),
  },
  "neither needs nor shows a secret": {
    account: { tcpEdges: [{ ...ssh, metadata: "hush" }] },
    pending: [["TcpEdge", "ssh", { hostports, metadata: hush }]],
    messages: [`${imports}.`],
  },
};

/** What is said of the creates of a state, and the service that was asked. */
async function listMessages(
  account: Seed,
  resources: NonNullable<Case["resources"]>,
  options: Parameters<typeof stateFile>[1],
) {
  const service = await emulator();
  service.seed(account);
  const lines = await linesOf(service, "--state", stateFile(resources, options));
  const messages = lines.flatMap(({ message }) => message?.replace(service.url, "") ?? []);
  return { messages, pending: lines.filter(({ kind }) => kind === "pending").map(({ message }) => message), service };
}
const known: NonNullable<Case["resources"]> = [["SshCredential", "anchor", anchor.id]];

test.each(Object.entries(cases))("%s", async (_, { account, resources = [], messages, ...options }) => {
  const seed = { ...account, sshCredentials: [...(account.sshCredentials ?? []), anchor] };
  expect((await listMessages(seed, [...known, ...resources], options)).messages).toEqual(messages);
});

test("warns that a create without arguments may have created any object", async () => {
  const { pending } = await listMessages({}, [], { pending: [["ApiKey", "key", { keepers: { a: "1" } }]] });
  expect(pending[0]).toMatch(
    /^ak_\w+ \(created \S+\) may have been created for ApiKey "key" of edges\/dev, and its token is lost\. If so, and if edges\/dev uses this account, which its state does not show, and if no other stack has it, delete it/,
  );
});

describe("a state of another account", () => {
  const account: Seed = { apiKeys: [key], sshCredentials: [anchor] };
  const listPending = async (...[resources, options]: [typeof known, Parameters<typeof stateFile>[1]?]) =>
    (await listMessages(account, resources, { pending: pendingKey, ...options })).pending;

  test.each([
    ["dynamic", "tunnel-edge:baseUrl"],
    ["plugin", "baseUrl"],
  ] as const)("has a create at another address, which is named: %s", async (provider, setting) => {
    const options = { provider, settings: { [setting]: "https://other.example.com" } };
    const other =
      'The create of ApiKey "ci" of edges/dev was interrupted at https://other.example.com. Use the settings of that address.';
    for (const resources of [[], known]) expect(await listPending(resources, options)).toEqual([other]);
  });

  test("has an object at another address, which is neither read nor missing", async () => {
    const options = { provider: "plugin", settings: { baseUrl: "https://other.example.com" } } as const;
    const { messages, service } = await listMessages({}, [["TcpEdge", "a", "edgtcp_a"]], options);
    expect(messages).toEqual([
      'edgtcp_a, which is TcpEdge "a" of edges/dev, is at https://other.example.com. To see it, use the settings of that address.',
    ]);
    expect(service.calls().filter((call) => call.includes("edgtcp_a"))).toEqual([]);
  });

  test("is recognized by the other objects that it manages", async () => {
    expect(await listPending(known)).toEqual([
      expect.stringMatching(
        /^ak_1 was probably created for ApiKey "ci" of edges\/dev, and its token is lost\. If no other stack/,
      ),
    ]);
    expect(await listPending([["SshCredential", "anchor", "sshcr_elsewhere"]])).toEqual([
      'The create of ApiKey "ci" of edges/dev was interrupted, and nothing that edges/dev manages is in this account. If it is in another account, use the settings of that one. If everything was deleted, run `pulumi refresh`, then this command again.',
    ]);
    expect(await listPending([])).toEqual([
      expect.stringContaining(
        "lost. If edges/dev uses this account, which its state does not show, and if no other stack has it, delete",
      ),
    ]);
  });
});

test("warns that a unique value may also be in another account", async () => {
  const { messages } = await listMessages({ tcpEdges: [ssh] }, [], { pending: pendingSsh });
  expect(messages).toEqual([
    'edgtcp_1 was probably created for TcpEdge "ssh" of edges/dev. If edges/dev uses this account, which its state does not show, and if no other stack has it, add import: "edgtcp_1" to its options and run `pulumi up`.',
  ]);
});

test("quotes ids and names in commands", async () => {
  const account = { tcpEdges: [{ id: "edgtcp_$(x)", hostports }], sshCredentials: [anchor] };
  const options = { pending: [["TcpEdge", "a b", { hostports }]] as Pending, provider: "plugin" as const };
  const { pending } = await listMessages(account, known, options);
  expect(pending[0]).toContain("`pulumi import tunnel-edge:index:TcpEdge 'a b' 'edgtcp_$(x)'`");
});
