/** Where a module is, and where else it can move to. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import type { Parents } from "./suite/table";

/** An edge, and another one. */
export const edges =
  (kind: "tcpEdges" | "tlsEdges" | "httpsEdges"): Parents =>
  (emulator) => {
    const [here, there] = emulator.seed({ [kind]: [{}, {}] })[kind];
    return { here: { edgeId: here!.id }, elsewhere: [{ edgeId: there!.id }] };
  };

/** A route of an HTTPS edge, another route of the edge, and one of another edge. */
export function routes(emulator: Emulator) {
  const [here, there] = emulator.seed({ httpsEdges: [{ routes: [{}, {}] }, { routes: [{}] }] }).httpsEdges;
  const at = (edge: typeof here, index: number) => ({ edgeId: edge!.id, routeId: edge!.routes[index]!.id });
  return { here: at(here, 0), elsewhere: [at(here, 1), at(there, 0)] };
}
