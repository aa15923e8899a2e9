/** The matrix for one resource and one fault of each sort: rejected, executed, and executed late. */
import { sampleOf } from "../support/data/samples";
import { testFaults } from "./matrix";

testFaults([sampleOf("TcpEdge")], ["422", "reset after", "late effect"]);
