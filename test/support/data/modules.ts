/**
 * The modules that several resources have: each argument, and what is sent when it is added, changed or removed. The
 * tests of every resource that has the module use its table, and those of the API document its complete body.
 */
import type { Properties } from "../engine/provider";

/** An argument of a module. The bodies are those of the whole module. */
export interface ModuleRow {
  /** Another value than the one in `full`. */
  other: unknown;
  /** The body when the argument is added; null if that sends nothing. Absent if it is required. */
  add?: object | null;
  change: object;
  clear?: object;
  /** The module's other arguments, if some of `full` are incompatible with the other value. */
  baseArgs?: Properties;
  outsideValue?: unknown;
  nonDefault?: unknown;
  ordered?: true;
}

export interface ModuleTable {
  /** Every argument, each with another value than the service's default. */
  full: Properties;
  /** The same, as requests have it. */
  wire: Properties;
  rows: Record<string, ModuleRow>;
}

export const backend: ModuleTable = {
  full: { enabled: false, backendId: "bkdhr_1" },
  wire: { enabled: false, backend_id: "bkdhr_1" },
  rows: {
    enabled: {
      other: true,
      add: { enabled: false, backend_id: "bkdhr_1" },
      change: { enabled: true, backend_id: "bkdhr_1" },
      clear: { backend_id: "bkdhr_1" },
      outsideValue: true,
      nonDefault: false,
    },
    backendId: { other: "bkdhr_2", change: { enabled: false, backend_id: "bkdhr_2" }, outsideValue: "bkdhr_3" },
  },
};

export const ipRestriction: ModuleTable = {
  full: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  wire: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
  rows: {
    enabled: {
      other: true,
      add: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
      change: { enabled: true, ip_policy_ids: ["ipp_a", "ipp_b"] },
      clear: { ip_policy_ids: ["ipp_a", "ipp_b"] },
      outsideValue: true,
      nonDefault: false,
    },
    ipPolicyIds: {
      other: ["ipp_c"],
      change: { enabled: false, ip_policy_ids: ["ipp_c"] },
      outsideValue: ["ipp_a"],
    },
  },
};

export const mutualTls: ModuleTable = {
  full: { enabled: false, certificateAuthorityIds: ["ca_a", "ca_b"] },
  wire: { enabled: false, certificate_authority_ids: ["ca_a", "ca_b"] },
  rows: {
    enabled: {
      other: true,
      add: { enabled: false, certificate_authority_ids: ["ca_a", "ca_b"] },
      change: { enabled: true, certificate_authority_ids: ["ca_a", "ca_b"] },
      clear: { certificate_authority_ids: ["ca_a", "ca_b"] },
      outsideValue: true,
      nonDefault: false,
    },
    certificateAuthorityIds: {
      other: ["ca_c"],
      change: { enabled: false, certificate_authority_ids: ["ca_c"] },
      outsideValue: ["ca_a"],
    },
  },
};

export const tlsTermination: ModuleTable = {
  full: { enabled: false, terminateAt: "edge", minVersion: "1.2" },
  wire: { enabled: false, terminate_at: "edge", min_version: "1.2" },
  rows: {
    enabled: {
      other: true,
      add: { enabled: false },
      change: { enabled: true, terminate_at: "edge", min_version: "1.2" },
      clear: { terminate_at: "edge", min_version: "1.2" },
      outsideValue: true,
      nonDefault: false,
    },
    terminateAt: {
      baseArgs: { terminateAt: "edge" },
      other: "upstream",
      add: null, // the service has chosen the same
      change: { terminate_at: "upstream" },
      clear: {},
    },
    minVersion: {
      other: "1.3",
      add: { min_version: "1.2" },
      change: { enabled: false, terminate_at: "edge", min_version: "1.3" },
      clear: { enabled: false, terminate_at: "edge" },
      outsideValue: "1.0",
    },
  },
};

export const rule = (name: string) => ({
  name,
  expressions: ["conn.ServerPort == 22"],
  actions: [{ type: "deny", config: { some_Key: 1 } }],
});
const [inbound, outbound] = [
  [rule("in"), rule("in too")],
  [rule("out"), rule("out too")],
];

export const policy: ModuleTable = {
  full: { enabled: false, inbound, outbound },
  wire: { enabled: false, inbound, outbound },
  rows: {
    enabled: {
      other: true,
      add: { enabled: false },
      change: { enabled: true, inbound, outbound },
      clear: { inbound, outbound },
      outsideValue: true,
      nonDefault: false,
    },
    inbound: {
      other: [rule("first"), rule("second")],
      add: { inbound },
      change: { enabled: false, inbound: [rule("first"), rule("second")], outbound },
      clear: { enabled: false, outbound },
      outsideValue: [rule("theirs")],
      nonDefault: [rule("theirs")],
      ordered: true,
    },
    outbound: {
      other: [],
      add: { outbound },
      change: { enabled: false, inbound, outbound: [] },
      clear: { enabled: false, inbound },
      outsideValue: [rule("theirs")],
      nonDefault: [rule("theirs")],
      ordered: true,
    },
  },
};
