/**
 * What the resources of a deployment know of each other. A place is what only one resource should declare: an object, a
 * module, a hostport, a public key. The register knows for each place who declares it and what has happened there, and
 * for each resource its places and how far it has come. A deployment often has several processes. Each publishes what is
 * in its register, and reads what the others have published.
 */

import type { Options } from "../options";
import type { Conflict, History, Owner, Phase, Places, Registered } from "./entries";
import { ResourceIndex } from "./resourceIndex";
import { Others, type SharedRegister } from "./sharedRegister";

export class Register {
  private readonly resources = new ResourceIndex();
  private readonly histories = new Map<string, History>();
  /** The resources that were checked, and neither diffed nor created since. */
  private readonly checked = new Set<string>();
  /** The places of resources that the engine replaces because it replaces what they depend on. */
  private readonly replacedWithEdge = new Set<string>();
  /** The ids of objects that belong to a resource of the program or of the state. */
  private readonly ids = new Set<string>();
  /** Who waits until this process changes the unique value of an object, by its id. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly others: Others;

  constructor(
    private readonly shared: SharedRegister,
    /** A hash that every process with this account computes alike, and nobody else can. */
    readonly hash: (text: string) => string,
  ) {
    this.others = new Others(shared);
  }

  /**
   * The program has this resource, and declares these places. What it keeps is yet to be seen: it may be new, or be
   * replaced. Returns the places that another resource has. If there are any, this one is not registered.
   */
  check({ key, resource }: Options, places: Places): Conflict[] {
    const before = this.resources.get(key);
    for (const [place, declaration] of Object.entries(places)) {
      // A replacement is checked again, as if it were new.
      const isKept = before?.places[place] && !before.places[place].isNew;
      if (isKept || before?.givesUp === place) declaration.isNew = false;
    }
    this.save({ key, resource, phase: "checked", places, givesUp: before?.givesUp });
    const conflicts = this.findConflicts(key, places);
    if (conflicts.length > 0) this.save({ key, resource, phase: "checked", places: {} });
    else this.checked.add(key);
    return conflicts;
  }

  /**
   * Whether a diff of what is at a place, or a create, follows a check. The engine also diffs to refresh, and what it
   * replaces with its edge.
   */
  consumeCheck(key: string, place?: string): boolean {
    const isChecked = this.checked.delete(key);
    if (!isChecked && place !== undefined && !this.resources.isEmpty) this.replacedWithEdge.add(place);
    return isChecked;
  }

  /** A resource has these places, too. Returns those that another resource has. */
  declare({ key, resource }: Options, places: Places, phase: Phase): Conflict[] {
    const before = this.resources.get(key);
    this.save({ key, resource, phase, places: { ...before?.places, ...places } });
    return this.findConflicts(key, places);
  }

  /** A resource gives up the object at a place for a replacement. */
  giveUp(key: string, place: string): void {
    this.change(key, { givesUp: place });
  }

  /** An operation of this resource failed: what it declares may not be what the service has. */
  markFailed(key: string): void {
    this.change(key, { phase: "failed" });
  }

  get hasFailures(): boolean {
    return this.resources.hasFailures;
  }

  /** Reads what other processes have published. */
  sync(): void {
    this.others.sync();
  }

  /** Why it is not known what the other processes declare. */
  get unreadable(): string | undefined {
    return this.shared.problem;
  }

  /** The resources of the program that declare a place, those of this process first. */
  ownersOf(place: string): Owner[] {
    const toOwner = ({ key, resource, phase, places }: Registered, isElsewhere: boolean, isDead: boolean): Owner[] =>
      places[place] ? [{ key, resource, phase, isElsewhere, isDead, ...places[place] }] : [];
    return [
      ...this.resources.at(place).flatMap((each) => toOwner(each, false, false)),
      ...this.others.at(place).flatMap((each) => toOwner(each, true, each.isDead)),
    ];
  }

  /** The resource of the program that keeps what is at a place; one that has failed only if no other does. */
  keeperOf(place: string): Owner | undefined {
    this.sync();
    const owners = this.ownersOf(place);
    return owners.find((owner) => !hasFailed(owner)) ?? owners[0];
  }

  /** The module's own resource, if the program declares one. */
  moduleResourceAt = (place: string): Owner | undefined =>
    this.ownersOf(place).find(({ isModuleResource }) => isModuleResource);

  /** The resources that keep the object at a place, or give it up. */
  holdersOf = (place: string): Registered[] => [...this.resources.at(place), ...this.others.at(place)];

  /**
   * The resource whose update or replacement of the edge at a place has not succeeded, when one of the edge's modules
   * leaves the program: what takes its place may be in there.
   */
  unfinishedAt(place: string, module: string): Registered | undefined {
    const isReplacedToo = this.replacedWithEdge.has(module);
    return this.holdersOf(place).find(({ phase }) => phase !== "written" && !(phase === "checked" && isReplacedToo));
  }

  historyOf(place: string): History {
    const [own, other] = [this.histories.get(place) ?? {}, this.others.historyOf(place)];
    return { ...other, ...own, lostUntil: Math.max(own.lostUntil ?? 0, other.lostUntil ?? 0) };
  }

  record(place: string, event: History): void {
    const history = { ...this.histories.get(place), ...event };
    this.histories.set(place, history);
    this.shared.publish({ place, ...history });
  }

  /** An object belongs to a resource. */
  know = (id: string) => void this.ids.add(id);

  /** Whether the object with this id, at this place, belongs to a resource. */
  isKnown = (id: string, place: string) => this.ids.has(id) || this.ownersOf(place).length > 0;

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
    const registered = this.resources.get(key);
    if (registered) this.save({ ...registered, ...change });
  }

  private save(registered: Registered): void {
    this.resources.set(registered);
    this.shared.publish(toEntry(registered));
  }

  /** Publishes first, then reads: if two processes do this at once, at least one of them sees what both declare. */
  private findConflicts(key: string, places: Places): Conflict[] {
    this.sync();
    return Object.entries(places).flatMap(([place, declaration]) => {
      // If the state already has both, a warning says so instead.
      const other = this.ownersOf(place).find((owner) => owner.key !== key && (owner.isNew || declaration.isNew));
      return other ? [[declaration, other] as Conflict] : [];
    });
  }
}

/** Whether what a resource declares may not be what the service has. */
export const hasFailed = ({ phase, isDead }: Pick<Owner, "phase" | "isDead">): boolean => phase === "failed" || isDead;

/** What other processes need to know, without values and without names for messages. */
function toEntry({ places, ...registered }: Registered): object {
  const published = Object.entries(places).map(([place, { name: _, title: __, value: ___, ...traits }]) => [
    place,
    traits,
  ]);
  return { ...registered, places: Object.fromEntries(published) };
}
