/**
 * The writes of this deployment to objects and modules that exist. Those to an edge and its modules are sent one at a
 * time, because a gateway may delay one so that it is executed after the next.
 */

import type { Route } from "../../api/routes";
import { type JsonObject, toSnakeCase } from "../../base/json";
import type { Identity } from "../register/identity";
import { type Module, modulesWithResources } from "../register/modules";
import type { Deployment } from "./deployment";

/** How long a call whose response was lost may still be delayed, by a gateway or in the service. */
const longestDelayMs = 10_000;

/** What is written. */
interface Target extends Identity {
  deployment: Deployment;
}

export interface Write {
  route: Route;
  body?: JsonObject;
  /** Whether it sets a module as the module's own resource declares it. */
  isForKeeper?: true;
}

/** Runs work when it is its turn to write: what is planned in it knows what came before. */
export function takeTurn<T>(remote: Target, work: () => Promise<T>): Promise<T> {
  const { deployment, objectPath } = remote;
  return deployment.turns.take(objectPath, async () => {
    await waitForLost(remote);
    return work();
  });
}

/** Sends a write in its turn. */
export function sendInTurn<T>(remote: Target, write: Write, send: (onLost: () => void) => Promise<T>): Promise<T> {
  const { clock, register } = remote.deployment;
  const written = modulesWrittenBy(remote, write);
  const mark = (writeMark: string | undefined) => {
    for (const { path } of written) register.record(path, { writeMark });
  };
  return takeTurn(remote, async () => {
    // Before it is sent: the response may be lost.
    if (!write.isForKeeper) mark(clock.randomUuid().slice(0, 8));
    const response = await send(() => register.record(remote.objectPath, { lostUntil: clock.now() + longestDelayMs }));
    // Only after it has succeeded is the edge no longer the one that wrote last.
    if (write.isForKeeper) mark(undefined);
    return response;
  });
}

/** Waits until a call whose response was lost can no longer be executed. */
async function waitForLost({ deployment, objectPath }: Target): Promise<void> {
  const { clock, register } = deployment;
  const wait = register.view().historyOf(objectPath).lostUntil! - clock.now();
  if (wait > 0) await clock.sleep(wait);
}

/** The modules that an edge writes with a call, and that can also be resources of their own. */
function modulesWrittenBy(remote: Target, { route, body }: Write): Module[] {
  return modulesWithResources(remote).filter(({ name, field }) => {
    const { put, remove } = field.module!;
    return route === put || route === remove || body?.[toSnakeCase(name)] !== undefined;
  });
}
