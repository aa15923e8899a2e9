import { join } from "node:path";
import * as tunnel from "pulumi-tunnel-edge";
import { readEdges } from "./edges";

const classes = { tcp: tunnel.TcpEdge, tls: tunnel.TlsEdge };

const edges = readEdges(join(__dirname, "edges")).map(({ name, kind, args }) => {
  const edge = new classes[kind](name, args);
  return [name, edge.hostports] as const;
});

export const addresses = Object.fromEntries(edges);
