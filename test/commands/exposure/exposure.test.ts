/** What a preview says about the public addresses that its change opens. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOpenedAddresses } from "../../../src/commands/exposure";
import { main } from "../../../src/commands/exposure/main";
import { type Properties, unknown } from "../../support/engine/provider";

const secret = "[secret]";
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const mutualTls = { certificateAuthorityIds: ["ca_a"] };
const policy = { inbound: [{ actions: [{ type: "deny" }] }] };
const reachable = { hostports: ["a.example:1"], backend: { backendId: "bkdhr_a" } };
const on = (module: object) => ({ enabled: true, ...module });

type Types = "dynamic" | "plugin";
interface Change {
  op?: string;
  old?: Properties;
  /** What the service has beside what the program declared. */
  unmanaged?: Properties;
  new?: Properties;
  id?: string;
  [option: string]: unknown;
}

/** A step as the CLI prints it. `old` and `new` are the arguments. */
function step(types: Types, type: string, name: string, change: Change) {
  const { op = "update", old, unmanaged = {}, new: inputs, id = "edgtcp_1", newOptions, oldOptions, ...rest } = change;
  const engineType = `${types === "dynamic" ? "pulumi-nodejs:dynamic/tunnel-edge" : "tunnel-edge:index"}:${type}`;
  const managed = types === "dynamic" ? { __managed: Object.keys(old ?? {}).join(" ") } : {};
  return {
    op,
    urn: `urn:pulumi:dev::test::${engineType}::${name}`,
    ...(old && {
      oldState: {
        type: engineType,
        id,
        inputs: old,
        outputs: { ...managed, ...old, ...unmanaged },
        ...Object(oldOptions),
      },
    }),
    ...(inputs && { newState: { type: engineType, inputs, ...Object(newOptions) } }),
    ...rest,
  };
}

const preview = (...steps: object[]) => ({ steps, changeSummary: {} });
const open = (...steps: object[]) => findOpenedAddresses(preview(...steps)).map(({ message }) => message);

const line = (reason: string, can = "can connect", edge = 'TcpEdge "ssh"', address = "a.example:1") =>
  `${edge}: after this change anyone ${can} to ${address} (${reason}).`;
const might = (reason: string, edge?: string, address?: string) =>
  line(reason, "might be able to connect", edge, address);
const removed = line("ipRestriction is removed");
const wasNotKnown = might(
  "the old value of ipRestriction is not known; policy, backend and hostports are unknown",
  'TcpEdgeIpRestriction "office"',
  "edgtcp_2",
);

describe.each<Types>(["dynamic", "plugin"])("with the types of the %s provider", (types) => {
  const edge = (change: Change, type = "TcpEdge") => step(types, type, "ssh", change);
  const module = (change: Change, type = "TcpEdgeIpRestriction") => step(types, type, "office", change);
  const restricted = { ...reachable, ipRestriction };
  const mutual = { ...reachable, mutualTls };
  const other = { ...reachable, hostports: ["b.example:2"] };
  const second = (change: Change, type = "TcpEdge") => step(types, type, "web", { id: "edgtcp_2", ...change });
  const denying = (...expressions: string[]) => ({ inbound: [{ expressions, actions: [{ type: "deny" }] }] });
  const logging = { inbound: [{ actions: [{ type: "log" }] }] };
  const routeId = "edghts_1/edghtsrt_1";
  const onRoute = { edgeId: "edghts_1", routeId: "edghtsrt_1" };
  const oidc = (change: Change) => step(types, "HttpsEdgeRouteOidc", "login", { id: routeId, ...change });
  const filter = (change: Change) => step(types, "HttpsEdgeRouteUserAgentFilter", "bots", { id: routeId, ...change });
  const login = { ...onRoute, issuer: "https://id.example" };
  const bots = { ...onRoute, deny: ["bot"] };

  const dependsOnEdge = { propertyDependencies: { edgeId: [edge({}).urn] } };
  const namesNewEdge = { ...dependsOnEdge, deletedWith: edge({}).urn };

  /** What a preview of an unchanged program, or of one with another description, shows of values that stay hidden. */
  const stays = (args: object, type?: string) => [
    edge({ op: "same", old: args as Properties, new: args as Properties }, type),
    edge(
      {
        old: { ...args, backend: on(reachable.backend) },
        new: { ...args, description: "x" },
        detailedDiff: { description: {} },
      },
      type,
    ),
  ];
  const hidden: Record<string, [steps: object[]]> = Object.fromEntries(
    Object.entries({
      "a secret module": stays({ ...reachable, ipRestriction: secret }),
      "secret ids": stays({ ...reachable, ipRestriction: { ipPolicyIds: secret } }),
      "a secret switch": stays({ ...reachable, ipRestriction: { enabled: secret, ...ipRestriction } }),
      "a secret policy": stays({ ...reachable, policy: secret }),
      "a secret expression": stays({ ...reachable, policy: denying(secret) }),
      "a secret policy beside an IP restriction": stays({ ...restricted, policy: secret }),
      "secret mutual TLS": stays({ ...reachable, mutualTls: secret }, "TlsEdge"),
      "secret termination": stays({ ...mutual, tlsTermination: secret }, "TlsEdge"),
      "a secret backend": stays({ ...restricted, backend: secret }),
      "secret hostports": stays({ ...restricted, hostports: secret }),
    }).flatMap(([name, [same, changed]]) => [
      [`${name}, unchanged`, [[same!]]],
      [`${name}, beside a description that changes`, [[changed!]]],
    ]),
  );

  const two = { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } };
  const secretly = { ...reachable, ipRestriction: secret };
  const unchanged = { detailedDiff: { mutualTls: {} } };
  /** What nobody should have to read about. */
  const everyday: Record<string, [steps: object[]]> = {
    ...hidden,
    "an unchanged program": [[edge({ op: "same", old: restricted, new: restricted })]],
    "another description": [[edge({ old: restricted, new: { ...restricted, description: "x" } })]],
    "ids in another order": [[edge({ old: two, new: { ...two, ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a"] } } })]],
    "an id less": [[edge({ old: two, new: restricted })]],
    "a restriction that is added": [[edge({ old: reachable, new: restricted })]],
    "a secret restriction that is added": [[edge({ old: reachable, new: secretly, detailedDiff: null })]],
    "a restriction that is added beside another": [
      [edge({ old: restricted, new: { ...restricted, mutualTls } }, "TlsEdge")],
    ],
    "a restriction that is added beside a secret one": [
      [edge({ old: secretly, new: { ...secretly, mutualTls }, ...unchanged }, "TlsEdge")],
    ],
    "an edge that is deleted": [[edge({ op: "delete", old: restricted })]],
    "an edge with secrets that is deleted": [
      [edge({ op: "delete", old: { ...secretly, hostports: secret, backend: secret } })],
    ],
    "a new edge with an IP policy": [[edge({ op: "create", new: restricted })]],
    "a new edge with an IP policy, and unknown hostports": [
      [edge({ op: "create", new: { ...restricted, hostports: unknown } })],
    ],
    "a new edge with its IP policy in a resource of its own": [
      [
        edge({ op: "create", new: reachable }),
        module({ op: "create", new: { edgeId: unknown, ...ipRestriction }, newOptions: namesNewEdge }),
      ],
    ],
    "a renamed edge with an IP policy": [
      [edge({ op: "create", new: restricted }), second({ op: "delete", old: restricted })],
    ],
  };
  test.each(Object.entries(everyday))("an everyday change has no line: %s", (_, [steps]) => {
    expect(open(...steps)).toEqual([]);
  });

  const cases: Record<string, [steps: object[], ...lines: string[]]> = {
    "a removed module": [[edge({ old: restricted, new: reachable })], removed],
    "a disabled module": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ...ipRestriction, enabled: false } } })],
      'TcpEdge "ssh": after this change anyone can connect to a.example:1 (ipRestriction is disabled).',
    ],
    "two modules": [
      [edge({ old: { ...restricted, policy }, new: { ...reachable, policy: { enabled: false } } })],
      'TcpEdge "ssh": after this change anyone can connect to a.example:1 (ipRestriction is removed and policy is disabled).',
    ],
    "several hostports": [
      [edge({ old: restricted, new: { ...reachable, hostports: ["a.example:1", "b.example:2"] } })],
      removed,
      line("new hostport; nothing restricts it", undefined, undefined, "b.example:2"),
    ],
    "a replaced edge": [[edge({ op: "replace", old: restricted, new: reachable })], removed],
    "a replaced edge that keeps its module": [[edge({ op: "replace", old: restricted, new: restricted })]],
    "upstream termination instead of mutual TLS": [
      [edge({ old: mutual, new: { ...reachable, tlsTermination: { terminateAt: "upstream" } } }, "TlsEdge")],
      'TlsEdge "ssh": after this change anyone can connect to a.example:1 (mutualTls is removed).',
    ],
    "upstream termination beside mutual TLS": [
      [
        edge(
          {
            old: reachable,
            unmanaged: { mutualTls },
            new: { ...reachable, tlsTermination: { terminateAt: "upstream" } },
          },
          "TlsEdge",
        ),
      ],
      'TlsEdge "ssh": after this change anyone can connect to a.example:1 (TLS is terminated upstream, which ends mutualTls).',
    ],
    "upstream termination by a separate resource": [
      [
        edge({ op: "same", old: mutual, new: mutual }, "TlsEdge"),
        module({ op: "create", new: { edgeId: "edgtcp_1", terminateAt: "upstream" } }, "TlsEdgeTlsTermination"),
      ],
      'TlsEdge "ssh": after this change anyone can connect to a.example:1 (TLS is terminated upstream, which ends mutualTls).',
    ],
    "a policy that no longer acts on incoming traffic": [
      [
        edge({
          old: { ...reachable, policy },
          new: { ...reachable, policy: { inbound: [], outbound: policy.inbound } },
        }),
      ],
      'TcpEdge "ssh": after this change anyone can connect to a.example:1 (policy has no action for incoming traffic).',
    ],
    "a policy that never acted on incoming traffic": [
      [edge({ old: { ...reachable, policy: { inbound: [{ actions: [] }] } }, new: reachable })],
    ],
    "a policy with unknown rules": [
      [edge({ old: { ...reachable, policy }, new: { ...reachable, policy: { inbound: [unknown] } } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (policy.inbound is unknown).',
    ],
    "another module restricts it": [[edge({ old: restricted, new: { ...reachable, policy } })]],
    "another module that the program does not declare": [
      [edge({ old: restricted, unmanaged: { policy: on(policy) }, new: reachable })],
    ],
    "a module that the program never declared": [
      [
        edge({
          old: reachable,
          unmanaged: { ipRestriction: on(ipRestriction) },
          new: { ...reachable, description: "x" },
        }),
      ],
    ],
    "an ignored module": [
      [edge({ old: restricted, new: restricted, newOptions: { ignoreChanges: ["ipRestriction"] } })],
    ],
    "an edge that was not restricted": [[edge({ old: reachable, new: { ...reachable, description: "x" } })]],
    "a new edge": [[edge({ op: "create", new: reachable })], line("new edge; nothing restricts it")],
    "a new edge without a backend": [[edge({ op: "create", new: { hostports: reachable.hostports } })]],
    "a new edge whose backend is disabled": [
      [edge({ op: "create", new: { ...reachable, backend: { backendId: "bkdhr_a", enabled: false } } })],
    ],
    "a new edge that denies everybody": [[edge({ op: "create", new: { ...reachable, policy } })]],
    "a new edge that denies some": [[edge({ op: "create", new: { ...reachable, policy: denying("a") } })]],
    "a new edge that only logs": [
      [edge({ op: "create", new: { ...reachable, policy: logging } })],
      might("new edge; policy has other actions than deny"),
    ],
    "a new edge with unknown hostports": [
      [edge({ op: "create", new: { ...reachable, hostports: unknown } })],
      might("new edge; hostports are unknown; nothing restricts it", undefined, "it"),
    ],
    "a new edge with an unknown backend": [
      [edge({ op: "create", new: { ...reachable, backend: unknown } })],
      might("new edge; backend is unknown; nothing restricts it"),
    ],
    "a new edge and a module that depends on it, but has another edge": [
      [
        edge({ op: "create", new: reachable }),
        module({ op: "create", new: { edgeId: "edgtcp_2", ...ipRestriction }, newOptions: dependsOnEdge }),
      ],
      line("new edge; nothing restricts it"),
      wasNotKnown,
    ],
    "a new edge and a module whose edge depends on two": [
      [
        edge({ op: "create", new: reachable }),
        module({
          op: "create",
          new: { edgeId: unknown, ...ipRestriction },
          newOptions: { propertyDependencies: { edgeId: [edge({}).urn, second({}).urn] } },
        }),
      ],
      might("new edge; ipRestriction is unknown"),
    ],
    "a new edge and a module that depends on it without being deleted with it": [
      [
        edge({ op: "create", new: reachable }),
        module({ op: "create", new: { edgeId: unknown, ...ipRestriction }, newOptions: dependsOnEdge }),
      ],
      // Only the classes say with which edge a module is deleted.
      ...(types === "dynamic" ? [might("new edge; ipRestriction is unknown")] : []),
    ],
    "a module that depends on an edge that exists, whose id would be known": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({
          op: "replace",
          old: ipRestriction,
          new: { edgeId: unknown, ...ipRestriction },
          newOptions: namesNewEdge,
        }),
      ],
      might("ipRestriction is unknown"),
    ],
    "a renamed edge": [
      [edge({ op: "create", new: reachable }), second({ op: "delete", old: restricted })],
      line('new edge in place of TcpEdge "web"; ipRestriction is removed'),
    ],
    "a renamed edge that stays open": [
      [edge({ op: "create", new: reachable }), second({ op: "delete", old: reachable })],
    ],
    "a new hostport of an open edge": [
      [edge({ old: reachable, new: { ...reachable, hostports: ["a.example:1", "b.example:2"] } })],
      line("new hostport; nothing restricts it", undefined, undefined, "b.example:2"),
    ],
    "a new hostport of a restricted edge": [
      [edge({ old: restricted, new: { ...restricted, hostports: ["a.example:1", "b.example:2"] } })],
    ],
    "a hostport in other letters": [[edge({ old: reachable, new: { ...reachable, hostports: ["A.example:1"] } })]],
    "a hostport that moves to an open edge": [
      [
        edge({ old: other, new: { ...other, hostports: ["b.example:2", "a.example:1"] } }),
        second({ old: restricted, new: { backend: reachable.backend, ipRestriction } }),
      ],
      line('moved from TcpEdge "web"; ipRestriction is removed'),
    ],
    "hostports that come back to an edge that lost its restriction": [
      [edge({ old: { backend: reachable.backend }, new: reachable })],
      line("new hostport; nothing restricts it"),
    ],
    "a backend that an open edge gets": [
      [edge({ old: { hostports: reachable.hostports }, new: reachable })],
      line("backend is added; nothing restricts it"),
    ],
    "a backend that is enabled": [
      [edge({ old: { ...reachable, backend: { ...reachable.backend, enabled: false } }, new: reachable })],
      line("backend is enabled; nothing restricts it"),
    ],
    "another IP policy": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_world"] } } })],
      might("ipp_world is new in ipRestriction"),
    ],
    "one more IP policy": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b", "ipp_c"] } } })],
      might("ipp_b and ipp_c are new in ipRestriction"),
    ],
    "an IP policy that another address used": [
      [
        edge({ old: restricted, new: { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_b"] } } }),
        second({ op: "delete", old: { ...other, ipRestriction: { ipPolicyIds: ["ipp_b"] } } }),
      ],
      might("ipp_b is new in ipRestriction"),
    ],
    "another IP policy beside mutual TLS, which stays": [
      [
        edge(
          { old: { ...restricted, mutualTls }, new: { ...mutual, ipRestriction: { ipPolicyIds: ["ipp_b"] } } },
          "TlsEdge",
        ),
      ],
      might("ipp_b is new in ipRestriction", 'TlsEdge "ssh"'),
    ],
    "another IP policy on an edge that was open": [
      [edge({ old: reachable, new: { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_world"] } } })],
    ],
    "another certificate authority": [
      [edge({ old: mutual, new: { ...reachable, mutualTls: { certificateAuthorityIds: ["ca_b"] } } }, "TlsEdge")],
      might("ca_b is new in mutualTls", 'TlsEdge "ssh"'),
    ],
    "an IP policy in place of mutual TLS": [
      [edge({ old: mutual, new: restricted }, "TlsEdge")],
      might("mutualTls is removed; only ipRestriction restricts it now", 'TlsEdge "ssh"'),
    ],
    "a policy that denies some, in place of an IP restriction": [
      [edge({ old: restricted, new: { ...reachable, policy: denying("a") } })],
      might("ipRestriction is removed; only policy restricts it now"),
    ],
    "a policy that denies some, as before, without the IP restriction beside it": [
      [
        edge({
          old: { ...restricted, policy: denying("a") },
          unmanaged: { policy: { enabled: true, ...denying("a"), outbound: [] } },
          new: { ...reachable, policy: denying("a") },
        }),
      ],
      might("ipRestriction is removed; only policy restricts it now"),
    ],
    "a policy that denies others than before": [
      [edge({ old: { ...reachable, policy: denying("a") }, new: { ...reachable, policy: denying("b") } })],
      might("policy may deny others than before"),
    ],
    "a policy that denied everybody": [
      [edge({ old: { ...reachable, policy }, new: { ...reachable, policy: denying("b") } })],
      might("policy may deny others than before"),
    ],
    "a policy that denies some, and an IP restriction that stays": [
      [edge({ old: restricted, new: { ...restricted, policy: denying("a") } })],
    ],
    "a policy that only logs, in place of an IP restriction": [
      [edge({ old: restricted, new: { ...reachable, policy: logging } })],
      might("ipRestriction is removed; policy has other actions than deny"),
    ],
    "a policy that only logs, as before": [
      [edge({ old: { ...reachable, policy: logging }, new: { ...reachable, policy: logging, description: "x" } })],
    ],
    "a replaced edge whose module names the old id": [
      [
        edge({ op: "replace", old: reachable, new: reachable }),
        module({ op: "same", old: ipRestriction, new: { edgeId: "edgtcp_1", ...ipRestriction } }),
      ],
      removed,
    ],
    "a route that loses its login": [
      [oidc({ op: "delete", old: login })],
      line("oidc is removed", undefined, 'HttpsEdgeRouteOidc "login"', routeId),
    ],
    "a route that loses its login, and keeps its filter": [
      [filter({ op: "same", old: bots, new: bots }), oidc({ old: login, new: { ...login, enabled: false } })],
      line("oidc is disabled", undefined, 'HttpsEdgeRouteOidc "login"', routeId),
    ],
    "a route that loses its filter": [
      [filter({ op: "delete", old: bots })],
      might("userAgentFilter is removed; oidc is unknown", 'HttpsEdgeRouteUserAgentFilter "bots"', routeId),
    ],
    "a route that loses its filter, and keeps its login": [
      [oidc({ op: "same", old: login, new: login }), filter({ op: "delete", old: bots })],
    ],
    "a route that gets a filter": [[filter({ op: "create", new: bots })]],
    "a route that gets a login": [
      [oidc({ op: "create", new: login })],
      might("the old value of oidc is not known", 'HttpsEdgeRouteOidc "login"', routeId),
    ],
    "a route whose login moves to another": [
      [oidc({ op: "replace", old: login, new: { ...login, routeId: "edghtsrt_2" } })],
      line("oidc is removed", undefined, 'HttpsEdgeRouteOidc "login"', routeId),
      might("the old value of oidc is not known", 'HttpsEdgeRouteOidc "login"', "edghts_1/edghtsrt_2"),
    ],
    "a route of an edge that is not known": [
      [oidc({ op: "replace", old: login, new: { ...login, edgeId: unknown } })],
      might("oidc is unknown", 'HttpsEdgeRouteOidc "login"', routeId),
      might("oidc and hostports are unknown", 'HttpsEdgeRouteOidc "login"', "it"),
    ],
    "TLS termination of an edge that is not in the program": [
      [module({ op: "create", new: { edgeId: "edgtls_2", terminateAt: "upstream" } }, "TlsEdgeTlsTermination")],
      might(
        "TLS is terminated upstream, which ends mutualTls; ipRestriction, policy, backend and hostports are unknown",
        'TlsEdgeTlsTermination "office"',
        "edgtls_2",
      ),
    ],
    "an edge without hostports": [
      [edge({ old: { ...restricted, hostports: [] }, new: { ...reachable, hostports: [] } })],
    ],
    "an edge that loses its hostports": [[edge({ old: restricted, new: { backend: reachable.backend } })]],
    "an edge with a disabled backend": [
      [edge({ old: restricted, new: { ...reachable, backend: { ...reachable.backend, enabled: false } } })],
    ],
    "a deleted separate module": [
      [edge({ op: "same", old: reachable, new: reachable }), module({ op: "delete", old: ipRestriction })],
      removed,
    ],
    "a deleted separate module that a refresh showed in the edge": [
      [
        edge({ op: "same", old: reachable, unmanaged: { ipRestriction: on(ipRestriction) }, new: reachable }),
        module({ op: "delete", old: ipRestriction }),
      ],
      removed,
    ],
    "a separate module that is disabled": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({ old: ipRestriction, new: { edgeId: "edgtcp_1", ...ipRestriction, enabled: false } }),
      ],
      'TcpEdge "ssh": after this change anyone can connect to a.example:1 (ipRestriction is disabled).',
    ],
    "a separate module that is retained": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({ op: "delete", old: ipRestriction, oldOptions: { retainOnDelete: true } }),
      ],
    ],
    "a separate module that moves into its edge": [
      [edge({ old: reachable, new: restricted }), module({ op: "delete", old: ipRestriction })],
    ],
    "a module that moves to a separate resource": [
      [
        edge({ old: restricted, new: reachable }),
        module({ op: "create", new: { edgeId: "edgtcp_1", ...ipRestriction } }),
      ],
    ],
    "a separate module that moves to another edge": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({ op: "replace", old: ipRestriction, new: { edgeId: "edgtcp_2", ...ipRestriction } }),
      ],
      removed,
      wasNotKnown,
    ],
    "a separate module that an earlier deployment moved, and could not delete": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({ op: "same", old: ipRestriction, id: "edgtcp_2", new: { edgeId: "edgtcp_2", ...ipRestriction } }),
        module({ op: "delete-replaced", old: ipRestriction }),
      ],
      removed,
    ],
    "the same, while it is replaced again": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({
          op: "create-replacement",
          old: ipRestriction,
          id: "edgtcp_2",
          new: { edgeId: "edgtcp_1", ...ipRestriction },
        }),
        module({ op: "replace", old: ipRestriction, id: "edgtcp_2", new: { edgeId: "edgtcp_1", ...ipRestriction } }),
        module({ op: "delete-replaced", old: ipRestriction, id: "edgtcp_2" }),
        module({ op: "delete-replaced", old: ipRestriction }),
      ],
      'TcpEdgeIpRestriction "office": after this change anyone might be able to connect to edgtcp_2 (ipRestriction is removed; policy, backend and hostports are unknown).',
    ],
    "a retained edge whose separate module is deleted": [
      [
        edge({ op: "delete", old: reachable, oldOptions: { retainOnDelete: true } }),
        module({ op: "delete", old: ipRestriction }),
      ],
      removed,
    ],
    "an edge that is only read": [
      [
        edge({ op: "read", old: {}, unmanaged: reachable, new: {}, newOptions: { external: true } }),
        module({ op: "delete", old: ipRestriction }),
      ],
      removed,
    ],
    "a replaced edge with its separate module": [
      [
        edge({ op: "replace", old: reachable, new: reachable }),
        module({
          op: "replace",
          old: ipRestriction,
          new: { edgeId: unknown, ...ipRestriction },
          newOptions: namesNewEdge,
        }),
      ],
    ],
    "an imported edge that takes the module of a separate resource": [
      [
        edge({ op: "create", new: { ...restricted, __import: "edgtcp_1" } }),
        module({ op: "delete", old: ipRestriction }),
      ],
    ],
    "an edge that is not in the program": [
      [module({ op: "delete", old: ipRestriction, id: "edgtcp_2" })],
      'TcpEdgeIpRestriction "office": after this change anyone might be able to connect to edgtcp_2 (ipRestriction is removed; policy, backend and hostports are unknown).',
    ],
    "an edge that is not in the program, and gets a disabled module": [
      [module({ op: "create", new: { edgeId: "edgtcp_2", ...ipRestriction, enabled: false } })],
      'TcpEdgeIpRestriction "office": after this change anyone might be able to connect to edgtcp_2 (ipRestriction is disabled; policy, backend and hostports are unknown).',
    ],
    "an edge that is not in the program, and gets a module": [
      [module({ op: "create", new: { edgeId: "edgtcp_2", ...ipRestriction } })],
      wasNotKnown,
    ],
    "an edge that is not in the program, and whose module stays": [
      [module({ op: "same", old: ipRestriction, new: { edgeId: "edgtcp_1", ...ipRestriction } })],
    ],
    "unknown hostports": [
      [edge({ old: restricted, new: { ...reachable, hostports: unknown } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to edgtcp_1 (ipRestriction is removed; hostports are unknown).',
    ],
    "one unknown hostport": [
      [edge({ old: restricted, new: { ...reachable, hostports: ["a.example:1", unknown] } })],
      removed,
      might("hostports are unknown; nothing restricts it", undefined, "edgtcp_1"),
    ],
    "secret hostports": [
      [edge({ old: { ...restricted, hostports: secret }, new: { ...reachable, hostports: secret } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to edgtcp_1 (ipRestriction is removed; hostports are unknown).',
    ],
    "an unknown module": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: unknown }, detailedDiff: { ipRestriction: {} } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
    ],
    "an unknown enabled": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ...ipRestriction, enabled: unknown } } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction.enabled is unknown).',
    ],
    "an unknown list of policies": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ipPolicyIds: unknown } } })],
      might("the ids of ipRestriction are unknown"),
    ],
    "unknown termination": [
      [edge({ old: mutual, new: { ...mutual, tlsTermination: { terminateAt: unknown } } }, "TlsEdge")],
      'TlsEdge "ssh": after this change anyone might be able to connect to a.example:1 (tlsTermination is unknown).',
    ],
    "a secret list of policies that does not change": [
      [
        edge({
          old: { ...reachable, ipRestriction: { ipPolicyIds: secret } },
          new: { ...reachable, ipRestriction: { ipPolicyIds: secret }, description: "x" },
          detailedDiff: { description: { kind: "update" } },
        }),
      ],
    ],
    "a secret list of policies that changes": [
      [
        edge({
          old: { ...reachable, ipRestriction: { ipPolicyIds: secret } },
          new: { ...reachable, ipRestriction: { ipPolicyIds: secret } },
          detailedDiff: { ipRestriction: { kind: "update" } },
        }),
      ],
      might("the ids of ipRestriction are unknown"),
    ],
    "a secret module that does not change": [
      [
        edge({
          old: { ...reachable, ipRestriction: secret },
          new: { ...reachable, ipRestriction: secret, description: "x" },
          detailedDiff: { description: { kind: "update" } },
        }),
      ],
    ],
    "a secret module that changes": [
      [
        edge({
          old: { ...reachable, ipRestriction: secret },
          new: { ...reachable, ipRestriction: secret },
          detailedDiff: { ipRestriction: { kind: "update" } },
        }),
      ],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
    ],
    "a rule with another name, and another rule beside it": [
      [
        edge({
          old: { ...reachable, policy: { inbound: [{ name: "a", ...denying("a").inbound[0] }] } },
          new: {
            ...reachable,
            policy: { inbound: [...denying("b").inbound, { name: "c", ...denying("a").inbound[0] }] },
          },
        }),
      ],
    ],
    "a new edge with an IP policy in use": [
      [
        edge({ op: "create", new: restricted }),
        second({ op: "same", old: { ...other, ipRestriction }, new: { ...other, ipRestriction } }),
      ],
    ],
    "a restriction of which the last response was lost": [
      [
        edge({
          old: restricted,
          unmanaged: { __unconfirmed: "ipRestriction" },
          new: restricted,
          detailedDiff: null,
        }),
      ],
      might("the old value of ipRestriction is not known"),
    ],
    "a hidden restriction of which the last response was lost": [
      [
        edge({
          op: "same",
          old: { ...reachable, ipRestriction: secret },
          unmanaged: { __unconfirmed: "ipRestriction" },
          new: { ...reachable, ipRestriction: secret },
        }),
      ],
      might("ipRestriction is unknown"),
    ],
    "a secret switch that is turned off": [
      [
        edge({
          old: { ...reachable, ipRestriction: { ...ipRestriction, enabled: secret } },
          new: { ...reachable, ipRestriction: { ...ipRestriction, enabled: secret } },
          detailedDiff: { "ipRestriction.enabled": {} },
        }),
      ],
      might("ipRestriction.enabled is unknown"),
    ],
    "a secret switch of a separate module that is turned off": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({
          old: { ...ipRestriction, enabled: secret },
          new: { edgeId: "edgtcp_1", ...ipRestriction, enabled: secret },
          detailedDiff: { enabled: {} },
        }),
      ],
      might("ipRestriction.enabled is unknown"),
    ],
    "a secret switch of mutual TLS, and of a login": [
      [
        edge(
          {
            old: { ...reachable, mutualTls: secret },
            new: { ...reachable, mutualTls: secret },
            detailedDiff: { mutualTls: {} },
          },
          "TlsEdge",
        ),
        oidc({
          old: { ...login, enabled: secret },
          new: { ...login, enabled: secret },
          detailedDiff: { enabled: {} },
        }),
      ],
      might("mutualTls is unknown", 'TlsEdge "ssh"'),
      might("oidc.enabled is unknown", 'HttpsEdgeRouteOidc "login"', routeId),
    ],
    "a secret module that becomes plain": [
      [
        edge({
          old: { ...reachable, ipRestriction: secret },
          new: { ...reachable, ipRestriction: { ipPolicyIds: ["ipp_b"] } },
          detailedDiff: null,
        }),
      ],
      might("the old value of ipRestriction is not known"),
    ],
    "a secret policy that becomes plain": [
      [
        edge({
          old: { ...reachable, policy: secret },
          new: { ...reachable, policy: denying("false") },
          detailedDiff: null,
        }),
      ],
      might("policy may deny others than before"),
    ],
    "secret expressions that become plain": [
      [
        edge({
          old: { ...reachable, policy: denying(secret) },
          new: { ...reachable, policy: denying("false") },
          detailedDiff: { "policy.inbound[0].expressions[0]": {} },
        }),
      ],
      might("policy may deny others than before"),
    ],
    "a secret IP restriction that a policy replaces": [
      [
        edge({
          old: { ...reachable, ipRestriction: secret },
          new: { ...reachable, policy: denying("false") },
          detailedDiff: null,
        }),
      ],
      might("ipRestriction is removed; only policy restricts it now"),
    ],
    "a module that becomes secret, without details": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: secret }, detailedDiff: null })],
      might("ipRestriction is unknown"),
    ],
    "a secret module, while the address moves to an edge with another": [
      [
        edge({ op: "create", new: { ...reachable, ipRestriction: { ipPolicyIds: secret } } }),
        second({ op: "delete", old: { ...reachable, ipRestriction: { ipPolicyIds: secret } } }),
        step(types, "TcpEdge", "third", {
          op: "same",
          id: "edgtcp_3",
          old: { ...other, ipRestriction: { ipPolicyIds: secret } },
          new: { ...other, ipRestriction: { ipPolicyIds: secret } },
        }),
      ],
      might('new edge in place of TcpEdge "web"; the ids of ipRestriction are unknown'),
    ],
    "a secret module of one edge, and the address of another that moves there": [
      [
        edge({
          old: { ...other, ipRestriction: { ipPolicyIds: secret } },
          new: { ...other, hostports: ["b.example:2", "a.example:1"], ipRestriction: { ipPolicyIds: secret } },
          detailedDiff: { hostports: {} },
        }),
        second({ op: "delete", old: { ...reachable, ipRestriction: { ipPolicyIds: secret } } }),
      ],
      might('moved from TcpEdge "web"; the ids of ipRestriction are unknown'),
    ],
    "mutual TLS that is dropped beside an IP policy": [
      [
        edge({ old: { ...restricted, mutualTls }, new: restricted }, "TlsEdge"),
        second({ op: "same", old: { ...other, ipRestriction }, new: { ...other, ipRestriction } }),
      ],
      might("mutualTls is removed; only ipRestriction restricts it now", 'TlsEdge "ssh"'),
    ],
    "another issuer": [
      [oidc({ old: login, new: { ...login, issuer: "https://other.example" } })],
      might("oidc has another issuer or clientId", 'HttpsEdgeRouteOidc "login"', routeId),
    ],
    "OPTIONS requests that need no login any more": [
      [oidc({ old: login, new: { ...login, optionsPassthrough: true } })],
      might("oidc begins to let OPTIONS requests through", 'HttpsEdgeRouteOidc "login"', routeId),
    ],
    "OPTIONS requests that need a login again, and what does not decide who logs in": [
      [
        oidc({
          old: { ...login, optionsPassthrough: true, clientSecret: secret, scopes: ["a"], maximumDuration: 1 },
          new: { ...login, clientSecret: secret, scopes: ["b"], maximumDuration: 2 },
          detailedDiff: { clientSecret: {}, optionsPassthrough: {}, maximumDuration: {}, "scopes[0]": {} },
        }),
      ],
    ],
    "a restricted edge that goes, beside an open wildcard": [
      [
        edge({
          op: "same",
          old: { ...reachable, hostports: ["*.example:1"] },
          new: { ...reachable, hostports: ["*.example:1"] },
        }),
        second({ op: "delete", old: restricted }),
      ],
      might('moved from TcpEdge "web"; ipRestriction is removed; TcpEdge "ssh" may serve it'),
    ],
    "a new open edge, beside an open wildcard": [
      [
        edge({ op: "create", new: reachable }),
        second({
          op: "same",
          old: { ...reachable, hostports: ["*.example:1"] },
          new: { ...reachable, hostports: ["*.example:1"] },
        }),
      ],
      might('new edge; nothing restricts it; TcpEdge "web" may have served it'),
    ],
    "a separate module for an unknown edge": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({ op: "replace", old: ipRestriction, new: { edgeId: unknown, ...ipRestriction } }),
      ],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
      might("ipRestriction, policy, backend and hostports are unknown", 'TcpEdgeIpRestriction "office"', "it"),
    ],
    "two resources that contradict each other": [
      [
        edge({ op: "same", old: restricted, new: restricted }),
        module({ op: "create", new: { edgeId: "edgtcp_1", ...ipRestriction, enabled: false } }),
      ],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
    ],
    "a refresh, which is not the change itself": [
      [
        edge({ op: "refresh", old: restricted, new: reachable }),
        edge({ op: "same", old: restricted, new: restricted }),
      ],
    ],
    "another resource": [[step(types, "ApiKey", "key", { old: {}, new: {} })]],
  };

  test.each(Object.entries(cases))("%s", (_, [steps, ...lines]) => {
    expect(open(...steps)).toEqual(lines.sort());
  });
});

test("names are quoted, and lines are sorted", () => {
  const names = ["b", 'a"\n::x'].map((name, index) => {
    const edge = { ...reachable, hostports: [`a.example:${index + 1}`] };
    return step("dynamic", "TcpEdge", name, { old: { ...edge, ipRestriction }, new: edge });
  });
  expect(open(...names)).toEqual([
    'TcpEdge "a\\"\\n::x": after this change anyone can connect to a.example:2 (ipRestriction is removed).',
    'TcpEdge "b": after this change anyone can connect to a.example:1 (ipRestriction is removed).',
  ]);
});

test("what a preview says is printed on one line, and can be seen", () => {
  const odd = {
    ...reachable,
    hostports: ["a.example:1\n::error::\u202e"],
    ipRestriction: { ipPolicyIds: ["ipp\u200b"] },
  };
  const was = { ...odd, ipRestriction };
  expect(open(step("dynamic", "TcpEdge", "ssh", { old: was, new: odd }))).toEqual([
    line(
      "ipp\\u{200b} is new in ipRestriction",
      "might be able to connect",
      undefined,
      "a.example:1\\u{a}::error::\\u{202e}",
    ),
  ]);
});

test("several previews give one answer: what one of them opens, and the more certain of two", () => {
  const edge = (change: Change) => step("dynamic", "TcpEdge", "ssh", change);
  const opening = preview(edge({ old: { ...reachable, ipRestriction }, new: reachable }));
  const quiet = preview(edge({ op: "same", old: reachable, new: reachable }));
  const unclear = preview(
    edge({ old: { ...reachable, ipRestriction }, new: { ...reachable, ipRestriction: unknown } }),
  );
  for (const previews of [
    [opening, quiet],
    [quiet, opening],
    [unclear, opening],
    [opening, opening],
  ]) {
    expect(findOpenedAddresses(...previews)).toEqual([
      {
        address: "a.example:1",
        urn: edge({}).urn,
        id: "edgtcp_1",
        before: "restricted",
        after: "anyone",
        isCertain: true,
        message: removed,
      },
    ]);
  }
});

test("an IP policy that comes back when a deployment reverts drift is not new", () => {
  const of = (...ids: string[]) => ({ ...reachable, ipRestriction: { ipPolicyIds: ids } });
  const edge = (change: Change) => step("dynamic", "TcpEdge", "ssh", change);
  const declared = of("ipp_a");
  const recorded = preview(edge({ op: "same", old: declared, new: declared }));
  const merge = preview(edge({ old: of("ipp_incident"), new: declared }));
  expect(findOpenedAddresses(recorded, merge)).toEqual([]);
  expect(findOpenedAddresses(merge)).toHaveLength(1);
  // Another policy is, and so is what another address had.
  const changed = preview(edge({ old: of("ipp_incident"), new: of("ipp_b") }));
  expect(findOpenedAddresses(recorded, changed)).toHaveLength(1);
  const elsewhere = { ...declared, hostports: ["b.example:2"] };
  expect(findOpenedAddresses(preview(edge({ op: "same", old: elsewhere, new: elsewhere })), merge)).toHaveLength(1);
});

test("an IP policy that comes back is new if it did not let anybody in by itself", () => {
  const edge = (change: Change) => step("dynamic", "TlsEdge", "ssh", change);
  const of = (...ids: string[]) => ({ ...reachable, ipRestriction: { ipPolicyIds: ids } });
  const opened = (unmanaged: Properties) => {
    const recorded = edge({ op: "same", old: of("ipp_a"), unmanaged, new: of("ipp_a") });
    return findOpenedAddresses(preview(recorded), preview(edge({ old: of("ipp_incident"), new: of("ipp_a") })));
  };
  expect(opened({})).toEqual([]);
  // Somebody has replaced mutual TLS by an IP policy, or has enabled the backend with another one.
  expect(opened({ mutualTls })).toHaveLength(1);
  expect(opened({ policy })).toHaveLength(1);
  expect(opened({ backend: { ...reachable.backend, enabled: false } })).toHaveLength(1);
});

test("what drift added to a restriction is missed when it goes", () => {
  const edge = (change: Change) => step("dynamic", "TlsEdge", "ssh", change);
  const declared = { ...reachable, ipRestriction };
  const recorded = preview(edge({ op: "same", old: declared, new: declared }));
  const merge = preview(edge({ old: { ...declared, mutualTls }, new: declared }));
  expect(findOpenedAddresses(recorded, merge)).toHaveLength(1);
});

describe("the command", () => {
  const folder = mkdtempSync(join(tmpdir(), "exposure-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "preview.json");

  async function run(content: string | object, ...args: string[]) {
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    const printed: Record<"out" | "err", string[]> = { out: [], err: [] };
    const io = { out: (text: string) => printed.out.push(text), err: (text: string) => printed.err.push(text) };
    const code = await main([...args, file], io);
    return { code, out: printed.out.join(""), err: printed.err.join("").replaceAll(file, "FILE") };
  }

  const opening = preview(step("dynamic", "TcpEdge", "ssh", { old: { ...reachable, ipRestriction }, new: reachable }));

  test("prints the lines, and fails only if asked to", async () => {
    expect(await run(opening)).toEqual({ code: 0, out: `${removed}\n`, err: "" });
    const err = "Failed. Restrict a.example:1, or add it to a file for --accept.\n";
    expect(await run(opening, "--fail")).toEqual({ code: 1, out: `${removed}\n`, err });
    expect(await run(preview(), "--fail")).toEqual({ code: 0, out: "", err: "" });
  });

  describe("--accept", () => {
    const list = join(folder, "open.txt");
    /** Runs the command with a list, whose name is `open.txt` in what is printed. */
    async function accept(text: string, content: object, ...args: string[]) {
      writeFileSync(list, text);
      const { code, out, err } = await run(content, "--accept", list, ...args);
      return { code, out: out.replaceAll(list, "open.txt"), err: err.replaceAll(list, "open.txt") };
    }
    const edge = (name: string, hostport: string, rest: object = {}) =>
      step("dynamic", "TcpEdge", name, { op: "create", new: { ...reachable, hostports: [hostport], ...rest } });
    const opens = (name: string, address: string) =>
      line("new edge; nothing restricts it", undefined, `TcpEdge "${name}"`, address);
    const accepted = (message: string) => `${message.slice(0, -1)}, accepted in open.txt.\n`;

    test("an opening of a listed address is said first, and does not fail", async () => {
      const two = preview(edge("db", "b.example:2"), edge("web", "w.example:3"));
      const web = accepted(opens("web", "w.example:3"));
      expect(await accept("b.example:2\nw.example:3 # for everybody", two, "--fail")).toEqual({
        code: 0,
        out: `${accepted(opens("db", "b.example:2"))}${web}`,
        err: "",
      });
      expect(await accept("w.example:3", two, "--fail")).toEqual({
        code: 1,
        out: `${web}${opens("db", "b.example:2")}\n`,
        err: "Failed. Restrict b.example:2, or add it to open.txt.\n",
      });
      expect((await accept("", two, "--fail")).err).toBe(
        "Failed. Restrict b.example:2 and w.example:3, or add them to open.txt.\n",
      );
    });

    test.each<[string, string, string]>([
      ["a wildcard stands only for itself", "*.example:2", "b.example:2"],
      ["a name does not stand for a wildcard", "b.example:2", "*.example:2"],
      ["another port is another address", "b.example:3", "b.example:2"],
    ])("%s", async (_, listed, address) => {
      const { code, out } = await accept(listed, preview(edge("b", address)), "--fail");
      expect({ code, out }).toEqual({ code: 1, out: `${opens("b", address)}\n` });
    });

    test("what might open is accepted as what opens", async () => {
      const unclear = preview(edge("b", "B.example:2", { ipRestriction: unknown }));
      const { code, out } = await accept("b.example:2", unclear, "--fail");
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/might .*, accepted in open.txt\.\n$/) });
    });

    test("a route is listed as messages print it", async () => {
      const login = { edgeId: "edghts_1", routeId: "edghtsrt_1", issuer: "https://id.example", clientId: "a" };
      const route = step("plugin", "HttpsEdgeRouteOidc", "login", {
        op: "delete",
        old: login,
        id: "edghts_1/edghtsrt_1",
      });
      expect((await accept("edghts_1/edghtsrt_1", preview(route), "--fail")).code).toBe(0);
    });

    test.each<[string, unknown]>([
      ["hostports that are not known yet", unknown],
      ["a hostport that is not known yet", [unknown]],
      ["secret hostports", secret],
    ])("%s cannot be listed", async (_, hostports) => {
      const hidden = preview(
        step("dynamic", "TcpEdge", "b", { op: "create", new: { ...reachable, hostports } as never }),
      );
      expect(await accept("", hidden, "--fail")).toEqual({
        code: 1,
        out: expect.stringMatching(/\)\. Declare its hostports as plain strings\.\n$/),
        err: "",
      });
    });

    test("an edge's id cannot be listed", async () => {
      const foreign = step("plugin", "TcpEdgeIpRestriction", "office", {
        op: "delete",
        old: { edgeId: "edgtcp_2", ...ipRestriction },
        id: "edgtcp_2",
      });
      expect((await accept("", preview(foreign), "--fail")).out).toContain(
        "to edgtcp_2 (ipRestriction is removed; policy, backend and hostports are unknown). Declare its hostports as",
      );
      expect((await accept("edgtcp_2", preview(foreign))).err).toBe(
        'open.txt, line 1: "edgtcp_2" must be a hostport or, for a route of an HTTPS edge, "edghts_…/edghtsrt_…".\n',
      );
    });

    describe("a listed address that is not open after the change fails", () => {
      const unused = "open.txt, line 1: a.example:1 is not open after this change. Remove the line.\n";
      const restricted = { ...reachable, ipRestriction };
      const ssh = (change: Change) => preview(step("dynamic", "TcpEdge", "ssh", change));

      test.each<[string, object, string]>([
        ["no edge has it", preview(), unused],
        ["it is restricted", ssh({ op: "same", old: restricted, new: restricted }), unused],
        ["it is closed", ssh({ old: reachable, new: restricted }), unused],
        ["its edge is deleted", ssh({ op: "delete", old: reachable }), unused],
        ["it is open and stays open", ssh({ op: "same", old: reachable, new: reachable }), ""],
        [
          "it is hidden whether it is open",
          ssh({
            op: "same",
            old: { ...reachable, ipRestriction: secret },
            new: { ...reachable, ipRestriction: secret },
          }),
          "",
        ],
      ])("%s", async (_, content, err) => {
        expect(await accept("a.example:1", content)).toEqual({ code: 0, out: "", err });
        expect(await accept("a.example:1", content, "--fail")).toEqual({ code: err === "" ? 0 : 1, out: "", err });
      });

      test("by no preview", async () => {
        const other = join(folder, "other.json");
        writeFileSync(other, JSON.stringify(ssh({ op: "same", old: reachable, new: reachable })));
        const closed = ssh({ op: "same", old: reachable, unmanaged: { policy }, new: reachable });
        expect((await accept("a.example:1", closed, "--fail")).err).toBe(unused);
        expect(await accept("a.example:1", closed, "--fail", other)).toEqual({ code: 0, out: "", err: "" });
      });
    });

    test("as JSON, with what is accepted", async () => {
      const two = preview(edge("db", "b.example:2"), edge("web", "w.example:3"));
      const { out } = await accept("w.example:3", two, "--json");
      expect(JSON.parse(out)).toMatchObject([
        { address: "w.example:3", isAccepted: true },
        { address: "b.example:2", isAccepted: false },
      ]);
    });

    test.each<[string, string, string]>([
      [
        "no port",
        "# comment\na.example",
        'line 2: "a.example" must be "<host>:<port>", such as "1.tcp.example.com:20022".',
      ],
      ["upper case", "A.example:1", 'line 1: "A.example:1" is not normalized; use "a.example:1".'],
      ["a scheme", "tcp://a.example:1", 'line 1: "tcp://a.example:1" has a scheme; use "a.example:1".'],
      ["another script", "а.example:1", 'line 1: "а.example:1" is not normalized; use "xn--80a.example:1".'],
      [
        "two addresses",
        "a.example:1 b.example:2",
        'line 1: "a.example:1 b.example:2" must be "<host>:<port>", such as "1.tcp.example.com:20022". A comment begins with #.',
      ],
      [
        "a route without its edge",
        "edghtsrt_1",
        'line 1: "edghtsrt_1" must be "<host>:<port>", such as "1.tcp.example.com:20022".',
      ],
      ["an invisible character", "a.example:1\u200b", "line 1: contains the invisible character U+200B; remove it."],
    ])("%s is no address", async (_, text, problem) => {
      expect(await accept(text, opening)).toEqual({ code: 2, out: "", err: `open.txt, ${problem}\n` });
    });

    test("a list that is not there", async () => {
      const err = "Cannot read none.txt: there is no such file.\n";
      expect(await run(opening, "--accept", "none.txt")).toEqual({ code: 2, out: "", err });
    });
  });

  describe.each<Types>(["dynamic", "plugin"])("%s: a module that still has the id of a deleted edge", (types) => {
    const deleted = step(types, "TcpEdge", "ssh", { op: "delete", old: { ...reachable, ipRestriction } });
    const declared = { edgeId: "edgtcp_1", ...ipRestriction };
    const module = (change: Change) => step(types, "TcpEdgeIpRestriction", "office", change);
    const lost =
      'TcpEdgeIpRestriction "office" still has the id of TcpEdge "ssh", edgtcp_1, which this change deletes. ' +
      "Remove it from the program too, or give it the id of another edge.\n";
    const edge = (change: Change) => step(types, "TcpEdge", "renamed", change);

    test.each<[string, object[], string]>([
      ["stays", [deleted, module({ op: "same", old: declared, new: declared })], lost],
      ["is new", [deleted, module({ op: "create", new: declared })], lost],
      ["is deleted too", [deleted, module({ op: "delete", old: declared })], ""],
      [
        "gets another edge",
        [deleted, module({ op: "replace", old: declared, new: { ...declared, edgeId: "edgtcp_2" } })],
        "",
      ],
      [
        "gets an edge that is not known yet",
        [deleted, module({ op: "replace", old: declared, new: { ...declared, edgeId: unknown } })],
        "",
      ],
      [
        "keeps an edge that is retained",
        [
          { ...deleted, oldState: { ...deleted.oldState, retainOnDelete: true } },
          module({ op: "same", old: declared, new: declared }),
        ],
        "",
      ],
      [
        "keeps an edge that another resource imports",
        [
          deleted,
          types === "dynamic"
            ? edge({ op: "create", new: { ...reachable, __import: "edgtcp_1" } })
            : edge({ op: "import", new: reachable, newOptions: { id: "edgtcp_1" } }),
          module({ op: "same", old: declared, new: declared }),
        ],
        "",
      ],
    ])("%s", async (_, steps, err) => {
      expect((await run(preview(...steps))).err).toBe(err);
    });

    test("is no opening", async () => {
      const steps = [deleted, module({ op: "same", old: declared, new: declared })];
      expect(await run(preview(...steps), "--fail")).toEqual({ code: 0, out: "", err: lost });
    });
  });

  test.each<[string, string | object, string]>([
    [
      "no JSON",
      "+ 1 to create",
      "FILE is not JSON. Write it with `pulumi preview --json --show-sames --show-replacement-steps > FILE`.\n",
    ],
    [
      "another JSON",
      { steps: {} },
      "FILE: This is not the output of `pulumi preview --json --show-sames --show-replacement-steps`.\n",
    ],
    [
      "a stack",
      { version: 3, deployment: {} },
      "FILE: This is not the output of `pulumi preview --json --show-sames --show-replacement-steps`.\n",
    ],
    [
      "a step without a URN",
      { steps: [{ op: "same" }], changeSummary: {} },
      "FILE: This is not the output of `pulumi preview --json --show-sames --show-replacement-steps`.\n",
    ],
    [
      "a preview without unchanged resources",
      { steps: [], changeSummary: { same: 2 } },
      "FILE: The preview leaves out unchanged resources. Use `pulumi preview --json --show-sames --show-replacement-steps`.\n",
    ],
    [
      "a preview that failed",
      { ...opening, diagnostics: [{ severity: "error", message: "error: broken" }] },
      "FILE: The preview failed, so it does not show what would change. Fix its errors first:\nerror: broken\n",
    ],
    [
      "a state that is nested too deeply",
      `{"steps":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
      "FILE is nested more than 1000 levels deep. Write it with `pulumi preview --json --show-sames --show-replacement-steps > FILE`.\n",
    ],
  ])("%s is rejected", async (_, content, err) => {
    expect(await run(content)).toEqual({ code: 2, out: "", err });
  });

  test("previews of two stacks are rejected: that of one shows nothing of the other", async () => {
    const other = join(folder, "other.json");
    writeFileSync(other, JSON.stringify(opening).replaceAll("urn:pulumi:dev::", "urn:pulumi:production::"));
    for (const args of [[], ["--markdown"]]) {
      const err = "The previews are of test/production and test/dev. Give those of one stack.\n";
      expect(await run(opening, ...args, other)).toEqual({ code: 2, out: "", err });
    }
  });

  test("wrong arguments are rejected", async () => {
    const none: string[] = [];
    expect(await main([], { out: () => {}, err: (text) => none.push(text) })).toBe(2);
    expect(none).toEqual(["Name at least one file; see --help.\n"]);
    expect(await run(opening, "--fial")).toEqual({ code: 2, out: "", err: "Unknown option '--fial'; see --help.\n" });
    const missing = join(folder, "missing.json");
    const errors: string[] = [];
    expect(await main([missing], { out: () => {}, err: (text) => errors.push(text) })).toBe(2);
    expect(errors).toEqual([`Cannot read ${missing}: there is no such file.\n`]);
  });
});
