/**
 * Reads the rate limit from the headers of a response: `Retry-After`, and those that services commonly send. These are
 * `RateLimit` and `RateLimit-Policy` of the IETF's draft, or `RateLimit-Remaining` and its like, with or without `X-`.
 */
import type { RateLimitNotice } from "./serviceLimit";

type Headers = Record<string, string | string[] | undefined>;
export type RateLimitHeaders = Omit<RateLimitNotice, "isRejected">;

const prefixes = ["ratelimit", "x-ratelimit", "x-rate-limit"];
/** A larger number of seconds is a time since the epoch. */
const maxSeconds = 1_000_000_000;

export function readRateLimitHeaders(headers: Headers, serviceTime: number): RateLimitHeaders {
  const read = (name: string) => String(headers[name] ?? "");
  const rest = readDraft(read("ratelimit"), read("ratelimit-policy"));
  const prefix = prefixes.find((each) => readNumber(read(`${each}-remaining`)) !== undefined);
  const older = prefix && readOlder((name) => read(`${prefix}-${name}`), serviceTime);
  return { ...older, ...rest, retryAfter: readRetryAfter(read("retry-after"), serviceTime) };
}

/** Reads `"default";r=50;t=30` and `"default";q=100;w=60`. Of several limits, the one with the least remaining counts. */
function readDraft(rateLimit: string, policy: string): RateLimitHeaders | undefined {
  const find = (item: string, parameter: string) => readNumber(new RegExp(`;\\s*${parameter}=(\\d+)`).exec(item)?.[1]);
  const nameOf = (item: string) => item.split(";")[0]!.trim();
  const remaining = (item: string) => find(item, "r") ?? Number.POSITIVE_INFINITY;
  const item = rateLimit.split(",").sort((a, b) => remaining(a) - remaining(b))[0]!;
  if (remaining(item) === Number.POSITIVE_INFINITY) return undefined;
  const own = policy.split(",").find((each) => nameOf(each) === nameOf(item)) ?? "";
  const toMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000);
  return {
    remaining: remaining(item),
    reset: toMs(find(item, "t")),
    limit: find(own, "q"),
    window: toMs(find(own, "w")),
  };
}

function readOlder(read: (name: string) => string, serviceTime: number): RateLimitHeaders {
  const seconds = readNumber(read("reset"));
  const toMs = (value: number) => Math.max(0, value * 1_000 - (value > maxSeconds ? serviceTime : 0));
  return {
    remaining: readNumber(read("remaining")),
    reset: seconds === undefined ? undefined : toMs(seconds),
    limit: readNumber(read("limit")),
  };
}

const readNumber = (text: string | undefined) => (/^\s*\d+(\.\d+)?\s*$/.test(text ?? "") ? Number(text) : undefined);

/** Reads the pause that the service requests: in seconds, or until a date by its own clock. */
function readRetryAfter(header: string, serviceTime: number): number | undefined {
  if (header.trim() === "") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - serviceTime;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
