/** What a URN says: `urn:pulumi:<stack>::<project>::<parent's type>$<package>:<module>:<type>::<name>`. */

import { ProviderError } from "../core/errors";

export function parseUrn(urn: string): { token: string; type: string; name: string } {
  const [, , types = "", ...name] = urn.split("::");
  const token = types.split("$").at(-1)!;
  return { token, type: lastPart(token), name: name.join("::") };
}

/** The last part of a token, `TcpEdge` or `getTunnels`. All are in the module `index`, and states name no other. */
export function parseToken(token: string): string {
  const name = lastPart(token);
  const known = `tunnel-edge:index:${name}`;
  if (token !== known) throw new ProviderError(`${token} does not exist. Use ${known}.`);
  return name;
}

const lastPart = (token: string) => token.split(":").at(-1)!;
