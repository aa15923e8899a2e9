/** The modules that several resources have, as dev/api.md lists their fields. */

import type { FieldsOf } from "./fields/field";
import {
  boolean,
  deciding,
  enumOf,
  parentId,
  policyRules,
  reference,
  references,
  required,
  tlsVersion,
} from "./fields/fieldTypes";
import type { PolicyRule } from "./fields/policyRules";
import { ids, otherIds } from "./fields/valueTypes";

/** What every module has. */
export interface ModuleProps {
  /**
   * Whether the module applies to traffic.
   * @default true
   */
  enabled?: boolean;
}

export const enabled = boolean({ default: true });

/** The backend that receives an edge's traffic. */
export interface Backend extends ModuleProps {
  /** The id of the backend, such as `bkdtg_…`. */
  backendId: string;
}

export const backend: FieldsOf<Backend> = { enabled, backendId: required(reference("backend", otherIds("a backend"))) };

/** The IP policies that decide which source addresses can reach an edge. */
export interface IpRestriction extends ModuleProps {
  /** The ids of the IP policies, `ipp_…`. At least one is required. The order does not matter. */
  ipPolicyIds: string[];
}

export const ipRestriction: FieldsOf<IpRestriction> = {
  enabled,
  ipPolicyIds: deciding("items", required(references("ip_policies", ids("an IP policy", "ipp_")))),
};

/** The certificate authorities that issue the clients' certificates. */
export interface MutualTls extends ModuleProps {
  /** The ids of the certificate authorities. At least one is required. The order does not matter. */
  certificateAuthorityIds: string[];
}

export const mutualTls: FieldsOf<MutualTls> = {
  enabled,
  certificateAuthorityIds: deciding(
    "items",
    required(references("certificate_authorities", otherIds("a certificate authority"))),
  ),
};

/** A TLS version: one of these, or another that the service supports. */
export type TlsVersion = "1.0" | "1.1" | "1.2" | "1.3" | (string & {});

/** Where and how TLS is terminated. */
export interface TlsTermination extends ModuleProps {
  /**
   * `edge`: the edge terminates TLS. `upstream`: TLS passes through to the agent or application server, and most other
   * modules are not allowed, because they need access to the traffic.
   */
  terminateAt?: "edge" | "upstream";
  /**
   * The minimum TLS version: `1.0`, `1.1`, `1.2` or `1.3`. Any other value is sent with a warning. Not allowed with
   * `terminateAt: "upstream"`.
   * @default chosen by the service
   */
  minVersion?: TlsVersion;
}

export const tlsTermination: FieldsOf<TlsTermination> = {
  enabled,
  terminateAt: deciding("value", { ...enumOf("edge", "upstream"), mayBeChosen: (value) => value === "edge" }),
  minVersion: {
    ...tlsVersion(),
    conflict: ({ terminateAt, minVersion }, nameOf) =>
      terminateAt === "upstream" && minVersion !== undefined
        ? `cannot be combined with ${nameOf("terminateAt")} "upstream", where the edge does not terminate TLS`
        : undefined,
  },
};

/** A traffic policy: rules for incoming and outgoing traffic. */
export interface Policy extends ModuleProps {
  /** The rules for incoming traffic, in the order in which they apply. */
  inbound?: PolicyRule[];
  /** The rules for outgoing traffic, in the order in which they apply. */
  outbound?: PolicyRule[];
}

export const policy: FieldsOf<Policy> = {
  enabled,
  inbound: deciding("rules", policyRules()),
  outbound: policyRules(),
};

/** The route that a module belongs to. */
export interface EdgeRoute {
  /** The HTTPS edge, `edghts_…`. */
  edgeId: string;
  /** The route of the edge, `edghtsrt_…`. */
  routeId: string;
}

export const edgeRoute: FieldsOf<EdgeRoute> = {
  edgeId: parentId("an HTTPS edge", "edghts_"),
  routeId: parentId("a route of an HTTPS edge", "edghtsrt_"),
};
