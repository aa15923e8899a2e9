/**
 * The engine runs `transforms` after a class has passed the options on as hidden inputs. So the options of a transform are
 * passed on in its response, before the engine gets it.
 *
 * This protects whoever lets a transform add `ignoreChanges: ["ipRestriction"]` to edges that do not declare it. The
 * engine then gives the provider the value in the state as an argument. The class would take it for declared, and when
 * the transform is removed, `pulumi up` would remove the restriction. `import`, `replaceOnChanges` and `customTimeouts`
 * would fail or have no effect.
 *
 * The SDK has no place for it. A resource's own transforms run before those of its parents and of the stack, and those of
 * the stack in the order of their registration. A transform of this package would not see the options of later ones, and
 * the engine would call it for each resource of every provider. The dynamic provider host does not get the options, so no
 * check can reject them. If the SDK no longer has this response, the restriction is removed as described above.
 */

import type { TransformResourceOptions, TransformResponse } from "@pulumi/pulumi/proto/resource_pb";
import { expandAll } from "../../../core/options";
import { isSecretEnvelope } from "../../../core/secrets";
import { describeInvalidTimeout } from "../../../core/timeouts";
import { agentCommands, definitions } from "../../../definitions";
import { hiddenInputs } from "../../hiddenInputs";
import { optionInputs, parseType, secretOutputs } from "../registration";

/** Changes the responses of all transforms of the program, also of those that are registered already. */
export function passOnTransformedOptions(): void {
  const prototype = findPrototype();
  const serialize = prototype?.serializeBinary;
  if (!serialize) return;
  prototype.serializeBinary = function serializeBinary() {
    passOnOptions(this);
    return serialize.call(this);
  };
}

function findPrototype(): TransformResponse | undefined {
  try {
    return require("@pulumi/pulumi/proto/resource_pb").TransformResponse.prototype;
  } catch {
    return undefined;
  }
}

function passOnOptions(response: TransformResponse): void {
  const [properties, options] = [response.getProperties(), response.getOptions()];
  const inputs = properties?.toJavaScript() ?? {};
  const type = parseType(inputs[hiddenInputs.provider]);
  // Another copy of this package may have other types, and passes on their options itself.
  const definition = [...definitions, ...agentCommands].find((each) => each.type === type);
  if (!properties || !options || !definition) return;
  for (const name of ["replaceOnChanges", "timeouts", "ignoreChanges"] as const) delete inputs[hiddenInputs[name]];
  const set = parseOptions(options, definition.fields);
  options.setIgnoreChangesList(set.ignoreChanges ?? []);
  Object.assign(inputs, optionInputs(set));
  const secret = Object.keys(definition.fields).filter((name) => hasSecret(inputs[name]));
  if (secret.length > 0) inputs[hiddenInputs.secrets] = secret.join(" ");
  else delete inputs[hiddenInputs.secrets];
  // The engine would reject an invalid timeout with the SDK's stack. The check rejects it with a message.
  if (describeInvalidTimeout("", set.customTimeouts ?? {})) options.clearCustomTimeouts();
  if (options.getImport() !== "") {
    inputs[hiddenInputs.import] = options.getImport();
    options.setImport("");
    // The replacement is the object itself, which must stay.
    options.clearDeleteBeforeReplace();
  }
  const { fromJavaScript } = properties.constructor as unknown as { fromJavaScript(value: object): typeof properties };
  response.setProperties(fromJavaScript(inputs));
  // A transform may return other options than it was given.
  const secrets = [...options.getAdditionalSecretOutputsList(), ...secretOutputs(definition)];
  options.setAdditionalSecretOutputsList([...new Set(secrets)]);
}

/** Whether a value on its way to the engine contains a secret, or an Output that is one. */
function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSecretEnvelope(value) || Object.values(value).some(hasSecret);
}

/** The options that are set, as a class is given them. */
function parseOptions(options: TransformResourceOptions, fields: object) {
  const timeouts = Object.entries(options.getCustomTimeouts()?.toObject() ?? {}).filter(([, time]) => time !== "");
  const listOf = (list: string[]) => (list.length > 0 ? list : undefined);
  return {
    replaceOnChanges: listOf(options.getReplaceOnChangesList()),
    ignoreChanges: listOf(expandAll(options.getIgnoreChangesList(), fields)),
    customTimeouts: timeouts.length > 0 ? Object.fromEntries(timeouts) : undefined,
  };
}
