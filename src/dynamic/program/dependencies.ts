/** The resources that a call of a function depends on. */

import * as pulumi from "@pulumi/pulumi";
import { programError } from "./programError";
import { promiseOf } from "./sdk/knownOutputs";

/** Unknown as long as a resource that the call depends on is not created yet. */
export function dependencies(
  functionName: string,
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): pulumi.Output<unknown> {
  const find = async (): Promise<Partial<pulumi.CustomResource>[]> => {
    const declared: pulumi.Output<unknown> = pulumi.output(dependsOn as pulumi.Input<unknown>);
    const resources = [await promiseOf(declared)].flat().filter(pulumi.Resource.isInstance);
    // It would be waited for without the resources inside it, so that a function reads what they are still to create.
    if (resources.some(pulumi.ComponentResource.isInstance))
      throw programError(`${functionName}: dependsOn has a component. Name the resources inside it instead.`);
    const implied = await pulumi.getAllResources(pulumi.all([args, declared]));
    return [...new Set([...resources, ...implied])];
  };
  return pulumi.output(find()).apply((resources) => pulumi.all(resources.map(({ id, urn }) => id ?? urn)));
}
