/**
 * Which resources of the program declare which object or module. Each should have one owner: two overwrite each other,
 * and when one of them goes, what the other declares must stay.
 */

import type { JsonObject } from "../json";

export interface Owner {
  /** As messages name it: `TcpEdge "ssh"`. */
  resource: string;
  /** The object or module, as messages name it. */
  name: string;
  declared: JsonObject;
}

export class Owners {
  /** The paths of each resource that is in the program. A refresh diffs those that are not, too. */
  private readonly program = new Map<string, Set<string>>();
  /** By path, then by resource. */
  private readonly owners = new Map<string, Map<string, Owner>>();
  /** The resource that removes the module at a path in this deployment. */
  private readonly removals = new Map<string, string>();

  constructor(private readonly warn: (message: string) => Promise<void>) {}

  /** A resource is in the program; a new one, or a replacement, has no object or module yet. */
  register(resource: string, isNew: boolean): void {
    const paths = this.program.get(resource) ?? new Set();
    this.program.set(resource, paths);
    if (isNew) for (const path of paths) this.release(path, resource);
  }

  /** A resource declares what is at this path. */
  async declare(path: string, owner: Owner): Promise<void> {
    const paths = this.program.get(owner.resource);
    if (!paths) return;
    paths.add(path);
    const owners = this.owners.get(path) ?? new Map<string, Owner>();
    const isKnown = owners.has(owner.resource);
    const [other] = owners.values();
    this.owners.set(path, owners.set(owner.resource, owner));
    if (isKnown) return;
    if (other) {
      await this.warn(
        `The ${owner.name} is managed by both ${other.resource} and ${owner.resource}, which overwrite each other. ` +
          "Declare it in one place.",
      );
    } else if (this.isRemoved(path)) {
      // The engine updates an edge before it knows of a new resource for the edge's module: it cannot be prevented.
      await this.warn(
        `The ${owner.name} moves from ${this.removals.get(path)} to ${owner.resource} and is not set in between. ` +
          "To move it without a gap, see node_modules/pulumi-tunnel-edge/docs/moving.md.",
      );
    }
  }

  /** A resource does not declare what is at this path, or no longer does. */
  release(path: string, resource: string): void {
    this.owners.get(path)?.delete(resource);
  }

  /** What a resource of the program declares at this path; `except` leaves one resource out. */
  declaredAt(path: string, except?: string): JsonObject | undefined {
    const owners = [...(this.owners.get(path)?.values() ?? [])];
    return owners.find(({ resource }) => resource !== except)?.declared;
  }

  /** A resource that no longer declares the module at this path removes it. */
  remove(path: string, resource: string): void {
    if (this.program.has(resource)) this.removals.set(path, resource);
  }

  isRemoved = (path: string) => this.removals.has(path);

  /** The module at this path is set again. */
  markSet = (path: string) => void this.removals.delete(path);
}
