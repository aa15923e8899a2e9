/**
 * What messages advise, by what the simulated user does then. A sentence that advises something else fails: it must be
 * added here.
 */
export const advice = {
  /** Nothing but running the command again. */
  again: [
    /^Otherwise the next `pulumi up` creates a new one/,
    // The simulated engine retains nothing.
    /^If Pulumi has retained it, import it with the option import/,
    /If this is a forced replacement, set the option deleteBeforeReplace/,
    /^Run `pulumi up`, which sends it again/,
    /^Declare it with `enabled: false` instead/,
    /The next `pulumi up` sends (it|the update|"\w+"(, then "\w+")*) again/,
    /The next `pulumi up` checks, and sends "\w+"(, then "\w+")* again if needed/,
    /^Run the command again/,
    /set TMPDIR to a folder that only you can write to, then run the command again/,
    /^Remove that first/,
    /If it is from an interrupted run, remove that file/,
    /Check (the path in )?tunnel-edge:baseUrl/,
    /Check the API key/,
    /Use a key whose owner is/,
    /set tunnel-edge:requestsPerMinute/,
    /`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`/,
    /If the service no longer exists, remove the resource from the state with `pulumi state delete`/,
    /To move it without a gap, see/,
    /^Declare it in one place/,
    /^Look it up with getTunnelSessions/,
  ],
  /** `pulumi refresh` before the next `pulumi up`. */
  refresh: [
    /If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it/,
    /If another resource declares it, run `pulumi refresh`, then `pulumi up`/,
    /If the program declares it again, run `pulumi refresh`, then `pulumi up`/,
  ],
  /** Looks with `inventory` for what no stack manages, follows its steps, and deletes the rest. */
  look: [/Look for it with the command `inventory --unmanaged --stack <stack>` before you run `pulumi up` again/],
  /** Deletes the object that the message names, if it is in no state. */
  deleteNamed: [
    /Make sure that it belongs to no other resource \(`pulumi stack --show-ids`\)/,
    /^Then (add import: |delete it)/,
  ],
  /** Removes an object from the state that somebody else created. */
  stateDelete: [/^If somebody else created it at the same time, remove it from this stack with `pulumi state delete`/],
  /** Leaves hostports to others, imports or deletes the user's own object that the message names, or runs again. */
  makeRoom: [
    /If an interrupted deployment created it, import it with the option import/,
    /^(If not, r|R)emove it there first/,
  ],
  /** Removes what another resource needs, or has needed, in a `pulumi up` of its own. */
  separately: [
    /^Remove it from one of them in a separate `pulumi up` first/,
    /If that edge is being deleted in this deployment, delete it in a separate `pulumi up`/,
    /(Delete|delete) or import that credential/,
  ],
  /** Adds the option `ignoreChanges` to an edge for one deployment. */
  ignore: [/^Add ignoreChanges: \["\w+"\] to T(cp|ls)Edge "[^"]+" for one deployment/],
  /** Takes the option `import` out of the program, and moves the edge back to where it was. */
  withoutImport: [
    /Check the id, or remove the import option to create one/,
    /^Declare \S+ under another name/,
    /Remove the import option/,
    /does not have it; leave it out|; declare the existing value|is \S.* in the program, but /,
    /^Check the id\.?$/,
  ],
  /** Does not update an agent again that was updated. */
  restart: [/^Remove "update" from commands and use "restart"/],
};

export type Action = keyof typeof advice;

/** What users are told to do: in the imperative, or with a command. */
const advises =
  /^(Run|Look|Import|Delete|Remove|Declare|Check|Make|Use|Correct|Increase|Press|See|Add|Set|Change|Then|Wait|Allow)\b|`pulumi |`--/;

const sentencesOf = (text: string) => text.split(/(?<=[.!?])\s+|\n/).filter((sentence) => sentence !== "");

/** What a text advises to do, and the sentences that advise something unknown. */
export function findAdvice(text: string): { actions: Set<Action>; unknown: string[] } {
  const actions = new Set<Action>();
  const unknown: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const found = (Object.keys(advice) as Action[]).filter((action) =>
      advice[action].some((pattern) => pattern.test(sentence)),
    );
    for (const action of found) actions.add(action);
    if (found.length === 0 && advises.test(sentence)) unknown.push(sentence);
  }
  return { actions, unknown };
}
