/** What the register has of each resource, and of each place. */

import type { JsonObject } from "../../base/json";
import type { Options } from "../options";

/** How far a resource has come: what it declares is known, is to be sent, is what the service has, or was not sent. */
export type Phase = "checked" | "planned" | "written" | "failed";

/** What a resource declares at a place. */
export interface Declaration {
  /** The place, as the message of a conflict names it: `ipRestriction`. */
  name: string;
  /** As other messages name it: `ipRestriction of TCP edge edgtcp_…`. */
  title?: string;
  /** What is declared there, unless another process has it. */
  value?: JsonObject;
  /** Whether the state does not have it yet. A new declaration of what another resource declares is a conflict. */
  isNew?: boolean;
  /** Whether it is a module, and the resource is the module's own. */
  isModuleResource?: boolean;
  /** Whether this deployment has created or imported it as declared. */
  isCreated?: true;
  /** The write mark that the module had when its own resource last wrote it. */
  writeMark?: string;
}

export type Places = Record<string, Declaration>;

/** A resource that the program has. */
export interface Registered extends Pick<Options, "key" | "resource"> {
  phase: Phase;
  places: Places;
  /** The place of the object that it gives up for a replacement. */
  givesUp?: string;
  /** Whether its provider has another address: what it declares may be of another service, or of the same one. */
  hasOtherAddress?: boolean;
}

/** A resource that declares a place, and what it declares there. */
export interface Owner extends Declaration, Pick<Registered, "key" | "resource" | "phase" | "hasOtherAddress"> {
  /** Whether another process has it. */
  isElsewhere: boolean;
  /** Whether the process that has it has stopped. */
  isDead: boolean;
}

/** Whether what a resource declares may not be what the service has. */
export const hasFailed = ({ phase, isDead }: Pick<Owner, "phase" | "isDead">): boolean => phase === "failed" || isDead;

/** What a resource declares, and a resource that has declared the same place before. */
export type DoubleDeclaration = [Declaration, Owner];

/** What has happened at a place in this deployment. */
export interface History {
  /** The resource that removes the module, or that the module was set again since. */
  removal?: { by: string } | "set again";
  /** The write mark: another one after every write of an edge to its module. */
  writeMark?: string;
  /** Until when a call whose response was lost may still be executed there, in milliseconds since the epoch. */
  lostUntil?: number;
  /** The edge whose state has the module, although the edge does not declare it. */
  inStateOf?: string;
  /** What the state had of a protecting module, which its own resource has removed. */
  removed?: JsonObject;
  /** Whether the engine replaces the module's resource because it replaces the edge. */
  isReplacedWithEdge?: boolean;
  /** Whether the deletion of the edge has failed. */
  isUndeleted?: boolean;
}

/** What a process publishes for the others. */
export type Entry =
  | { about: "resource"; resource: Registered; address: string }
  | { about: "place"; place: string; history: History };
