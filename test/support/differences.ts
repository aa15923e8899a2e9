/**
 * How the plugin differs from the dynamic provider, as far as the tests see it. Everything else is the same: the tests
 * of test/resources run with both.
 */
import { testedProvider } from "./emulatorHost";
import type { Step } from "./resourceDriver";

export const isPlugin = testedProvider() === "plugin";

/** A change that needs no call shows as unchanged in the plugin: the engine records the new inputs anyway. */
export const stepWithoutCall: Step = isPlugin ? "same" : "update";

/** A list that is not set is empty in the plugin's outputs. In the dynamic provider, the class makes it so. */
export const unsetLists = (...names: string[]) => (isPlugin ? Object.fromEntries(names.map((name) => [name, []])) : {});

/** The engine tells a plugin timeouts in seconds. */
export const timeoutInMessages = (duration: string, seconds: string) => (isPlugin ? seconds : duration);

/** The engine keeps what is managed for a plugin: its outputs record it only after an update that failed halfway. */
export const managedWithoutFailure = (names: string) => (isPlugin ? undefined : names);

/** Only the dynamic provider imports in create, and compares in check: the engine imports for the plugin. */
export const describeOwnImport = isPlugin ? describe.skip : describe;
export const testOwnImport = isPlugin ? test.skip : test;
/** An import that matches is shown as "create" by the dynamic provider. */
export const importStep: Step = isPlugin ? "same" : "create";
/** The engine's import sends a secret that the service does not return. */
export const importStepWithSecret: Step = isPlugin ? "update" : "create";
/** Where nothing is sent, the plugin's outputs keep their form, such as "" for unset, until the next refresh. */
export const refreshAfterNoCall = isPlugin ? "changed" : "same";
/** Only the engine's import updates what the program declares otherwise. */
export const describeEngineImport = isPlugin ? describe : describe.skip;

/** Only the dynamic provider keeps what the engine tells a plugin: the options of a resource, and its provider. */
export const testOwnState = isPlugin ? test.skip : test;
