/**
 * A module can be declared in its edge or as a separate resource: both in one program, and moved from one to the other
 * without a moment in which the edge is unprotected.
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService } from "../support/cli/cliStack";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const tlsTermination = { terminateAt: "edge", minVersion: "1.3" };

const edges = (tcp: object, tls: object, opts: object[] = [{}, {}]) => [
  declare("TcpEdge", "tcp", { hostports: ["1.tcp.example.com:1"], ...tcp }, opts[0]),
  declare("TlsEdge", "tls", { hostports: ["api.example.com:443"], ...tls }, opts[1]),
];
const separate = (opts: object = {}) => [
  declare("TcpEdgeIpRestriction", "restriction", { edgeId: "=tcp.id", ...ipRestriction }, opts),
  declare("TlsEdgeTlsTermination", "termination", { edgeId: "=tls.id", ...tlsTermination }, opts),
];
const inline = () => edges({ ipRestriction }, { tlsTermination });

/** What protects the edges. */
const listProtections = ({ account }: Emulator) => [
  ...account.tcpEdges.map(({ ip_restriction }) => ip_restriction?.ip_policies.map(({ id }) => id)),
  ...account.tlsEdges.map(({ tls_termination }) => tls_termination?.min_version),
];
const guarded = [["ipp_a"], "1.3"];

test("both in one program: neither affects the other's edges", async () => {
  const emulator = await startService();
  const both = [
    ...edges({}, {}),
    ...separate(),
    declare("TcpEdge", "tcpInline", { hostports: ["1.tcp.example.com:2"], ipRestriction }),
    declare("TlsEdge", "tlsInline", { hostports: ["api.example.com:444"], tlsTermination }),
  ];
  const { stack, calls } = await createStack(emulator, both.join("\n"));
  await stack.up();
  expect(listProtections(emulator)).toEqual([["ipp_a"], ["ipp_a"], "1.3", "1.3"]);
  calls();
  expect((await stack.up({ preview: true })).summary).toEqual({ same: 7 });
  expect(calls()).toEqual([]);
  expect((await stack.refresh()).summary).toEqual({ same: 7 });
  await stack.preview({ expectNoChanges: true });
  await stack.destroy();
  expect(listProtections(emulator)).toEqual([]);
});

test("from inline to separate and back, never unprotected in between", async () => {
  const seen: unknown[] = [];
  const emulator = await startService({ onRequest: (_, service) => void seen.push(listProtections(service)) });
  const { stack, calls } = await createStack(emulator, inline().join("\n"));
  const step = async (...statements: string[]) => {
    stack.write(statements.join("\n"));
    const { steps } = await stack.up();
    return steps
      .filter(({ op }) => op !== "same")
      .map(({ op, name }) => `${op} ${name}`)
      .sort();
  };
  await stack.up();
  calls();
  seen.length = 0;

  // Inline to separate: the edges stop managing the modules without removing them, and separate resources manage them.
  const keeping = [{ ignoreChanges: ["ipRestriction"] }, { ignoreChanges: ["tlsTermination"] }];
  const moved = ["create restriction", "create termination", "update tcp", "update tls"];
  expect(await step(...edges({}, {}, keeping), ...separate())).toEqual(moved);
  expect(calls().sort()).toEqual(["PUT /edges/tcp/{id}/ip_restriction", "PUT /edges/tls/{id}/tls_termination"]);
  expect((await stack.refresh()).summary).toEqual({ same: 5 });
  await stack.preview({ expectNoChanges: true });
  // That nothing is ignored any more is recorded, without a call.
  expect(await step(...edges({}, {}), ...separate())).toEqual(["update tcp", "update tls"]);

  // And back: the separate resources are removed but keep the modules, and the edges declare them again.
  expect(await step(...edges({}, {}), ...separate({ retainOnDelete: true }))).toEqual([]);
  const back = ["delete restriction", "delete termination", "update tcp", "update tls"];
  expect(await step(...inline())).toEqual(back);
  // The edges' states do not say what other resources have set, so the edges send it again.
  const sent = ["PUT /edges/tcp/{id}/ip_restriction", "PUT /edges/tls/{id}/tls_termination"];
  expect(
    calls()
      .filter((call) => !call.startsWith("GET"))
      .sort(),
  ).toEqual(sent);
  expect((await stack.refresh()).summary).toEqual({ same: 3 });
  await stack.preview({ expectNoChanges: true });

  expect(seen.length).toBeGreaterThan(0);
  for (const moment of seen) expect(moment).toEqual(guarded);
  expect(listProtections(emulator)).toEqual(guarded);
  await stack.destroy();
  expect(listProtections(emulator)).toEqual([]);
});
