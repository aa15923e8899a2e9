/** Strings that must have a format. Each function says what is wrong with one, without quoting it. */

import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { quote } from "../../base/quote";

export const emptyProblem = (value: string) => (value.trim() === "" ? "must not be empty" : undefined);

/** As `emptyProblem`, for a string that is left out rather than empty. */
export const optionalProblem = (value: string) =>
  emptyProblem(value) ? "must not be empty; leave it out instead" : undefined;

/** What the prefixes of ids stand for (dev/api.md, Ids). */
const kinds: [prefix: string, name: string][] = [
  ["ak_", "an API key"],
  ["sshcr_", "an SSH credential"],
  ["edgtcp_", "a TCP edge"],
  ["edgtls_", "a TLS edge"],
  ["edghts_", "an HTTPS edge"],
  ["edghtsrt_", "a route of an HTTPS edge"],
  ["ipp_", "an IP policy"],
  ["tn_", "a tunnel"],
  ["ts_", "a tunnel session"],
  ["usr_", "a user"],
];

/** The kind of object that an id belongs to, by its prefix, such as `a TCP edge`; undefined if it is not known. */
export const kindOfId = (id: string): string | undefined => kinds.find(([prefix]) => id.startsWith(prefix))?.[1];

/** The id of something whose prefix the API document does not have. */
export const foreignIdProblem = (what: string) => (value: string) => {
  const kind = kindOfId(value);
  return emptyProblem(value) ?? (kind && `is the id of ${kind}; use the id of ${what}`);
};

/** An id: one word after a prefix, and not longer than any id. */
export const idProblem = (what: string, prefix: string, example: string) => (value: string) =>
  new RegExp(`^${prefix}[^\\s/\\p{C}]{1,200}$`, "u").test(value) ? undefined : `must be the id of ${what} (${example})`;

export function hostportProblem(value: string): string | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(value) ?? [];
  if (value.includes("://")) return schemeProblem(value.replace(/^.*:\/\//s, ""));
  if (host === undefined || !isHost(inAscii(host))) return 'must be "<host>:<port>", such as "1.tcp.example.com:20022"';
  if (Number(port) < 1 || Number(port) > 65535) return "has an invalid port; use 1 to 65535";
  const normalized = `${inAscii(host)}:${Number(port)}`;
  return normalized === value ? undefined : `is not normalized; use ${quote(normalized.toLowerCase())}`;
}

/** What is wrong with a hostport after a scheme, given what follows the scheme. */
function schemeProblem(rest: string): string {
  const problem = hostportProblem(rest);
  return problem ? `has a scheme and ${problem}` : `has a scheme; use ${quote(rest)}`;
}

/** A domain, which may begin with a wildcard, or an address; an IPv6 address in brackets. */
function isHost(host: string): boolean {
  if (host.startsWith("[")) return host.endsWith("]") && isIPv6(host.slice(1, -1));
  const labels = host.replace(/^\*\./, "").split(".");
  return host.length <= 253 && labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label));
}

/** The ASCII form of a host name. It takes long to compute for a long name, so a name that is too long is returned. */
const inAscii = (host: string) => (host.length <= 253 && /[^\0-\x7f]/.test(host) ? domainToASCII(host) : host);

/** A rule of an ACL: a domain, which may begin with a wildcard, an address, or a label with wildcards for key or value. */
export function aclRuleProblem(rule: string): string | undefined {
  if (rule === "*") return undefined;
  const target = /^bind:(\S+)$/.exec(rule)?.[1];
  if (target === undefined) return 'must be "bind:<target>", or "*" as the only rule';
  const equals = target.indexOf("=");
  if (equals < 0) {
    if (isHost(target) || isIPv6(target) || hostportProblem(target) === undefined) return undefined;
    return target.includes("*")
      ? 'has a misplaced wildcard; a domain may begin with "*.", as in "bind:*.example.com"'
      : 'must name a domain, an address or a label, as in "bind:example.com" or "bind:app=web"';
  }
  const whole = (part: string) => part === "*" || (part !== "" && !part.includes("*"));
  return whole(target.slice(0, equals)) && whole(target.slice(equals + 1))
    ? undefined
    : 'must be "bind:<key>=<value>", where "*" can stand for the whole key or the whole value';
}

export const isHeaderName = (name: string) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name);

export const headerValueProblem = (value: string) =>
  /(?!\t)\p{Cc}/u.test(value) ? "must not contain line breaks or other control characters" : undefined;

export function urlProblem(value: string): string | undefined {
  // Parsing a very long host that is not ASCII takes long, and no valid host is so long.
  const [, host = ""] = /^https?:\/\/([^\s\p{C}/?#]+)[^\s\p{C}]*$/iu.exec(value) ?? [];
  const isUrl = host !== "" && host.length < 1000 && URL.canParse(value);
  return optionalProblem(value) ?? (isUrl ? undefined : 'must be a URL such as "https://accounts.example.com"');
}

export function regexProblem(value: string): string | undefined {
  const error = regexError(value);
  return error && `is not a valid regular expression: ${error}`;
}

/** Why a regular expression is invalid in every dialect. */
function regexError(pattern: string): string | undefined {
  const lastNamedEnd = pattern.lastIndexOf(":]");
  let open = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") {
      if (at === pattern.length - 1) return "trailing backslash";
      const quoted = pattern[at + 1] === "Q" ? pattern.indexOf("\\E", at) : at;
      at = quoted < 0 ? pattern.length : quoted + 1;
    } else if (char === "[") {
      at = endOfClass(pattern, at, lastNamedEnd);
      if (at < 0) return 'unmatched "["';
    } else if (char === "(") {
      open++;
    } else if (char === ")" && --open < 0) {
      return 'unmatched ")"';
    }
  }
  return open > 0 ? 'unmatched "("' : undefined;
}

/**
 * Where a character class ends, or -1. A bracket that comes first in it is an ordinary character. `lastNamedEnd` is where
 * the last named class, `[:alpha:]`, can end: to look for that in every class would take long.
 */
function endOfClass(pattern: string, start: number, lastNamedEnd: number): number {
  let at = start + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === "]") return at;
    if (pattern[at] === "\\") at++;
    else if (pattern.startsWith("[:", at) && lastNamedEnd >= at) at = pattern.indexOf(":]", at) + 1;
  }
  return -1;
}
