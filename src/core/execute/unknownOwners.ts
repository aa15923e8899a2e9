/** Why nothing is deleted or removed: another process of the deployment may keep it, and what it declares is not known. */

import type { Remote } from "../deployment/remote";
import { ProviderError } from "../errors";

export const describeUnknownOwners = (problem: string): string =>
  `it is not known what other provider processes of this deployment declare. The reason is ${problem}. Set TMPDIR to a ` +
  "folder that only you can write to, then run Pulumi again.";

/** Said once by a process that cannot publish what it declares. */
export const warnOfUnknownOwners = (problem: string): string =>
  `Nothing is deleted or removed, because ${describeUnknownOwners(problem)}`;

/** A module that its edge no longer declares may be declared by a resource of another process. */
export function assertOwnersKnown({ deployment }: Remote, module: string): void {
  const { problem } = deployment.register.view();
  if (problem !== undefined) {
    throw new ProviderError(`its ${module} was not removed, because ${describeUnknownOwners(problem)}`);
  }
}
