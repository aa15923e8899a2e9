/** Why nothing is deleted or removed: another process of the deployment may keep it, and what it declares is not known. */

import type { Remote } from "../deployment/remote";
import { ProviderError } from "../errors";

const fix = "Set TMPDIR to a folder that only you can write to, then run Pulumi again.";

export const describeUnknownOwners = (problem: string): string =>
  `another provider process of this deployment may declare it. Whether it does is not known, because of ${problem}. ${fix}`;

/** Said once by a process that cannot publish what it declares. */
export const warnOfUnknownOwners = (problem: string): string =>
  "Nothing is deleted or removed in this deployment. What other provider processes declare is not known, because of " +
  `${problem}. ${fix}`;

/** A module that its edge no longer declares may be declared by a resource of another process. */
export function assertOwnersKnown({ deployment }: Remote, module: string): void {
  const { problem } = deployment.register.view();
  if (problem !== undefined) {
    throw new ProviderError(`its ${module} was not removed, because ${describeUnknownOwners(problem)}`);
  }
}
