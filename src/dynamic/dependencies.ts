/**
 * The resources that a call of a function depends on. A component stands for the resources inside it, which only a
 * file lists that the SDK does not export: without it, only the component is waited for.
 */

import * as pulumi from "@pulumi/pulumi";
import { promiseOf } from "./knownOutputs";

/** Unknown as long as a resource that the call depends on is not created yet. */
export function dependencies(
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): pulumi.Output<unknown> {
  const find = async () => {
    const declared: pulumi.Output<unknown> = pulumi.output(dependsOn as pulumi.Input<unknown>);
    const resources = [await promiseOf(declared)].flat().filter(pulumi.Resource.isInstance);
    const implied = await pulumi.getAllResources(pulumi.all([args, declared]));
    return withChildren(new Set([...resources, ...implied]));
  };
  return pulumi.output(find()).apply((resources) => pulumi.all(resources.map(({ id, urn }) => id ?? urn)));
}

async function withChildren(resources: Set<pulumi.Resource>): Promise<Partial<pulumi.CustomResource>[]> {
  const found = [...resources];
  const expand = found.some(pulumi.ComponentResource.isInstance) && transitiveResources();
  return expand ? expand(resources, new Set()) : found;
}

type TransitiveResources = (from: Set<pulumi.Resource>, except: Set<pulumi.Resource>) => Promise<pulumi.Resource[]>;

function transitiveResources(): TransitiveResources | undefined {
  try {
    return require("@pulumi/pulumi/runtime/dependsOn").getAllTransitivelyReferencedResources;
  } catch {
    return undefined;
  }
}
