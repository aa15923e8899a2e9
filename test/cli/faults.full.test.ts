/** Every kind of fault with the real CLI: each resource meets one, all in one operation. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { faults, forever, largeResponse, rateLimited } from "../faults/matrix";
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { TcpProxy } from "../support/tcpProxy";

const kinds = Object.keys(faults);
const names = kinds.map((_, index) => `r${index}`);
/** What is not retried. */
const notRetried = ["400", "401", "403", "404 HTML", "409", "422"];
/** The emulator runs in the test's process, and a large response keeps it busy. */
const timeoutSeconds = 10;
const continueOnError = { args: ["--continue-on-error"] };

/** The errors of the resources that failed, by the kind of fault. */
function extractFailures(result: Result): Record<string, string> {
  expect(extractErrors(result).length).toBeGreaterThan(0);
  const own = result.diagnostics.filter(({ severity, urn }) => severity === "error" && urn?.includes("tunnel-edge:"));
  return Object.fromEntries(
    own.map(({ urn, message }) => [kinds[names.indexOf(urn!.split("::").pop()!)] ?? urn!, message]),
  );
}

/** Injects a fault for each resource at its path. The returned function removes them. */
function injectFaults(emulator: Emulator, method: string, paths: string[], times: number): () => void {
  const handles = kinds.map((kind, index) => {
    const often = kind === rateLimited ? Math.min(times, 2) : times;
    const fault = faults[kind]!;
    const delay = fault.delayMs && { delayMs: (timeoutSeconds + 1) * 1_000 };
    return emulator.fail({ ...fault, ...delay, method, path: paths[index]!, times: often });
  });
  return () => {
    for (const handle of handles) handle.cancel();
  };
}

function expectMessages(errors: Record<string, string>, words: string, call: (kind: string) => string): void {
  for (const [kind, message] of Object.entries(errors)) {
    const status = faults[kind]?.status;
    const what =
      status && status >= 400
        ? `returned ${status}`
        : /failed(?: to connect to \S+)?: \w|returned 20\d with a body/.source;
    expect(message).toMatch(new RegExp(`${words}: ${call(kind)} (?:${what})`));
    if (status && status >= 400 && !faults[kind]!.body)
      expect(message).toMatch(/An injected fault \(operation op_\w+\)/);
  }
}

test("errors say what to do, and the next `pulumi up` converges", async () => {
  const emulator = await startService();
  const proxy = await TcpProxy.start(emulator.port);
  const ids = kinds.map(() => emulator.api<{ id: string }>("POST", "/edges/tcp", {}).id);
  const paths = ids.map((id) => `/edges/tcp/${id}/ip_restriction`);
  const call = (method: string) => (kind: string) => `${method} ${paths[kinds.indexOf(kind)]}`;
  const program = (...ipPolicyIds: string[]) =>
    names.map((name, index) => declare("TcpEdgeIpRestriction", name, { edgeId: ids[index], ipPolicyIds })).join("\n");
  const held = () =>
    emulator.account.tcpEdges.map(({ ip_restriction }) => ip_restriction?.ip_policies.map(({ id }) => id));
  const all = (value: unknown) => kinds.map(() => value);
  const { stack } = await createStack(emulator, program("ipp_a"), {
    env: {
      TUNNEL_EDGE_TIMEOUT_SECONDS: String(timeoutSeconds),
      TUNNEL_EDGE_MAX_RETRIES: "1",
      TUNNEL_EDGE_BASE_URL: proxy.url,
    },
  });

  let end = injectFaults(emulator, "PUT", paths, forever);
  const created = extractFailures(await stack.up({ ...continueOnError, fails: true }));
  expect(Object.keys(created).sort()).toEqual(kinds.filter((kind) => kind !== rateLimited).sort());
  expectMessages(created, "could not be created", call("PUT"));
  end();
  await stack.up();
  expect(held()).toEqual(all(["ipp_a"]));

  proxy.close();
  stack.write(program("ipp_b"));
  for (const message of Object.values(extractFailures(await stack.up({ ...continueOnError, fails: true })))) {
    expect(message).toMatch(
      /could not be updated: PUT \S+ failed to connect to http:\S+: the connection was refused\./,
    );
  }
  await proxy.open();
  end = injectFaults(emulator, "PUT", paths, 1);
  const updated = extractFailures(await stack.up({ ...continueOnError, fails: true }));
  expect(Object.keys(updated).sort()).toEqual([...notRetried, "404", largeResponse].sort());
  expectMessages(updated, "could not be updated", call("PUT"));
  end();
  await stack.up();
  expect(held()).toEqual(all(["ipp_b"]));
  await stack.preview({ expectNoChanges: true });

  end = injectFaults(emulator, "DELETE", paths, 1);
  const deleted = extractFailures(await stack.destroy({ ...continueOnError, fails: true }));
  expect(Object.keys(deleted).sort()).toEqual([...notRetried, largeResponse].sort());
  expectMessages(deleted, "could not be deleted", call("DELETE"));
  end();
  await stack.destroy();
  // A service that wrongly says 404 is believed.
  expect(held()).toEqual(kinds.map((kind) => (kind === "404" ? ["ipp_b"] : undefined)));
}, 3_600_000);
