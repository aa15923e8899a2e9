/**
 * What is in the register, for one decision. It reads what the other processes have published once, when it is first
 * asked about more than this process: two questions of one decision get answers that belong together.
 */

import type { DoubleDeclaration, History, Owner, Places, Registered } from "./entries";
import { hasFailed } from "./entries";
import type { OtherProcesses } from "./otherProcesses";
import type { ResourceIndex } from "./resourceIndex";

/** What this process knows. */
export interface Known {
  resources: ResourceIndex;
  histories: Map<string, History>;
  /** The ids of objects that belong to a resource of the program or of the state, with its key where it is known. */
  claimed: Map<string, string | undefined>;
}

export class View {
  private hasRead = false;

  constructor(
    private readonly own: Known,
    private readonly otherProcesses: OtherProcesses,
  ) {}

  /** Whether an operation of a resource of this process has failed. */
  get hasFailures(): boolean {
    return this.own.resources.hasFailures;
  }

  /** Why it is not known what the other processes declare. */
  get problem(): string | undefined {
    return this.others.problem;
  }

  /** The resources of the program that declare a place, those of this process first. */
  ownersOf(place: string): Owner[] {
    const toOwner = ({ places, givesUp: _, ...registered }: Registered, isElsewhere: boolean, isDead: boolean) =>
      places[place] ? [{ ...registered, isElsewhere, isDead, ...places[place] }] : [];
    return [
      ...this.own.resources.at(place).flatMap((each) => toOwner(each, false, false)),
      ...this.others.at(place).flatMap(([each, isDead]) => toOwner(each, true, isDead)),
    ];
  }

  /**
   * The resource of the program that keeps what is at a place, or, if only resources with another address do, may keep
   * it. One that has failed only if no other does.
   */
  keeperOf(place: string): Owner | undefined {
    const all = this.ownersOf(place);
    const certain = all.filter(({ hasOtherAddress }) => !hasOtherAddress);
    const owners = certain.length > 0 ? certain : all;
    return owners.find((owner) => !hasFailed(owner)) ?? owners[0];
  }

  /** The module's own resource, if the program declares one. */
  moduleResourceAt = (place: string): Owner | undefined =>
    this.ownersOf(place).find(({ isModuleResource }) => isModuleResource);

  /** The resources that keep the object at a place, or give it up. */
  holdersOf = (place: string): Registered[] => [
    ...this.own.resources.at(place),
    ...this.others.at(place).map(([each]) => each),
  ];

  /**
   * The resource whose update or replacement of the edge at a place has not succeeded, when one of the edge's modules
   * leaves the program: what takes its place may be in there.
   */
  unfinishedAt = (place: string): Registered | undefined =>
    this.holdersOf(place).find(({ phase }) => phase !== "written");

  /** What has happened at a place. What this process did there counts before what others did. */
  historyOf(place: string): History {
    const all = [...this.others.historiesOf(place), this.own.histories.get(place) ?? {}];
    return Object.assign({}, ...all, { lostUntil: Math.max(0, ...all.map(({ lostUntil }) => lostUntil ?? 0)) });
  }

  /** The resource that removes the module at a place, unless the module was set again since. */
  removerOf(place: string): string | undefined {
    const { removal } = this.historyOf(place);
    return removal === "set again" ? undefined : removal?.by;
  }

  /** Whether the object with this id, at this place, belongs to a resource. */
  isClaimed = (id: string, place: string) => this.own.claimed.has(id) || this.ownersOf(place).length > 0;

  /** Whether the object with this id belongs to this resource. */
  isClaimedBy = (key: string, id: string) => this.own.claimed.get(id) === key;

  /** The places of a resource that another one has, too, of which the state does not have both. */
  doubleDeclarationsOf(key: string, places: Places): DoubleDeclaration[] {
    return Object.entries(places).flatMap(([place, declaration]) => {
      // If the state already has both, a warning says so instead.
      const others = this.ownersOf(place).filter((owner) => owner.key !== key && !owner.hasOtherAddress);
      const other = others.find(({ isNew }) => isNew || declaration.isNew);
      return other ? [[declaration, other] as DoubleDeclaration] : [];
    });
  }

  private get others(): OtherProcesses {
    if (!this.hasRead) this.otherProcesses.read();
    this.hasRead = true;
    return this.otherProcesses;
  }
}
