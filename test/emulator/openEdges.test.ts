/** What the emulator's page calls open to anyone. */
import { script } from "../../src/emulator/dashboardScript";

const [source] = /^function isOpen\([\s\S]*?^}$/m.exec(script)!;
const isOpen = new Function(`${source}; return isOpen;`)() as (edge: object) => boolean;

const reachable = { hostports: ["a.example:1"], backend: { enabled: true } };
const on = { enabled: true };

test.each<[string, object, boolean]>([
  ["an edge without restrictions", reachable, true],
  ["an edge without hostports", { ...reachable, hostports: null }, false],
  ["an edge without a backend", { ...reachable, backend: null }, false],
  ["an edge whose backend is disabled", { ...reachable, backend: { enabled: false } }, false],
  ["an IP restriction", { ...reachable, ip_restriction: on }, false],
  ["a disabled IP restriction", { ...reachable, ip_restriction: { enabled: false } }, true],
  ["mutual TLS", { ...reachable, mutual_tls: on }, false],
  ["mutual TLS that is passed", { ...reachable, mutual_tls: on, tls_termination: { terminate_at: "upstream" } }, true],
  ["a policy that acts", { ...reachable, policy: { ...on, inbound: [{ actions: [{ type: "deny" }] }] } }, false],
  ["a policy without actions", { ...reachable, policy: { ...on, inbound: [{ actions: [] }], outbound: [{}] } }, true],
  ["an API key", { id: "ak_1" }, false],
])("%s: %j is open: %s", (_, edge, expected) => {
  expect(isOpen(edge)).toBe(expected);
});
