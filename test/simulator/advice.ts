/**
 * What messages advise. Each advice that a message gives is an entry of this table, and the simulated user follows it.
 * A sentence that advises something else fails: it must be added here, with what the user does.
 */

/** What the user does, by name. */
export type Action =
  /** Nothing but running the command again. */
  | "again"
  /** `pulumi refresh` before the next `pulumi up`. */
  | "refresh"
  /** Looks with `inventory` for what no stack manages, follows its steps, and deletes the rest. */
  | "look"
  /** Deletes the object that the message names, if it is in no state. */
  | "deleteNamed"
  /** Removes an object from the state that somebody else created. */
  | "stateDelete"
  /** Leaves hostports to others, imports or deletes the user's own object that the message names, or runs again. */
  | "makeRoom"
  /** Adds the option `ignoreChanges` to an edge for one deployment. */
  | "ignore"
  /** Takes the option `import` out of the program, and moves the edge back to where it was. */
  | "withoutImport"
  /** Deletes what another resource of the state has in a separate `pulumi up`. */
  | "separately"
  /** Does not update an agent again that was updated. */
  | "restart";

interface Advice {
  pattern: RegExp;
  action: Action;
}

export const table: Record<string, Advice> = {
  namedObject: {
    pattern: /Make sure that it belongs to no other resource \(`pulumi stack --show-ids`\)/,
    action: "deleteNamed",
  },
  deleteOrImport: { pattern: /^Then (add import: |delete it)/, action: "deleteNamed" },
  createsNew: { pattern: /^Otherwise the next `pulumi up` creates a new one/, action: "again" },
  lookBefore: {
    pattern:
      /^\(?.*Look for it with the command `inventory --unmanaged --stack <stack>` before you run `pulumi up` again/,
    action: "look",
  },
  adopted: {
    pattern: /^If somebody else created it at the same time, remove it from this stack with `pulumi state delete`/,
    action: "stateDelete",
  },
  identical: {
    pattern: /If an interrupted deployment created it, import it with the option import/,
    action: "makeRoom",
  },
  // The simulated engine retains nothing.
  replaced: { pattern: /^If Pulumi has retained it, import it with the option import/, action: "again" },
  usedElsewhere: { pattern: /^(If not, r|R)emove it there first/, action: "makeRoom" },
  circle: { pattern: /^Remove it from one of them in a separate `pulumi up` first/, action: "makeRoom" },
  separately: {
    pattern: /If that edge is being deleted in this deployment, delete it in a separate `pulumi up`/,
    action: "makeRoom",
  },
  credential: { pattern: /(Delete|delete) or import that credential/, action: "separately" },
  forced: { pattern: /If this is a forced replacement, set the option deleteBeforeReplace/, action: "again" },
  deleted: { pattern: /If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it/, action: "refresh" },
  removed: { pattern: /If another resource declares it, run `pulumi refresh`, then `pulumi up`/, action: "refresh" },
  maybeDeleted: {
    pattern: /If the program declares it again, run `pulumi refresh`, then `pulumi up`/,
    action: "refresh",
  },
  notApplied: { pattern: /^Run `pulumi up`, which sends it again/, action: "again" },
  notRemovable: { pattern: /^Declare it with `enabled: false` instead/, action: "again" },
  sentAgain: { pattern: /The next `pulumi up` sends (it|the update|"\w+"(, then "\w+")*) again/, action: "again" },
  checks: { pattern: /The next `pulumi up` checks, and sends "\w+"(, then "\w+")* again if needed/, action: "again" },
  runAgain: { pattern: /^Run the command again/, action: "again" },
  folder: { pattern: /set TMPDIR to a folder that only you can write to, then run the command again/, action: "again" },
  ignore: { pattern: /^Add ignoreChanges: \["\w+"\] to T(cp|ls)Edge "[^"]+" for one deployment/, action: "ignore" },
  ignored: { pattern: /^Remove that first/, action: "again" },
  interrupted: { pattern: /If it is from an interrupted run, remove that file/, action: "again" },
  address: { pattern: /Check (the path in )?tunnel-edge:baseUrl/, action: "again" },
  key: { pattern: /Check the API key/, action: "again" },
  owner: { pattern: /Use a key whose owner is/, action: "again" },
  rate: { pattern: /set tunnel-edge:requestsPerMinute/, action: "again" },
  savedSettings: {
    pattern: /`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`/,
    action: "again",
  },
  serviceGone: {
    pattern: /If the service no longer exists, remove the resource from the state with `pulumi state delete`/,
    action: "again",
  },
  moved: { pattern: /To move it without a gap, see/, action: "again" },
  oneOwner: { pattern: /^Declare it in one place/, action: "again" },
  noSuchImport: { pattern: /Check the id, or remove the import option to create one/, action: "withoutImport" },
  wrongImport: { pattern: /^Declare \S+ under another name/, action: "withoutImport" },
  importReplaced: { pattern: /Remove the import option/, action: "withoutImport" },
  mismatch: {
    pattern: /does not have it; leave it out|; declare the existing value|is \S.* in the program, but /,
    action: "withoutImport",
  },
  checkId: { pattern: /^Check the id\.?$/, action: "withoutImport" },
  updated: { pattern: /^Remove "update" from commands and use "restart"/, action: "restart" },
  session: { pattern: /^Look it up with getTunnelSessions/, action: "again" },
};

/** What users are told to do: in the imperative, or with a command. */
const advises =
  /^(Run|Look|Import|Delete|Remove|Declare|Check|Make|Use|Correct|Increase|Press|See|Add|Set|Change|Then|Wait|Allow)\b|`pulumi |`--/;

const sentencesOf = (text: string) => text.split(/(?<=[.!?])\s+|\n/).filter((sentence) => sentence !== "");

/** The names of the advice in a text, and the sentences that advise something unknown. */
export function findAdvice(text: string): { names: string[]; unknown: string[] } {
  const names = new Set<string>();
  const unknown: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const found = Object.keys(table).filter((name) => table[name]!.pattern.test(sentence));
    for (const name of found) names.add(name);
    if (found.length === 0 && advises.test(sentence)) unknown.push(sentence);
  }
  return { names: [...names], unknown };
}
