/** The resources that a call of a function depends on. */

import * as pulumi from "@pulumi/pulumi";
import { expandComponents } from "./sdk/componentChildren";
import { promiseOf } from "./sdk/knownOutputs";

/** Unknown as long as a resource that the call depends on is not created yet. */
export function dependencies(
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): pulumi.Output<unknown> {
  const find = async (): Promise<Partial<pulumi.CustomResource>[]> => {
    const declared: pulumi.Output<unknown> = pulumi.output(dependsOn as pulumi.Input<unknown>);
    const resources = [await promiseOf(declared)].flat().filter(pulumi.Resource.isInstance);
    const implied = await pulumi.getAllResources(pulumi.all([args, declared]));
    return expandComponents([...new Set([...resources, ...implied])]);
  };
  return pulumi.output(find()).apply((resources) => pulumi.all(resources.map(({ id, urn }) => id ?? urn)));
}
