/**
 * Pulumi deletes a separate module before its edge. If the edge then stays, or may, what this deployment has removed from
 * it is set again.
 */

import type { JsonObject } from "../../base/json";
import { Remote } from "../deployment/remote";
import { ProviderError } from "../errors";
import type { Subject } from "../log";
import { updateCall } from "../plan/plan";
import { edgeOf } from "../read/lookup";
import { asArgument, modulesWithResources } from "../register/modules";
import type { View } from "../register/view";
import { executeCall } from "./execute";
import { unappliedProtections } from "./protections";

/** Why a module must stay, although its resource leaves the program. */
export const describeUndeleted = (view: View, { definition, objectPath }: Remote): string | undefined =>
  definition.kind === "module" && definition.protects && view.historyOf(objectPath).isUndeleted
    ? "its edge could not be deleted"
    : undefined;

/** This deployment has removed a module. If it is known by now that its edge stays, the module is set again. */
export async function rememberProtection(remote: Remote, values: JsonObject, about: Subject): Promise<void> {
  const { definition, deployment, id, deadline } = remote;
  const edge = definition.kind === "module" && definition.protects ? edgeOf(definition) : undefined;
  if (!edge) return;
  deployment.register.record(remote.path(), { removed: values });
  const undeleted = describeUndeleted(deployment.register.view(), remote);
  if (undeleted === undefined) return;
  await protectAgain(new Remote(edge.definition, id, deployment, deadline), about);
  throw new ProviderError(`${undeleted} in this deployment. Run \`pulumi up\` again.`);
}

/** Sets again what this deployment has removed from an edge whose deletion has failed. */
export async function protectAgain(edge: Remote, about: Subject): Promise<void> {
  const { definition, deployment, name } = edge;
  const { register } = deployment;
  if (definition.kind !== "object") return;
  // First this, then the question: of two processes that do this at once, at least one sees what the other did.
  register.record(edge.path(), { isUndeleted: true });
  const view = register.view();
  for (const module of modulesWithResources(edge)) {
    const { removed } = view.historyOf(module.path);
    if (!removed || view.ownersOf(module.path).length > 0) continue;
    const desired = { [module.name]: asArgument(module.field, removed) };
    const call = updateCall(definition, desired, [module.name]);
    const edgeInGrace = edge.withGrace();
    try {
      const values = await executeCall(edgeInGrace, call, desired, {});
      if (unappliedProtections(edge, call.sets, desired, values).length > 0) {
        throw new ProviderError(`The service accepted ${edge.describe(call.route)}, but did not apply it.`);
      }
      register.record(module.path, { removed: undefined });
      await deployment.warn(
        `The deletion of ${name} failed, so its ${module.name}, which this deployment had removed, was set again. Pulumi ` +
          "no longer manages it. If the program declares it, run `pulumi up`.",
        about,
      );
    } catch (error) {
      // The edge was deleted after all.
      if (await deployment.lookup.provesDeletion(definition, edge.id, error, edgeInGrace.deadline)) continue;
      await deployment.warn(
        `The deletion of ${name} failed, and its ${module.name}, which this deployment had removed, could not be set ` +
          `again. Anyone may be able to connect. ${(error as Error).message}`,
        about,
      );
    }
  }
}
