/** Steps of a preview, as the CLI prints them for resources of the plugin. */
import type { ResourceState, Step } from "../../../../src/commands/exposure/preview";
import type { Properties } from "../../../support/engine/provider";
import { typeOf, urnOf } from "./printed";

export interface StepOptions extends Omit<Partial<Step>, "oldState" | "newState"> {
  id?: string;
  /** What the service has beside the arguments before the change, or in their place. */
  found?: Properties;
  /** What else the states have. */
  old?: Partial<ResourceState>;
  next?: Partial<ResourceState>;
}

/** A resource's arguments before and after the change, of which one may be missing. The same object is left as it is. */
export function step(type: string, name: string, was?: Properties, is?: Properties, options: StepOptions = {}): Step {
  const { id = "edgtcp_1", found, old, next, ...rest } = options;
  const engineType = typeOf("plugin", type);
  return {
    op: !was ? "create" : !is ? "delete" : was === is ? "same" : "update",
    urn: urnOf("plugin", { type, name }),
    ...(was && { oldState: { type: engineType, id, inputs: was, outputs: { ...was, ...found }, ...old } }),
    ...(is && { newState: { type: engineType, inputs: is, ...next } }),
    ...rest,
  };
}

/** The same step, for a resource of the classes. */
export function ofClasses({ oldState, ...rest }: Step): Step {
  const { inputs = {}, outputs } = oldState ?? {};
  const managed = { __managed: Object.keys(inputs).join(" ") };
  const printed = JSON.stringify({
    ...rest,
    ...(oldState && { oldState: { ...oldState, outputs: { ...managed, ...outputs } } }),
  });
  return JSON.parse(printed.replaceAll(typeOf("plugin", ""), typeOf("dynamic", "")));
}

export const preview = (...steps: object[]) => ({ steps, changeSummary: {} });

// What edges have.
export const ipRestriction = { ipPolicyIds: ["ipp_a"] };
export const mutualTls = { certificateAuthorityIds: ["ca_a"] };
export const backend = { backendId: "bkdhr_a" };

/** The arguments of an edge with a hostport, a backend and these modules. */
export const having = (args: Properties = {}): Properties => ({ hostports: ["a.example:1"], backend, ...args });
