/**
 * An edge that stops declaring a module leaves it to the resource that declares it now. Whether there is one, and whether
 * it has set the module, is known only when the engine has come to it: often at the same moment.
 */

import type { Remote } from "../deployment/remote";
import { hasFailed, type Owner } from "../register/entries";
import { modulesWithResources } from "../register/modules";
import { type ManagedArgs, type State, topLevelNames } from "../state";

/** How long to wait for a keeper. Resources may run one after the other, and then it cannot come. */
const timeoutMs = 3_000;
const pauseMs = 50;

const isUnderWay = (keeper: Owner) => keeper.isNew && keeper.phase !== "written" && !hasFailed(keeper);

/**
 * Waits until the keepers of dropped modules have set them, or failed. A module that was left to a keeper before, which
 * had not set it, has one again, if the program has not changed: the engine may only not have come to it yet.
 */
export async function waitForKeepers(
  remote: Remote,
  { values, managed, unconfirmed, left }: State,
  { desired, ignored }: Pick<ManagedArgs, "desired" | "ignored">,
): Promise<void> {
  const { clock, register } = remote.deployment;
  const names = topLevelNames([...managed, ...left]);
  const dropped = modulesWithResources(remote).filter(
    ({ name }) =>
      names.has(name) &&
      !(name in desired || ignored.includes(name)) &&
      (values[name] !== undefined || unconfirmed.includes(name)),
  );
  const isWorthWaiting = () => {
    const view = register.view();
    return dropped.some(({ name, path }) => {
      const keeper = view.keeperOf(path);
      return keeper ? isUnderWay(keeper) : left.includes(name);
    });
  };
  const end = clock.now() + timeoutMs;
  while (clock.now() < end && isWorthWaiting()) await clock.sleep(pauseMs);
}
