/** How the classes register a resource with the engine: the inputs that they add to the program's arguments. */
import { hiddenInputs } from "../../../src/dynamic/hiddenInputs";
import type { Properties, Registration } from "./provider";

/** The text that every state has, and which the host runs. */
const providerText = (type: string) => `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${type}")`;

/** The arguments with the hidden inputs. */
export function withHiddenInputs({ type, name, opts = {} }: Registration, args: Properties): Properties {
  const inputs = {
    ...args,
    [hiddenInputs.provider]: providerText(type),
    [hiddenInputs.name]: name,
    [hiddenInputs.parents]: opts.parents,
    [hiddenInputs.edgeKey]: opts.edgeKey,
    [hiddenInputs.preview]: opts.preview,
    [hiddenInputs.import]: opts.import,
    [hiddenInputs.replaceOnChanges]: opts.replaceOnChanges,
    [hiddenInputs.timeouts]: opts.customTimeouts,
    [hiddenInputs.ignoreChanges]: opts.ignoreChanges,
    [hiddenInputs.secrets]: opts.secrets?.join(" ") || undefined,
  };
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
}
