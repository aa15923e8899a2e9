/**
 * The parents of a resource, by the fields in which the SDK keeps a resource's type, name and parent. The URN, which is
 * documented, is known only later. Without these fields, resources of one type and name count as one.
 */

import type * as pulumi from "@pulumi/pulumi";

interface InnerResource {
  __pulumiType?: string;
  __name?: string;
  __parentResource?: pulumi.Resource;
}

/** The types and names of a parent and its own parents, without the stack; undefined if there are none. */
export function describeParents(parent: pulumi.Resource | undefined): string | undefined {
  const { __pulumiType: type, __name: name, __parentResource: next } = (parent ?? {}) as InnerResource;
  if (type === undefined || type === "pulumi:pulumi:Stack") return undefined;
  return [describeParents(next), `${type}::${name}`].filter(Boolean).join("$");
}
