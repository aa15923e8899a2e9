import net from "node:net";
import { type Field, list, moduleString, rejectValue, string } from "./fields";

const domain = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

function isHost(host: string): boolean {
  if (host.startsWith("[") && host.endsWith("]")) return net.isIPv6(host.slice(1, -1));
  return host.length <= 253 && domain.test(host.startsWith("*.") ? host.slice(2) : host);
}

function isHostport(hostport: string): boolean {
  const colon = hostport.lastIndexOf(":");
  const port = hostport.slice(colon + 1);
  return colon > 0 && isHost(hostport.slice(0, colon)) && /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65535;
}

const hostport: Field<string> = (value, name) =>
  isHostport(string(value, name)) ? (value as string) : rejectValue(name, 'must have the form "<host>:<port>"');

export const hostports: Field<string[]> = (value, name, options) => {
  const values = list(hostport)(value, name, options);
  return new Set(values.map((each) => each.toLowerCase())).size === values.length
    ? values
    : rejectValue(name, "names a hostport twice");
};

/** `bind:<domain or address>`, `bind:*.<domain>`, `bind:<key>=<value>` with `*` for the key, the value or both. */
function isBindRule(rule: string): boolean {
  if (!rule.startsWith("bind:")) return false;
  const target = rule.slice("bind:".length);
  if (/\s/.test(target)) return false;
  const equals = target.indexOf("=");
  if (equals < 0) return isHost(target) || isHostport(target) || net.isIPv6(target);
  return [target.slice(0, equals), target.slice(equals + 1)].every(
    (part) => part === "*" || (part !== "" && !part.includes("*")),
  );
}

export const acl: Field<string[]> = (value, name, options) => {
  const rules = list(string)(value, name, options);
  if (rules.length === 1 && rules[0] === "*") return rules;
  rules.forEach((rule, index) => {
    if (rule === "*") rejectValue(`${name}[${index}]`, 'may be "*" only as the single rule');
    if (!isBindRule(rule)) rejectValue(`${name}[${index}]`, 'must be a bind rule, "bind:<target>"');
  });
  return rules;
};

export const url: Field<string> = (value, name, options) =>
  moduleString(value, name, options) === "" || (/^https?:\/\//i.test(value as string) && URL.canParse(value as string))
    ? (value as string)
    : rejectValue(name, "must be a URL");

export const headerName: Field<string> = (value, name) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(string(value, name))
    ? (value as string)
    : rejectValue(name, "must be an HTTP header name");

export const headerValue: Field<string> = (value, name) =>
  /[\r\n\0]/.test(string(value, name)) ? rejectValue(name, "must be an HTTP header value") : (value as string);

/** Finds what is an error in every dialect of regular expressions. */
function findRegexError(pattern: string): string | undefined {
  let groups = 0;
  let inClass = false;
  const lastNamedEnd = pattern.lastIndexOf(":]");
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index];
    if (char === "\\") {
      if (index === pattern.length - 1) return "ends in a backslash";
      // `\Q…\E` quotes. Within a class it does so only in some dialects.
      if (pattern[index + 1] === "Q" && !inClass) {
        const end = pattern.indexOf("\\E", index);
        index = end < 0 ? pattern.length : end;
      }
      index++;
    } else if (inClass) {
      if (char === "]") inClass = false;
      else if (pattern.startsWith("[:", index) && lastNamedEnd >= index) index = pattern.indexOf(":]", index) + 1;
    } else if (char === "[") {
      inClass = true;
      if (pattern[index + 1] === "^") index++;
      // A "]" at the start of a class is a literal.
      if (pattern[index + 1] === "]") index++;
    } else if (char === "(") groups++;
    else if (char === ")" && groups-- === 0) return "closes a group that is not open";
  }
  if (inClass) return "leaves a bracket open";
  return groups > 0 ? "leaves a group open" : undefined;
}

export const pattern: Field<string> = (value, name) => {
  const error = findRegexError(string(value, name));
  return error === undefined ? (value as string) : rejectValue(name, `is not a regular expression: it ${error}`);
};
