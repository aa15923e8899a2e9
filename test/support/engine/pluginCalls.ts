/** What the engine does for a plugin: it names resources by URNs, sends timeouts in seconds, and applies replaceOnChanges. */
import type { Timeouts } from "../../../src/core/timeouts";
import type { Diff, Options, Registration } from "./provider";

/** Of the parents, a URN has only the types. */
export const urnOf = (type: string, name: string, parents = "") =>
  `urn:pulumi:dev::test::${parents && `${parents.replace(/::[^$]+/g, "")}$`}tunnel-edge:index:${type}::${name}`;

/** The name in a URN: `TcpEdge "ssh"`. */
export function nameOf(urn: string): string {
  const [, , type = "", name] = urn.split("::");
  return `${type.split(":").at(-1)} "${name}"`;
}

/** The timeout of an operation, in seconds; 0 is none. */
export const timeoutOf = ({ customTimeouts }: Options, operation: keyof Timeouts): number =>
  secondsOf(customTimeouts?.[operation]);

/** What the option replaceOnChanges makes of a diff. */
export function applyReplaceOnChanges({ opts = {} }: Registration, diff: Diff): Diff {
  const { replaceOnChanges = [] } = opts;
  const forced = (diff.paths ?? []).filter((path) => replaceOnChanges.some((each) => contains(each, path)));
  return { ...diff, replaces: [...new Set([...diff.replaces, ...forced.map((path) => path.split(".")[0]!)])] };
}

/** Whether a changed path is at or below a path of replaceOnChanges. */
function contains(option: string, changed: string): boolean {
  const keys = changed.split(".");
  return option.split(".").every((key, index) => key === "*" || key === keys[index]);
}

/** The engine sends a duration such as "1h30m" in seconds. */
function secondsOf(duration = ""): number {
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 };
  const parts = [...duration.matchAll(/([\d.]+)(ms|h|m|s)/g)];
  return parts.reduce((total, [, count, unit]) => total + Number(count) * units[unit!]!, 0);
}
