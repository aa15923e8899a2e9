/**
 * A component in `dependsOn` stands for the resources inside it, which only a file lists that the SDK does not export.
 * Without that file, only the component is waited for.
 */

import * as pulumi from "@pulumi/pulumi";

/** The resources, with those inside a component in place of the component. */
export async function expandComponents(resources: pulumi.Resource[]): Promise<pulumi.Resource[]> {
  const expand = resources.some(pulumi.ComponentResource.isInstance) && transitiveResources();
  return expand ? expand(new Set(resources), new Set()) : resources;
}

type TransitiveResources = (from: Set<pulumi.Resource>, except: Set<pulumi.Resource>) => Promise<pulumi.Resource[]>;

function transitiveResources(): TransitiveResources | undefined {
  try {
    return require("@pulumi/pulumi/runtime/dependsOn").getAllTransitivelyReferencedResources;
  } catch {
    return undefined;
  }
}
