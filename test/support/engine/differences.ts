/**
 * How the plugin differs from the dynamic provider, as far as the tests see it. Everything else is the same: the tests
 * of test/resources and test/faults run with both. test/plugin/differences.test.ts shows each difference.
 */

import type { Step } from "./resourceDriver";
import { testedProvider } from "./testedProvider";

/** What the tests expect of each provider. */
interface Difference<T> {
  why: string;
  dynamic: T;
  plugin: T;
}

const difference = <T>(each: Difference<T>) => each;

export const differences = {
  stepWithoutCall: difference<Step>({
    why: "The engine records a plugin's new inputs even if nothing changes.",
    dynamic: "update",
    plugin: "same",
  }),
  refreshAfterNoCall: difference<"same" | "changed">({
    why: 'Where nothing is sent, a plugin\'s outputs keep their form, such as "" for unset, until the next refresh.',
    dynamic: "same",
    plugin: "changed",
  }),
  importStep: difference<Step>({
    why: "The engine imports for a plugin. The dynamic provider imports in create, and compares in check.",
    dynamic: "create",
    plugin: "update",
  }),
  unsetList: difference<[] | undefined>({
    why: "In the dynamic provider, the class makes a list of an output that is not set.",
    dynamic: undefined,
    plugin: [],
  }),
  timeoutInMessages: difference({
    why: "The engine tells a plugin timeouts in seconds.",
    dynamic: "2000.5ms",
    plugin: "2.0005s",
  }),
  hasManagedWithoutFailure: difference<boolean>({
    why: "The engine keeps a plugin's inputs. The outputs record what is managed only after an unfinished update.",
    dynamic: true,
    plugin: false,
  }),
  readsOfImport: difference<number>({
    why: "The dynamic provider reads in check and in create, the engine reads once for a plugin.",
    dynamic: 2,
    plugin: 1,
  }),
  isSecretKnownInImport: difference<boolean>({
    why: "The engine reads an object to import without the program's arguments, so a plugin cannot know their secrets.",
    dynamic: true,
    plugin: false,
  }),
  stepIfOnlyAnOptionChanges: difference<Step>({
    why: "The engine tells a plugin a resource's options in every call, so that the state need not have them.",
    dynamic: "update",
    plugin: "same",
  }),
  stepAfterCreationIgnored: difference<Step>({
    why: "The engine does not tell a plugin what is ignored when it creates, so the next run records it.",
    dynamic: "same",
    plugin: "update",
  }),
} as const;

type Name = keyof typeof differences;

/** What is expected of the provider that the file is tested with. */
export const expected = <N extends Name>(name: N): (typeof differences)[N]["dynamic"] =>
  differences[name][testedProvider()];

export const isPlugin = testedProvider() === "plugin";
export const managedWithoutFailure = (names: string) => (expected("hasManagedWithoutFailure") ? names : undefined);
export const unsetLists = (...names: string[]) =>
  Object.fromEntries(expected("unsetList") === undefined ? [] : names.map((name) => [name, []]));
