/** What a preview says about the edges that its change opens. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOpenedEdges } from "pulumi-tunnel-edge/exposure";
import { main } from "../../src/exposure/main";
import { type Properties, unknown } from "../support/provider";

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
const open = (...steps: object[]) => findOpenedEdges(preview(...steps)).map(({ message }) => message);

const removed = 'TcpEdge "ssh": after this change anyone can connect to a.example:1 (ipRestriction is removed).';

describe.each<Types>(["dynamic", "plugin"])("with the types of the %s provider", (types) => {
  const edge = (change: Change, type = "TcpEdge") => step(types, type, "ssh", change);
  const module = (change: Change, type = "TcpEdgeIpRestriction") => step(types, type, "office", change);
  const restricted = { ...reachable, ipRestriction };
  const mutual = { ...reachable, mutualTls };

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
      'TcpEdge "ssh": after this change anyone can connect to a.example:1, b.example:2 (ipRestriction is removed).',
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
    "a new edge": [[edge({ op: "create", new: reachable })]],
    "a deleted edge": [[edge({ op: "delete", old: restricted })]],
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
          newOptions: { propertyDependencies: { edgeId: [edge({}).urn] } },
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
      'TcpEdge "ssh": after this change anyone can connect to edgtcp_1 (ipRestriction is removed).',
    ],
    "secret hostports": [
      [edge({ old: { ...restricted, hostports: secret }, new: { ...reachable, hostports: secret } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to edgtcp_1 (ipRestriction is removed; hostports are unknown).',
    ],
    "an unknown module": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: unknown }, diffReasons: ["ipRestriction"] })],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
    ],
    "an unknown enabled": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ...ipRestriction, enabled: unknown } } })],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction.enabled is unknown).',
    ],
    "an unknown list of policies": [
      [edge({ old: restricted, new: { ...reachable, ipRestriction: { ipPolicyIds: unknown } } })],
    ],
    "unknown termination": [
      [edge({ old: mutual, new: { ...mutual, tlsTermination: { terminateAt: unknown } } }, "TlsEdge")],
      'TlsEdge "ssh": after this change anyone might be able to connect to a.example:1 (tlsTermination is unknown).',
    ],
    "a secret module that does not change": [
      [
        edge({
          old: { ...reachable, ipRestriction: secret },
          new: { ...reachable, ipRestriction: secret, description: "x" },
          diffReasons: ["description"],
        }),
      ],
    ],
    "a secret module that changes": [
      [
        edge({
          old: { ...reachable, ipRestriction: secret },
          new: { ...reachable, ipRestriction: secret },
          diffReasons: ["ipRestriction"],
        }),
      ],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
    ],
    "a separate module for an unknown edge": [
      [
        edge({ op: "same", old: reachable, new: reachable }),
        module({ op: "replace", old: ipRestriction, new: { edgeId: unknown, ...ipRestriction } }),
      ],
      'TcpEdge "ssh": after this change anyone might be able to connect to a.example:1 (ipRestriction is unknown).',
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
    expect(open(...steps)).toEqual(lines);
  });
});

test("names are quoted, and lines are sorted", () => {
  const names = ["b", 'a"\n::x'].map((name) =>
    step("dynamic", "TcpEdge", name, { old: { ...reachable, ipRestriction }, new: reachable }),
  );
  expect(open(...names)).toEqual([
    'TcpEdge "a\\"\\n::x": after this change anyone can connect to a.example:1 (ipRestriction is removed).',
    'TcpEdge "b": after this change anyone can connect to a.example:1 (ipRestriction is removed).',
  ]);
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
    expect(await run(opening, "--fail")).toEqual({ code: 1, out: `${removed}\n`, err: "" });
    expect(await run(preview(), "--fail")).toEqual({ code: 0, out: "", err: "" });
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
      "This is not what `pulumi preview --json --show-sames --show-replacement-steps` prints.\n",
    ],
    [
      "a stack",
      { version: 3, deployment: {} },
      "This is not what `pulumi preview --json --show-sames --show-replacement-steps` prints.\n",
    ],
    [
      "a step without a URN",
      { steps: [{ op: "same" }], changeSummary: {} },
      "This is not what `pulumi preview --json --show-sames --show-replacement-steps` prints.\n",
    ],
    [
      "a preview without unchanged resources",
      { steps: [], changeSummary: { same: 2 } },
      "The preview leaves out unchanged resources. Use `pulumi preview --json --show-sames --show-replacement-steps`.\n",
    ],
    [
      "a preview that failed",
      { ...opening, diagnostics: [{ severity: "error", message: "error: broken" }] },
      "The preview failed, so it does not show what would change. Fix its errors first.\n",
    ],
  ])("%s is rejected", async (_, content, err) => {
    expect(await run(content)).toEqual({ code: 2, out: "", err });
  });

  test("wrong arguments are rejected", async () => {
    expect(await run(opening, "other.json")).toEqual({ code: 2, out: "", err: "Name one file; see --help.\n" });
    expect(await run(opening, "--fial")).toEqual({ code: 2, out: "", err: "Unknown option '--fial'; see --help.\n" });
    const missing = join(folder, "missing.json");
    const errors: string[] = [];
    expect(await main([missing], { out: () => {}, err: (text) => errors.push(text) })).toBe(2);
    expect(errors).toEqual([`Cannot read ${missing}: there is no such file.\n`]);
  });
});
