import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { ipRestriction } from "../support/data/modules";
import { edges } from "./parents";
import { moduleTable, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/tcp/{id}/ip_restriction", body]);

suite(tcpEdgeIpRestriction, moduleTable(ipRestriction, put, edges("tcpEdges")));
