/** Warns if the program, and with it the dynamic provider host, runs on a Node that gets no security fixes. */

import * as pulumi from "@pulumi/pulumi";
import { describeEndOfLife } from "../../base/nodeVersion";
import { isMocked } from "./sdk/mocks";

let hasLooked = false;

/** Warns once, in a preview. */
export function warnOfOldNode(): void {
  if (hasLooked || !pulumi.runtime.isDryRun() || isMocked()) return;
  hasLooked = true;
  const warning = describeEndOfLife();
  if (warning) void pulumi.log.warn(warning);
}
