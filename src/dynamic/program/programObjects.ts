/** The objects that this program declares or reads, by their `id` Outputs: a module's `edgeId` shows whose it is. */

import type * as pulumi from "@pulumi/pulumi";

export interface ProgramObject {
  resource: pulumi.Resource;
  type: string;
  name: string;
  /** The resource's parents, as hidden inputs have them. */
  parents: string | undefined;
  opts: pulumi.CustomResourceOptions;
}

const objects = new WeakMap<object, ProgramObject>();

export const rememberObject = (id: pulumi.Output<pulumi.ID>, object: ProgramObject) => void objects.set(id, object);

/** The object whose `id` this argument is; undefined if the argument is computed from an id. */
export const objectWithId = (id: unknown): ProgramObject | undefined =>
  typeof id === "object" && id !== null ? objects.get(id) : undefined;

/**
 * Whether a module is deleted with its object, so that no request removes it while the object exists. It is not if the
 * object was only read, or is retained. A component passes `retainOnDelete` on only to its own children.
 */
export function isDeletedWith(
  { resource, parents, opts }: ProgramObject,
  parent: pulumi.Resource | undefined,
): boolean {
  if (opts.id !== undefined || opts.retainOnDelete) return false;
  const isInherited = opts.retainOnDelete === undefined && parents !== undefined;
  return !isInherited || parent === opts.parent || parent === resource;
}
