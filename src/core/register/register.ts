/**
 * What the resources of a deployment know of each other. A place is what only one resource should declare: an object, a
 * module, a hostport, a public key. The register knows for each place who declares it and what has happened there, and
 * for each resource its places and how far it has come. A deployment often has several processes. Each publishes what is
 * in its register, and reads what the others have published. Questions are asked of a view, which cannot forget to read.
 */

import type { SharedRegister } from "../../base/sharedRegister";
import type { Options } from "../options";
import type { Entry, History, Phase, Places, Registered } from "./entries";
import { OtherProcesses } from "./otherProcesses";
import { ResourceIndex } from "./resourceIndex";
import { type Known, View } from "./view";

export class Register {
  private readonly known: Known = {
    resources: new ResourceIndex(),
    histories: new Map(),
    claimed: new Map(),
  };
  /** The resources that were checked, and neither diffed nor created since. */
  private readonly checked = new Set<string>();
  /** Who waits until this process changes the unique value of an object, by its id. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly otherProcesses: OtherProcesses;

  constructor(
    private readonly shared: SharedRegister,
    /** The service's. */
    private readonly address: string,
    /** A hash that every process with this account computes alike, and nobody else can. */
    readonly hash: (text: string) => string,
  ) {
    this.otherProcesses = new OtherProcesses(shared, address);
  }

  /**
   * What is known now, for one decision. Declare first, then ask: if two processes do this at once, at least one of them
   * sees what both declare.
   */
  view = (): View => new View(this.known, this.otherProcesses);

  /**
   * The program has this resource, and declares these places. What it keeps is yet to be seen: it may be new, or be
   * replaced.
   */
  enter({ key, resource }: Options, places: Places): void {
    const before = this.known.resources.get(key);
    for (const [place, declaration] of Object.entries(places)) {
      // A replacement is checked again, as if it were new.
      const isKept = before?.places[place] && !before.places[place].isNew;
      if (isKept || before?.givesUp === place) declaration.isNew = false;
    }
    this.save({ key, resource, phase: "checked", places, givesUp: before?.givesUp });
    this.checked.add(key);
  }

  /** The check of this resource failed: it has no places, and is neither diffed nor created. */
  reject({ key, resource }: Options): void {
    this.save({ key, resource, phase: "checked", places: {} });
    this.checked.delete(key);
  }

  /** Whether a diff or a create follows a check. The engine also diffs to refresh, and what it replaces with its edge. */
  consumeCheck = (key: string): boolean => this.checked.delete(key);

  /** A resource has these places, too. */
  declare({ key, resource }: Options, places: Places, phase: Phase): void {
    const before = this.known.resources.get(key);
    this.save({ key, resource, phase, places: { ...before?.places, ...places } });
  }

  /** A resource gives up the object at a place for a replacement. */
  giveUp(key: string, place: string): void {
    this.change(key, { givesUp: place });
  }

  /** An operation of this resource failed: what it declares may not be what the service has. */
  markFailed(key: string): void {
    this.change(key, { phase: "failed" });
  }

  /** Something has happened at a place. */
  record(place: string, event: History): void {
    const { histories } = this.known;
    const history = { ...histories.get(place), ...event };
    histories.set(place, history);
    this.publish({ about: "place", place, history });
  }

  /** An object belongs to a resource. */
  claim(id: string, key?: string): void {
    const { claimed } = this.known;
    claimed.set(id, key ?? claimed.get(id));
  }

  /** The unique value of an object, such as its hostports, was changed in the service. */
  markChanged(id: string): void {
    for (const done of this.waiting.get(id) ?? []) done();
    this.waiting.delete(id);
  }

  /** Resolves when this process changes the unique value of an object. */
  nextChange(id: string): Promise<void> {
    return new Promise((done) => this.waiting.set(id, [...(this.waiting.get(id) ?? []), done]));
  }

  private change(key: string, change: Partial<Registered>): void {
    const registered = this.known.resources.get(key);
    if (registered) this.save({ ...registered, ...change });
  }

  private save(registered: Registered): void {
    this.known.resources.set(registered);
    this.publish({ about: "resource", resource: withoutValues(registered), address: this.address });
  }

  private publish = (entry: Entry) => this.shared.publish(entry);
}

/** What other processes need to know, without values and without names for messages. */
function withoutValues({ places, ...registered }: Registered): Registered {
  const published = Object.entries(places).map(([place, { name: _, title: __, value: ___, ...traits }]) => [
    place,
    traits,
  ]);
  return { ...registered, places: Object.fromEntries(published) };
}
