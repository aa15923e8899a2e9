import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/tcp/{id}/ip_restriction", body]);

const full = { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] };
const wire = { enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] };

suite(tcpEdgeIpRestriction, {
  full,
  wire,
  parents: (emulator) => {
    const [here, there] = emulator.seed({ tcpEdges: [{}, {}] }).tcpEdges;
    return { here: { edgeId: here!.id }, elsewhere: [{ edgeId: there!.id }] };
  },
  everything: { add: put(wire), clear: put({ ip_policy_ids: ["ipp_a", "ipp_b"] }) },
  rows: {
    enabled: {
      other: true,
      add: put({ enabled: false, ip_policy_ids: ["ipp_a", "ipp_b"] }),
      change: put({ enabled: true, ip_policy_ids: ["ipp_a", "ipp_b"] }),
      clear: put({ ip_policy_ids: ["ipp_a", "ipp_b"] }),
      outsideValue: true,
      nonDefault: false,
    },
    ipPolicyIds: {
      other: ["ipp_c"],
      change: put({ enabled: false, ip_policy_ids: ["ipp_c"] }),
      outsideValue: ["ipp_a"],
    },
  },
});
