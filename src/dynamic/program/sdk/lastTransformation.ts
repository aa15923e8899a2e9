/**
 * The transformations of a component or of the stack change a resource's options in the SDK's constructor. A class must
 * change the options after them. So it adds a transformation to the parent's list, `__transformations`, while the resource
 * is constructed. Without that list, it comes after the resource's own transformations, and does not see the others.
 */

import * as pulumi from "@pulumi/pulumi";

type Transform = (props: pulumi.Inputs, opts: pulumi.CustomResourceOptions) => pulumi.ResourceTransformationResult;

/** Options with which a transformation runs once, and last, until `restore` is called. */
export function transformLast(
  opts: pulumi.CustomResourceOptions,
  transform: Transform,
): { opts: pulumi.CustomResourceOptions; restore(): void } {
  let isDone = false;
  // The children of a resource inherit its transformations.
  const last: pulumi.ResourceTransformation = (resource) => {
    if (isDone) return undefined;
    isDone = true;
    return transform(resource.props, resource.opts);
  };
  const inherited = listOf(opts.parent ?? pulumi.runtime.getStackResource());
  if (!inherited) return { opts: { ...opts, transformations: [...(opts.transformations ?? []), last] }, restore() {} };
  inherited.push(last);
  return { opts, restore: () => void inherited.splice(inherited.lastIndexOf(last), 1) };
}

function listOf(parent: pulumi.Resource | undefined): pulumi.ResourceTransformation[] | undefined {
  const { __transformations: list } = (parent ?? {}) as { __transformations?: pulumi.ResourceTransformation[] };
  return Array.isArray(list) ? list : undefined;
}
