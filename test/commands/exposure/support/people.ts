/**
 * Who gets in, asked of each person. It knows nothing of previews, and nothing of the package. A person is whom some IP
 * policies, certificate authorities and logins let in, and some rules do not deny: any combination is somebody.
 */

/** What restricts an edge. `every` rule that denies must be passed; of `some` ids, one is enough. */
export interface Restriction {
  kind: "some" | "every";
  ids: string[];
}

export interface Edge {
  isReached: boolean;
  /** Those that are on. */
  restrictions: Restriction[];
}

/** A public address. No edge: nobody can connect. */
export interface Address {
  name: string;
  before?: Edge;
  after?: Edge;
}

/** Everything that a change can be about, with nothing hidden. */
export interface World {
  addresses: Address[];
}

type Person = Set<string>;

const passes = (person: Person, { kind, ids }: Restriction) =>
  kind === "some" ? ids.some((id) => person.has(id)) : ids.every((id) => person.has(id));

const getsIn = (person: Person, edge: Edge | undefined): boolean =>
  edge?.isReached === true && edge.restrictions.every((restriction) => passes(person, restriction));

const nobodyKnown: Person = new Set();

function listPeople({ addresses }: World): Person[] {
  const edges = addresses.flatMap(({ before, after }) => [before, after]);
  const ids = new Set(edges.flatMap((edge) => edge?.restrictions.flatMap((each) => each.ids) ?? []));
  // Nobody passes a rule that denies everybody.
  ids.delete("");
  return [...ids].reduce<Person[]>(
    (people, id) => people.flatMap((person) => [person, new Set([...person, id])]),
    [nobodyKnown],
  );
}

/** Whether somebody gets in at an address who could not before. */
export function letsStrangerIn(world: World, { before, after }: Address): boolean {
  return listPeople(world).some((person) => {
    // Where nobody could connect, any restriction is believed: only whom nothing lets in is a stranger.
    if (!before?.isReached && person.size > 0) return false;
    return getsIn(person, after) && !getsIn(person, before);
  });
}

/** Whether somebody whom nothing lets in can connect afterwards, and could not before. */
export const opensToAnyone = ({ before, after }: Address): boolean =>
  getsIn(nobodyKnown, after) && !getsIn(nobodyKnown, before);
