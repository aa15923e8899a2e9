/**
 * The matrix: every call of every operation of every resource meets faults once, forever and, if it is retried, twice:
 * wrong and lost responses, none, a rate limit, refused connections, and what a gateway answers instead of the service.
 * Promises: "Failures are recoverable", "Protection first".
 */
import { samples } from "../support/data/samples";
import { allKinds, testFaults } from "./matrix";

testFaults(samples, allKinds);
