/**
 * The writes of this deployment to objects and modules that exist. Those to an edge and its modules are sent one at a
 * time, because a gateway may delay one so that it is executed after the next. And each module that an edge writes gets
 * a new mark, which its own resource does not have: so the next deployment knows, too, that it has to set it again.
 */

import { uncertainCall } from "../../api/callError";
import type { Route } from "../../api/routes";
import type { Clock } from "../../clock";
import { type Definition, ownFields, routesOf } from "../../definitions/definition";
import { type Field, writeFields } from "../../definitions/fields";
import { type JsonObject, toSnakeCase } from "../../json";
import { updateCall } from "../plan/plan";
import type { Owners } from "./owners";

/** What is written, and whose it is. */
interface Target {
  definition: Definition;
  id: string;
  path(route?: Route): string;
}

interface Write {
  route: Route;
  body?: JsonObject;
}

/** A call whose response was lost may still be running until then. */
interface LostWrite {
  until: number;
  type: string;
}

export class Writes {
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly lost = new Map<string, LostWrite>();
  /** By the module's path. */
  private readonly marks = new Map<string, string>();
  /** The paths of modules that an edge has set as their own resources declare them. */
  private readonly setForOwner = new Set<string>();

  constructor(
    private readonly owners: Owners,
    private readonly clock: Clock,
    private readonly pendingCallMs: () => number,
  ) {}

  /** Sends a write when its turn comes. What it is, is decided only then. */
  send<T>(target: Target, write: Write, send: (write: Write) => Promise<T>): Promise<T> {
    // A module's id begins with its edge's.
    const [edge] = target.id.split("/") as [string];
    const turn = (this.turns.get(edge) ?? Promise.resolve()).then(async () => {
      await this.waitForLost(edge, target);
      const decided = this.leaveToOwner(target, write);
      this.markWritten(target, decided);
      try {
        return await send(decided);
      } catch (error) {
        const { type } = target.definition;
        if (uncertainCall(error)) this.lost.set(edge, { until: this.clock.now() + this.pendingCallMs(), type });
        throw error;
      }
    });
    this.turns.set(
      edge,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** The state of an edge says which marks its modules have. What this deployment has written is newer. */
  learn(target: Target, marks: Record<string, string>): void {
    for (const { path } of separableModules(target)) {
      const mark = marks[path];
      if (mark !== undefined && !this.marks.has(path)) this.marks.set(path, mark);
    }
  }

  /** The mark that a module has, as far as this deployment knows. */
  markOf = (path: string): string | undefined => this.marks.get(path);

  /** Whether an edge may have set a module for the module's own resource. */
  isSetForOwner = (path: string): boolean => this.setForOwner.has(path);

  /** The marks of an edge's modules. */
  marksOf(target: Target): Record<string, string> {
    const known = separableModules(target).map(({ path }) => [path, this.marks.get(path)]);
    return Object.fromEntries(known.filter(([, mark]) => mark !== undefined));
  }

  private async waitForLost(edge: string, { definition }: Target): Promise<void> {
    const { until, type } = this.lost.get(edge) ?? { until: 0, type: "" };
    // Whoever lost the response finds out by itself what became of the call.
    if (type !== definition.type && until > this.clock.now()) await this.clock.sleep(until - this.clock.now());
  }

  /** A module that another resource declares by now is set as declared there, instead of being removed. */
  private leaveToOwner(target: Target, write: Write): Write {
    const { definition } = target;
    if (definition.kind === "module") {
      const { create, delete: remove } = routesOf(definition);
      const owner = write.route === remove ? this.owners.ownerOf(target.path()) : undefined;
      return owner ? { route: create, body: writeFields(ownFields(definition), owner.declared) } : write;
    }
    const removed = separableModules(target).find(({ field }) => field.module!.remove === write.route);
    const owner = removed && this.owners.separateOwnerOf(removed.path);
    return owner ? updateCall(definition, declaredModule(removed, owner.declared), [removed.name]) : write;
  }

  private markWritten(target: Target, { route, body }: Write): void {
    for (const module of separableModules(target)) {
      const { path, name, field } = module;
      const { put, remove } = field.module!;
      const sent = body?.[toSnakeCase(name)];
      if (route !== put && route !== remove && sent === undefined) continue;
      const owner = this.owners.separateOwnerOf(path);
      const isForOwner = owner && route === put && isSame(target, module, owner.declared, body);
      if (isForOwner) {
        this.marks.delete(path);
        this.setForOwner.add(path);
      } else this.marks.set(path, this.clock.randomUuid().slice(0, 8));
    }
  }
}

export interface SeparableModule {
  name: string;
  field: Field;
  path: string;
}

/** The modules of an edge that can also be resources of their own: the API has a PUT for them. */
export function separableModules(target: Target): SeparableModule[] {
  if (target.definition.kind !== "object") return [];
  return Object.entries<Field>(target.definition.fields).flatMap(([name, field]) =>
    field.module?.put ? [{ name, field, path: target.path(field.module.put) }] : [],
  );
}

/** A module's arguments without its edge's id, as the edge's own argument. */
export function declaredModule({ name, field }: Pick<SeparableModule, "name" | "field">, declared: JsonObject) {
  const own = Object.entries(declared).filter(([key]) => key in field.module!.fields);
  return { [name]: Object.fromEntries(own) };
}

function isSame({ definition }: Target, module: SeparableModule, declared: JsonObject, body: JsonObject | undefined) {
  if (definition.kind !== "object") return false;
  const { body: own } = updateCall(definition, declaredModule(module, declared), [module.name]);
  return JSON.stringify(own) === JSON.stringify(body);
}
