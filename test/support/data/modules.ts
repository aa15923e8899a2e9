/**
 * The modules that several resources have: each argument, and another value for it. The tests of every resource that has
 * the module use its table, and those of the API document its complete body.
 */
import type { Properties } from "../engine/provider";

/** An argument of a module. */
export interface ModuleRow {
  /** Another value than the one in `full`. */
  other: unknown;
  outsideValue?: unknown;
  nonDefault?: unknown;
  ordered?: true;
  /** The module's other arguments, if some of `full` are incompatible with the other value. */
  baseArgs?: Properties;
  /**
   * The body when the argument is added, changed or left out, if that is not the module with just this difference; null
   * if nothing is sent.
   */
  add?: object | null;
  change?: object;
  clear?: object;
}

export interface ModuleTable {
  /** Every argument, each with another value than the service's default. */
  full: Properties;
  /** The same, as requests have it. */
  wire: Properties;
  /** The argument that is required, if there is one. */
  required?: string;
  rows: Record<string, ModuleRow>;
}

/** A switch that every module has. */
export const enabled: ModuleRow = { other: true, outsideValue: true, nonDefault: false };

export const backend: ModuleTable = {
  full: { enabled: false, backendId: "bkdhr_1" },
  wire: { enabled: false, backend_id: "bkdhr_1" },
  required: "backendId",
  rows: { enabled, backendId: { other: "bkdhr_2", outsideValue: "bkdhr_3" } },
};

export const ipRestriction: ModuleTable = {
  full: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  wire: { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] },
  required: "ipPolicyIds",
  rows: { enabled, ipPolicyIds: { other: ["ipp_c"], outsideValue: ["ipp_a"] } },
};

export const mutualTls: ModuleTable = {
  full: { enabled: false, certificateAuthorityIds: ["ca_a", "ca_b"] },
  wire: { enabled: false, certificate_authority_ids: ["ca_a", "ca_b"] },
  required: "certificateAuthorityIds",
  rows: { enabled, certificateAuthorityIds: { other: ["ca_c"], outsideValue: ["ca_a"] } },
};

export const tlsTermination: ModuleTable = {
  full: { enabled: false, terminateAt: "edge", minVersion: "1.2" },
  wire: { enabled: false, terminate_at: "edge", min_version: "1.2" },
  rows: {
    enabled,
    terminateAt: {
      baseArgs: { terminateAt: "edge" },
      other: "upstream",
      add: null, // the service has chosen the same
      change: { terminate_at: "upstream" },
      clear: {},
    },
    minVersion: { other: "1.3", outsideValue: "1.0" },
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
const theirs = { outsideValue: [rule("theirs")], nonDefault: [rule("theirs")], ordered: true } as const;

export const policy: ModuleTable = {
  full: { enabled: false, inbound, outbound },
  wire: { enabled: false, inbound, outbound },
  rows: {
    enabled,
    inbound: { ...theirs, other: [rule("first"), rule("second")] },
    outbound: { ...theirs, other: [] },
  },
};
