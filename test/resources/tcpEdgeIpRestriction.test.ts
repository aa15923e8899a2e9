import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { ipRestriction } from "../support/data/modules";
import {} from "../support/engine/testedProvider";
import { rowsOf, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/tcp/{id}/ip_restriction", body]);

const { full, wire } = ipRestriction;

suite(tcpEdgeIpRestriction, {
  full,
  wire,
  parents: (emulator) => {
    const [here, there] = emulator.seed({ tcpEdges: [{}, {}] }).tcpEdges;
    return { here: { edgeId: here!.id }, elsewhere: [{ edgeId: there!.id }] };
  },
  everything: { add: put(wire), clear: put({ ip_policy_ids: ["ipp_a", "ipp_b"] }) },
  rows: rowsOf(ipRestriction, put),
});
