/**
 * Who declares what in a deployment. A resource of the program claims its places when it is checked: an object, a
 * module, a hostport, a public key. A place has one owner: if two resources claim it, the check fails. An object that a
 * resource claims is not deleted when another resource leaves the program. The processes of a deployment share their
 * claims in a file.
 */

import type { JsonObject } from "../../base/json";
import type { SharedFile } from "../../base/sharedFile";
import { ProviderError } from "../errors";
import type { Options } from "../options";

/** What a resource of the program claims. */
export interface Claim extends Pick<Options, "key" | "resource"> {
  /** The service's address: another service may have an object with the same id. */
  address: string;
  /** Paths of objects and modules, and hashes of hostports and public keys. */
  places: string[];
  /**
   * Whether the service has what the resource declares. False until its create or update has succeeded: it may fail, be
   * skipped after a failure of another resource, or lose its process.
   */
  isDone: boolean;
  /** Whether this deployment has created the object or module, or imported it. */
  isNew?: boolean;
  /** The modules of an edge that its option ignoreChanges names, by their paths. */
  ignores: string[];
  /** The file, if it is the claim of another process. */
  file?: string;
}

/** An edge stops declaring a module that can be a resource of its own. */
export interface Removal {
  /** The edge's resource. */
  by: string;
  /** The edge's argument. */
  module: string;
  step: "planned" | "under way" | "removed" | "kept" | "set again";
  /** The file, if another process removes it. */
  file?: string;
  /** That process. */
  process?: string;
}

type Changes = Partial<Pick<Claim, "places" | "isDone" | "isNew" | "ignores">>;

const fix = "set TMPDIR to a folder that only you can write to, then run the command again";

export class Claims {
  private readonly claims = new Map<string, Claim>();
  /** The names of the claims of each place. */
  private readonly namesByPlace = new Map<string, Set<string>>();
  private readonly removals = new Map<string, Removal>();

  constructor(
    /** The service's. */
    private readonly address: string,
    /** A hash that every process with this account computes alike, and nobody else can. */
    readonly hash: (text: string) => string,
    private readonly file?: SharedFile,
  ) {}

  /** A check replaces what its resource claimed before: an object that is replaced is no longer its own. */
  claim({ key, resource }: Options, places: string[]): void {
    this.set(key, { key, resource, address: this.address, places, isDone: false, ignores: [] }, mustWrite);
  }

  /** A diff adds what it knows: the id, the modules of the edge, and whether a call is needed. */
  extend(options: Options, changes: Changes): void {
    this.set(options.key, this.changed(options, changes), mustWrite);
  }

  /** The resource was written, or that has failed. A process that cannot be informed still refuses to delete its places. */
  settle(options: Options, changes: Changes): void {
    this.set(options.key, this.changed(options, changes), mayFail);
  }

  /** A diff shows that an edge stops declaring a module. */
  planRemoval(path: string, removal: Removal): void {
    this.setRemoval(path, removal, mustWrite);
  }

  /** A planned removal has come further. */
  moveRemoval(path: string, removal: Removal): void {
    this.setRemoval(path, removal, mayFail);
  }

  /**
   * Learns what other processes claim. Throws if the file cannot be read. It is for the time before a write, which can
   * still be rejected. The result of a write is recorded, whatever others claim.
   */
  read(): void {
    for (const { process, line } of this.readLines()) {
      const file = this.file!.path;
      const { claim, path, removal } = (line ?? {}) as { claim?: Claim; path?: string; removal?: Removal };
      if (claim) this.enter(`${process} ${claim.key}`, { ...claim, file });
      if (path !== undefined && removal) this.removals.set(path, { ...removal, file, process });
      if (!line) this.forget(process);
    }
  }

  /** The claims of a place, done ones first. */
  at(place: string): Claim[] {
    const claims = [...(this.namesByPlace.get(place) ?? [])].map((name) => this.claims.get(name)!);
    return claims.sort((a, b) => Number(b.isDone) - Number(a.isDone));
  }

  /** The claims of a place by other resources. */
  others = (place: string, key: string): Claim[] => this.at(place).filter((claim) => claim.key !== key);

  /** Another resource that claims a place at the same address. */
  double = (place: string, key: string): Claim | undefined =>
    this.others(place, key).find(({ address }) => address === this.address);

  removalOf = (path: string): Removal | undefined => this.removals.get(path);

  private changed({ key, resource }: Options, { places = [], ...changes }: Changes): Claim {
    const before = this.claims.get(key) ?? {
      key,
      resource,
      address: this.address,
      places: [],
      isDone: false,
      ignores: [],
    };
    return { ...before, ...changes, places: [...new Set([...before.places, ...places])] };
  }

  private set(name: string, claim: Claim, write: Write): void {
    this.enter(name, claim);
    this.append({ claim: claim as unknown as JsonObject }, write);
  }

  private setRemoval(path: string, removal: Removal, write: Write): void {
    this.removals.set(path, removal);
    this.append({ path, removal: removal as unknown as JsonObject }, write);
  }

  private append(line: JsonObject, write: Write): void {
    if (!this.file) return;
    try {
      this.file.append(line);
    } catch (error) {
      if (write === mayFail) return;
      throw new ProviderError(
        `The other provider processes of this deployment cannot read the declarations of this resource: ${this.file.path} ` +
          `cannot be written (${reasonOf(error)}). To fix this, ${fix}.`,
      );
    }
  }

  private readLines() {
    try {
      return this.file?.read() ?? [];
    } catch (error) {
      throw new ProviderError(
        "The declarations of other provider processes of this deployment are not known, because " +
          `${this.file!.path} cannot be read (${reasonOf(error)}). If no other deployment is running, remove that file, or ${fix}.`,
      );
    }
  }

  private enter(name: string, claim: Claim): void {
    for (const place of this.claims.get(name)?.places ?? []) this.namesByPlace.get(place)!.delete(name);
    this.claims.set(name, claim);
    for (const place of claim.places) {
      this.namesByPlace.set(place, (this.namesByPlace.get(place) ?? new Set()).add(name));
    }
  }

  /** A process has ended normally, at the end of its deployment. */
  private forget(process: string): void {
    for (const [name, claim] of this.claims) {
      if (name.startsWith(`${process} `)) this.enter(name, { ...claim, places: [] });
    }
    for (const [path, removal] of this.removals) if (removal.process === process) this.removals.delete(path);
  }
}

type Write = typeof mustWrite | typeof mayFail;
const mustWrite = "must be written";
const mayFail = "may fail";

/** Names the file of another process's claim: a later deployment may read the claims of a killed process. */
export const describeSource = ({ file }: Pick<Claim, "file">): string =>
  file === undefined
    ? ""
    : ` Another provider process of this deployment says so in ${file}. If it is from an interrupted run, remove that file.`;

/** Why a file cannot be used, without its name, which Node repeats. */
const reasonOf = (error: unknown) => (error as Error).message.replace(/, \w+( '.*')?( -> '.*')?$/, "");
