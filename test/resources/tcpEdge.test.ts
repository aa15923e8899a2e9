import { tcpEdge } from "../../src/resources/tcpEdge";
import { type Call, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /edges/tcp/{id}", body]);
const putIpRestriction = (body: object) => updates(["PUT /edges/tcp/{id}/ip_restriction", body]);
const remove = (module: string): Call => [`DELETE /edges/tcp/{id}/${module}`];

const rule = (name: string) => ({
  name,
  expressions: ["conn.ServerPort == 22"],
  actions: [{ type: "deny", config: { some_Key: 1 } }],
});
const [inbound, outbound] = [
  [rule("in"), rule("in too")],
  [rule("out"), rule("out too")],
];
const full = {
  description: "ssh",
  metadata: "team=edge",
  hostports: ["1.tcp.example.com:20022", "1.tcp.example.com:20023"],
  backend: { enabled: false, backendId: "bkdhr_1" },
  ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  policy: { enabled: false, inbound, outbound },
};
const wire = {
  description: "ssh",
  metadata: "team=edge",
  hostports: ["1.tcp.example.com:20022", "1.tcp.example.com:20023"],
  backend: { enabled: false, backend_id: "bkdhr_1" },
  ip_restriction: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
  policy: { enabled: false, inbound, outbound },
};

const stage = suite(tcpEdge, {
  full,
  wire,
  everything: {
    add: patch(wire),
    clear: updates(
      ["PATCH /edges/tcp/{id}", { description: "", metadata: "", hostports: [] }],
      remove("backend"),
      remove("ip_restriction"),
      remove("policy"),
    ),
  },
  rows: {
    description: {
      other: "web",
      add: patch({ description: "ssh" }),
      change: patch({ description: "web" }),
      clear: patch({ description: "" }),
      theirs: "theirs",
    },
    metadata: {
      other: "team=web",
      add: patch({ metadata: "team=edge" }),
      change: patch({ metadata: "team=web" }),
      clear: patch({ metadata: "" }),
      theirs: "theirs",
    },
    hostports: {
      other: ["1.tcp.example.com:20023"],
      add: patch({ hostports: full.hostports }),
      change: patch({ hostports: ["1.tcp.example.com:20023"] }),
      clear: patch({ hostports: [] }),
      theirs: ["1.tcp.example.com:20024"],
    },
    backend: {
      add: patch({ backend: wire.backend }),
      clear: updates(remove("backend")),
      theirs: "removed",
    },
    "backend.enabled": {
      other: true,
      add: patch({ backend: { enabled: false, backend_id: "bkdhr_1" } }),
      change: patch({ backend: { enabled: true, backend_id: "bkdhr_1" } }),
      clear: patch({ backend: { backend_id: "bkdhr_1" } }),
      theirs: true,
      againstDefault: false,
    },
    "backend.backendId": {
      other: "bkdhr_2",
      change: patch({ backend: { enabled: false, backend_id: "bkdhr_2" } }),
      theirs: "bkdhr_3",
    },
    ipRestriction: {
      add: putIpRestriction(wire.ip_restriction),
      clear: updates(remove("ip_restriction")),
      theirs: "removed",
    },
    "ipRestriction.enabled": {
      other: true,
      add: putIpRestriction({ enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] }),
      change: putIpRestriction({ enabled: true, ip_policy_ids: ["ipp_a", "ipp_b"] }),
      clear: putIpRestriction({ ip_policy_ids: ["ipp_a", "ipp_b"] }),
      theirs: true,
      againstDefault: false,
    },
    "ipRestriction.ipPolicyIds": {
      other: ["ipp_c"],
      change: putIpRestriction({ enabled: false, ip_policy_ids: ["ipp_c"] }),
      theirs: ["ipp_a"],
    },
    policy: {
      add: patch({ policy: wire.policy }),
      clear: updates(remove("policy")),
      theirs: "removed",
    },
    "policy.enabled": {
      other: true,
      add: patch({ policy: { enabled: false } }),
      change: patch({ policy: { ...wire.policy, enabled: true } }),
      clear: patch({ policy: { inbound, outbound } }),
      theirs: true,
      againstDefault: false,
    },
    "policy.inbound": {
      other: [rule("first"), rule("second")],
      add: patch({ policy: { inbound } }),
      change: patch({ policy: { ...wire.policy, inbound: [rule("first"), rule("second")] } }),
      clear: patch({ policy: { enabled: false, outbound } }),
      theirs: [rule("theirs")],
      againstDefault: [rule("theirs")],
      ordered: true,
    },
    "policy.outbound": {
      other: [],
      add: patch({ policy: { outbound } }),
      change: patch({ policy: { ...wire.policy, outbound: [] } }),
      clear: patch({ policy: { enabled: false, inbound } }),
      theirs: [rule("theirs")],
      againstDefault: [rule("theirs")],
      ordered: true,
    },
  },
});

test("placeholder", () => expect(stage).toBeDefined());
