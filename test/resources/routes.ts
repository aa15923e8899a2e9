import type { Emulator } from "pulumi-tunnel-edge/emulator";

/** A route of an HTTPS edge, and where its module can move to: another route of the edge, and one of another edge. */
export function routes(emulator: Emulator) {
  const [here, there] = emulator.seed({ httpsEdges: [{ routes: [{}, {}] }, { routes: [{}] }] }).httpsEdges;
  const at = (edge: typeof here, index: number) => ({ edgeId: edge!.id, routeId: edge!.routes[index]!.id });
  return { here: at(here, 0), elsewhere: [at(here, 1), at(there, 0)] };
}
