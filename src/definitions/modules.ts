/** The modules that several resources have, as the API document's sections 2.8 to 2.10 list them. */

import type * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../json";
import type { Definition, List } from "./definition";
import { choice, type Fields, flag, reference, references, rules, version } from "./fields";

/** Where edges are listed. */
export const edgeLists: Record<"tcp" | "tls", List> = {
  tcp: { displayName: "TCP edge", route: "GET /edges/tcp", key: "tcp_edges" },
  tls: { displayName: "TLS edge", route: "GET /edges/tls", key: "tls_edges" },
};

/** A hostport belongs to one edge, of whichever kind. */
export const uniqueHostports: Definition["unique"] = {
  argument: "hostports",
  among: [edgeLists.tcp, edgeLists.tls],
  advice: "take it from that one first; an edge that this same up removes goes last, so remove it in an up of its own.",
  awaited: true,
};

/** Arguments as outputs and function results have them: plain values, in which a list is never undefined. */
export type Resolved<Args> = WithLists<pulumi.Unwrap<Args>>;

type WithLists<T> = T extends (infer Item)[]
  ? WithLists<Item>[]
  : T extends object
    ? { [Name in keyof T]: WithLists<T[Name]> } & {
        [Name in keyof T as NonNullable<T[Name]> extends unknown[] ? Name : never]-?: WithLists<NonNullable<T[Name]>>;
      }
    : T;

/** Every module's switch: true when it is left out. */
export const enabled = flag({ default: true });

/** The backend that backs an edge. */
export interface BackendArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /** The id of the backend, such as `bkdhr_…`. */
  backendId: pulumi.Input<string>;
}

export const backend: Fields = { enabled, backendId: reference("backend") };

/** The IP policies that decide which source addresses may reach an edge. */
export interface IpRestrictionArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /** The ids of the IP policies, `ipp_…`: one at least. Their order has no meaning. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

export const ipRestriction: Fields = {
  enabled,
  ipPolicyIds: references("ip_policies", (schemas) => schemas.id("an IP policy", "ipp_")),
};

/** The certificate authorities that a client's certificate must come from. */
export interface MutualTlsArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /** The ids of the certificate authorities: one at least. Their order has no meaning. */
  certificateAuthorityIds: pulumi.Input<pulumi.Input<string>[]>;
}

export const mutualTls: Fields = {
  enabled,
  certificateAuthorityIds: references("certificate_authorities", (schemas) => schemas.nonEmpty()),
};

/** A version of TLS: one of these, or another that the service supports. */
export type TlsVersion = "1.0" | "1.1" | "1.2" | "1.3" | (string & {});

/** Where and how TLS is terminated. */
export interface TlsTerminationArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /**
   * `edge`: the edge terminates TLS. `upstream`: TLS passes through to the agent or application server, and most
   * other modules are not allowed, since they need the traffic in the clear.
   */
  terminateAt?: pulumi.Input<"edge" | "upstream">;
  /**
   * The lowest TLS version accepted: `1.0`, `1.1`, `1.2` or `1.3`; any other is sent with a warning. Not allowed with
   * `terminateAt: "upstream"`.
   * @default chosen by the service
   */
  minVersion?: pulumi.Input<TlsVersion>;
}

export const tlsTermination: Fields = { enabled, terminateAt: choice("edge", "upstream"), minVersion: version() };

/** What passing TLS through to the upstream rules out: `prefix` stands before the names of the module's arguments. */
export function upstreamProblems(termination: JsonObject, prefix: string): string[] {
  if (termination.terminateAt !== "upstream" || termination.minVersion === undefined) return [];
  return [
    `${prefix}minVersion cannot be combined with ${prefix}terminateAt "upstream", where the edge does not terminate TLS`,
  ];
}

/** A traffic policy: rules for what comes in and what goes out. */
export interface PolicyArgs {
  /**
   * Whether the module is applied to traffic.
   * @default true
   */
  enabled?: pulumi.Input<boolean>;
  /** The rules for incoming traffic, in the order in which they apply. */
  inbound?: pulumi.Input<pulumi.Input<PolicyRuleArgs>[]>;
  /** The rules for outgoing traffic, in the order in which they apply. */
  outbound?: pulumi.Input<pulumi.Input<PolicyRuleArgs>[]>;
}

/** A rule of a traffic policy. */
export interface PolicyRuleArgs {
  /** The rule's name within the policy. */
  name?: pulumi.Input<string>;
  /** CEL expressions: the rule applies to traffic that they match. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;
  /** What the rule does, in this order. */
  actions?: pulumi.Input<pulumi.Input<PolicyActionArgs>[]>;
}

/** An action of a traffic policy's rule. */
export interface PolicyActionArgs {
  /** The kind of action, such as `deny`. */
  type?: pulumi.Input<string>;
  /** The action's configuration; its keys are sent exactly as written. */
  config?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>;
}

export const policy: Fields = { enabled, inbound: rules(), outbound: rules() };
