/** The matrix for one resource and one fault of each sort: rejected, not executed, executed, executed late, and gone. */
import { sampleOf } from "../support/data/samples";
import { testFaults } from "./matrix";

testFaults([sampleOf("TcpEdge")], ["422", "503", "reset after", "late effect", "404"]);
