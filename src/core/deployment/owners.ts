/**
 * Which resources of the program declare which object or module, by its path. Each should have one owner: two overwrite
 * each other. What has an owner is never deleted, whichever resource of the state is.
 */

import type { JsonObject } from "../../json";
import type { Options } from "../options";

export interface Owner extends Pick<Options, "key" | "resource"> {
  /** The object or module, as messages name it. */
  name: string;
  declared: JsonObject;
  /** Whether this deployment has created or imported it as declared. */
  isCreated?: true;
  /** Whether it is a module, and the resource is the module's own. */
  isSeparate?: boolean;
  /** The mark that the module had when its own resource last wrote it. */
  mark?: string;
}

export class Owners {
  /** The resources that were checked, and neither diffed nor created since. */
  private readonly checked = new Set<string>();
  /** By path, then by the resource's key. */
  private readonly owners = new Map<string, Map<string, Owner>>();
  /** The paths of each resource. */
  private readonly paths = new Map<string, Set<string>>();
  private readonly failed = new Set<string>();
  /** The resource whose object, at this path, is to be updated, and is not yet. */
  private readonly updates = new Map<string, string>();
  /** The resource that removes the module at a path in this deployment. */
  private readonly removals = new Map<string, string>();

  constructor(private readonly warn: (message: string, key: string) => Promise<void>) {}

  /** A resource is in the program. What it keeps is yet to be seen: it may be new, or be replaced. */
  register(key: string): void {
    this.checked.add(key);
    this.failed.delete(key);
    for (const path of this.paths.get(key) ?? []) this.release(path, key);
    this.paths.set(key, new Set());
  }

  /** Whether a diff or create follows a check: the engine also diffs to refresh, whether or not the program has it. */
  followsCheck = (key: string): boolean => this.checked.delete(key);

  /** A resource declares what is at this path. */
  async declare(path: string, owner: Owner): Promise<void> {
    const owners = this.owners.get(path) ?? new Map<string, Owner>();
    const isKnown = owners.has(owner.key);
    const [other] = owners.values();
    this.owners.set(path, owners.set(owner.key, owner));
    this.paths.get(owner.key)?.add(path);
    if (isKnown) return;
    if (other) {
      await this.warn(
        `The ${owner.name} is managed by both ${other.resource} and ${owner.resource}, which overwrite each other. ` +
          "Declare it in one place.",
        owner.key,
      );
    } else if (this.isRemoved(path)) {
      // The engine updates an edge before it knows of a new resource for the edge's module: the gap cannot be prevented.
      await this.warn(
        `The ${owner.name} moves from ${this.removals.get(path)} to ${owner.resource} and is not set in between. ` +
          "To move it without a gap, see node_modules/pulumi-tunnel-edge/docs/moving.md.",
        owner.key,
      );
    }
  }

  /** A resource does not declare what is at this path, or no longer does. */
  release(path: string, key: string): void {
    this.owners.get(path)?.delete(key);
  }

  /** The resource of the program that declares what is at this path. */
  ownerOf(path: string): Owner | undefined {
    const [owner] = this.owners.get(path)?.values() ?? [];
    return owner;
  }

  /** The module's own resource, if the program declares one. */
  separateOwnerOf(path: string): Owner | undefined {
    return [...(this.owners.get(path)?.values() ?? [])].find(({ isSeparate }) => isSeparate);
  }

  /** An operation of this resource failed: what it declares may not be what the service has. */
  markFailed = (key: string) => void this.failed.add(key);

  get hasFailures(): boolean {
    return this.failed.size > 0;
  }

  hasFailed = (key: string) => this.failed.has(key);

  /** A resource is to update the object at this path. If something that it depends on fails, it never does. */
  startUpdate = (path: string, { resource }: Pick<Options, "resource">) => void this.updates.set(path, resource);

  endUpdate = (path: string) => void this.updates.delete(path);

  pendingUpdateOf = (path: string): string | undefined => this.updates.get(path);

  /** A resource that no longer declares the module at this path removes it. */
  remove = (path: string, resource: string) => void this.removals.set(path, resource);

  isRemoved = (path: string) => this.removals.has(path);

  /** The module at this path is set again. */
  markSet = (path: string) => void this.removals.delete(path);
}
