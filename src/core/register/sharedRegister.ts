/**
 * What the processes of a deployment know of each other: the dynamic provider host, the one of each explicit Provider,
 * the plugin, and its old version beside its new one.
 */

import type { JsonObject } from "../../base/json";
import type { History, Registered } from "./entries";
import { ResourceIndex } from "./resourceIndex";

/** What one process has published. */
export interface Published {
  /** What was published since the last read. A later entry for the same resource or place replaces an earlier one. */
  entries: JsonObject[];
  /** Whether the process has stopped: what it declares was perhaps never sent. */
  isDead: boolean;
}

export interface SharedRegister {
  /** The others see it when this returns. */
  publish(entry: object): void;
  /** What the other processes have published, by process. */
  read(): Map<string, Published>;
  /** Why it is not known what another process has published. */
  readonly problem?: string;
}

/** Of a process that is alone. */
export const unshared: SharedRegister = { publish: () => {}, read: () => new Map() };

/** A resource of another process. */
export interface Other extends Registered {
  isDead: boolean;
}

interface OtherProcess {
  resources: ResourceIndex;
  histories: Map<string, History>;
  isDead: boolean;
}

/** What the other processes have published so far. */
export class Others {
  private readonly processes = new Map<string, OtherProcess>();

  constructor(private readonly shared: SharedRegister) {}

  sync(): void {
    for (const [name, { entries, isDead }] of this.shared.read()) {
      const process = this.processes.get(name) ?? { resources: new ResourceIndex(), histories: new Map(), isDead };
      this.processes.set(name, process);
      process.isDead = isDead;
      for (const entry of entries) {
        const { place, key } = entry;
        if (typeof place === "string") process.histories.set(place, entry as History);
        if (typeof key === "string") process.resources.set(entry as unknown as Registered);
      }
    }
  }

  /** The resources that declare a place, or give it up. */
  at = (place: string): Other[] =>
    [...this.processes.values()].flatMap(({ resources, isDead }) =>
      resources.at(place).map((each) => ({ ...each, isDead })),
    );

  historyOf(place: string): History {
    const known = [...this.processes.values()].flatMap(({ histories }) => histories.get(place) ?? []);
    return Object.assign({}, ...known);
  }
}
