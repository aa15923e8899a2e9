/**
 * What the adapters of both engines share. An adapter removes the additions of its engine to a resource (secret marks,
 * hidden inputs, options), calls the provider, and adds them again.
 */

import type { JsonObject } from "../base/json";
import type { CommandDefinition, Definition } from "../definitions/definition";
import { CommandProvider } from "./commandProvider";
import type { Deployment } from "./deployment/deployment";
import { PartialFailure } from "./errors";
import type { Provider } from "./provider";
import { ResourceProvider } from "./resourceProvider";
import { encloseSecrets, type Marked } from "./secrets";

export const createProvider = (definition: Definition | CommandDefinition, deployment: Deployment): Provider =>
  definition.kind === "command"
    ? new CommandProvider(definition, deployment)
    : new ResourceProvider(definition, deployment);

/**
 * Runs a create or an update. `toOutputs` makes outputs of the state's properties. If it fails halfway, the error has the
 * outputs, with the secrets in envelopes: the engine saves them, and the next `pulumi up` continues.
 */
export async function executeWrite(
  provider: Provider,
  work: () => Promise<{ id: string }>,
  toOutputs: (properties: JsonObject) => Marked,
): Promise<{ id: string; outputs: Marked }> {
  try {
    const state = await work();
    return { id: state.id, outputs: toOutputs(provider.properties(state)) };
  } catch (error) {
    if (!(error instanceof PartialFailure)) throw error;
    throw new PartialFailure(error.message, error.id, encloseSecrets(toOutputs(error.properties)));
  }
}
