import { tlsEdge } from "../../src/resources/tlsEdge";
import { type Call, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /edges/tls/{id}", body]);
const putTermination = (body: object) => updates(["PUT /edges/tls/{id}/tls_termination", body]);
const remove = (module: string): Call => [`DELETE /edges/tls/{id}/${module}`];

const rule = (name: string) => ({ name, expressions: ["true"], actions: [{ type: "log" }] });
const [inbound, outbound] = [
  [rule("in"), rule("in too")],
  [rule("out"), rule("out too")],
];
const full = {
  description: "api",
  metadata: "team=edge",
  hostports: ["api.example.com:443", "www.example.com:443"],
  backend: { enabled: false, backendId: "bkdhr_1" },
  ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  mutualTls: { enabled: false, certificateAuthorityIds: ["ca_a", "ca_b"] },
  tlsTermination: { enabled: false, terminateAt: "edge", minVersion: "1.2" },
  policy: { enabled: false, inbound, outbound },
};
const wire = {
  description: "api",
  metadata: "team=edge",
  hostports: ["api.example.com:443", "www.example.com:443"],
  backend: { enabled: false, backend_id: "bkdhr_1" },
  ip_restriction: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
  mutual_tls: { enabled: false, certificate_authority_ids: ["ca_a", "ca_b"] },
  tls_termination: { enabled: false, terminate_at: "edge", min_version: "1.2" },
  policy: { enabled: false, inbound, outbound },
};

const stage = suite(tlsEdge, {
  full,
  wire,
  everything: {
    add: patch(wire),
    clear: updates(
      ["PATCH /edges/tls/{id}", { description: "", metadata: "", hostports: [] }],
      remove("backend"),
      remove("ip_restriction"),
      remove("mutual_tls"),
      remove("tls_termination"),
      remove("policy"),
    ),
  },
  rows: {
    description: {
      other: "web",
      add: patch({ description: "api" }),
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
      other: ["api.example.com:443"],
      add: patch({ hostports: full.hostports }),
      change: patch({ hostports: ["api.example.com:443"] }),
      clear: patch({ hostports: [] }),
      theirs: ["theirs.example.com:443"],
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
      add: patch({ ip_restriction: wire.ip_restriction }),
      clear: updates(remove("ip_restriction")),
      theirs: "removed",
    },
    "ipRestriction.enabled": {
      other: true,
      add: patch({ ip_restriction: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] } }),
      change: patch({ ip_restriction: { enabled: true, ip_policy_ids: ["ipp_a", "ipp_b"] } }),
      clear: patch({ ip_restriction: { ip_policy_ids: ["ipp_a", "ipp_b"] } }),
      theirs: true,
      againstDefault: false,
    },
    "ipRestriction.ipPolicyIds": {
      other: ["ipp_c"],
      change: patch({ ip_restriction: { enabled: false, ip_policy_ids: ["ipp_c"] } }),
      theirs: ["ipp_a"],
    },
    mutualTls: {
      add: patch({ mutual_tls: wire.mutual_tls }),
      clear: updates(remove("mutual_tls")),
      theirs: "removed",
    },
    "mutualTls.enabled": {
      other: true,
      add: patch({ mutual_tls: { enabled: false, certificate_authority_ids: ["ca_a", "ca_b"] } }),
      change: patch({ mutual_tls: { enabled: true, certificate_authority_ids: ["ca_a", "ca_b"] } }),
      clear: patch({ mutual_tls: { certificate_authority_ids: ["ca_a", "ca_b"] } }),
      theirs: true,
      againstDefault: false,
    },
    "mutualTls.certificateAuthorityIds": {
      other: ["ca_c"],
      change: patch({ mutual_tls: { enabled: false, certificate_authority_ids: ["ca_c"] } }),
      theirs: ["ca_a"],
    },
    tlsTermination: {
      add: putTermination(wire.tls_termination),
      clear: updates(remove("tls_termination")),
      theirs: "removed",
    },
    "tlsTermination.enabled": {
      other: true,
      add: putTermination({ enabled: false }),
      change: putTermination({ enabled: true, terminate_at: "edge", min_version: "1.2" }),
      clear: putTermination({ terminate_at: "edge", min_version: "1.2" }),
      theirs: true,
      againstDefault: false,
    },
    "tlsTermination.terminateAt": {
      around: { tlsTermination: { terminateAt: "edge" } },
      other: "upstream",
      add: updates(), // the service has chosen the same
      change: putTermination({ terminate_at: "upstream" }),
      clear: putTermination({}),
    },
    "tlsTermination.minVersion": {
      other: "1.3",
      add: putTermination({ min_version: "1.2" }),
      change: putTermination({ enabled: false, terminate_at: "edge", min_version: "1.3" }),
      clear: putTermination({ enabled: false, terminate_at: "edge" }),
      theirs: "1.0",
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
