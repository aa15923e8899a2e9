/** What a URN says: `urn:pulumi:<stack>::<project>::<parent's type>$<package>:<module>:<type>::<name>`. */

export function parseUrn(urn: string): { type: string; name: string } {
  const [, , types = "", ...name] = urn.split("::");
  return { type: types.split("$").at(-1)!.split(":").at(-1)!, name: name.join("::") };
}
