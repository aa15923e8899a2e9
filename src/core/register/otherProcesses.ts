/** What the other processes of the deployment have published so far. */

import type { SharedRegister } from "../../base/sharedRegister";
import type { Entry, History, Registered } from "./entries";
import { ResourceIndex } from "./resourceIndex";

interface Process {
  resources: ResourceIndex;
  histories: Map<string, History>;
  isDead: boolean;
}

export class OtherProcesses {
  private readonly processes = new Map<string, Process>();

  constructor(
    private readonly shared: SharedRegister,
    /** The service's address in this process. */
    private readonly address: string,
  ) {}

  /** Why it is not known what one of them has published. */
  get problem(): string | undefined {
    return this.shared.problem;
  }

  /** Reads what they have published since the last time. */
  read(): void {
    for (const [name, { entries, isDead }] of this.shared.read()) {
      const process = this.processes.get(name) ?? { resources: new ResourceIndex(), histories: new Map(), isDead };
      this.processes.set(name, process);
      process.isDead = isDead;
      for (const entry of entries as unknown as Entry[]) {
        if (entry.about === "place") process.histories.set(entry.place, entry.history);
        if (entry.about === "resource") process.resources.set(this.withAddress(entry));
      }
    }
  }

  /** If the service has another address there, messages name it: whether it is another service is not known. */
  private withAddress({ resource, address }: Extract<Entry, { about: "resource" }>): Registered {
    if (address === this.address) return resource;
    return { ...resource, resource: `${resource.resource} at ${address}`, hasOtherAddress: true };
  }

  /** The resources that declare a place, or give it up, and whether their process has stopped. */
  at = (place: string): [Registered, isDead: boolean][] =>
    [...this.processes.values()].flatMap(({ resources, isDead }) =>
      resources.at(place).map((each): [Registered, boolean] => [each, isDead]),
    );

  historiesOf = (place: string): History[] =>
    [...this.processes.values()].flatMap(({ histories }) => histories.get(place) ?? []);
}
