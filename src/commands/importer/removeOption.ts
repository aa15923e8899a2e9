/** Removes an option of resources from a program, once it is no longer needed. */

import fs from "node:fs";
import path from "node:path";

export const removableOptions = ["import", "protect"] as const;
export type RemovableOption = (typeof removableOptions)[number];

/** Removes it from the files of a directory; returns how many resources had it, by file. */
export function removeFromFiles(dir: string, option: RemovableOption): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of fs.readdirSync(dir).filter((each) => /(?<!\.d)\.[cm]?[jt]s$|^Pulumi\.yaml$/.test(each))) {
    const file = path.join(dir, name);
    const remove = name === "Pulumi.yaml" ? removeFromYaml : removeFromSource;
    const { source, count } = remove(fs.readFileSync(file, "utf8"), option);
    if (count === 0) continue;
    fs.writeFileSync(file, source);
    counts.set(name, count);
  }
  return counts;
}

/** The last argument of a call, if it is an object with its own lines. */
const lastArgument = /^([ \t]+)\{\n((?:\1[ \t].*\n)+)\1\},\n(?=[ \t]*\);)/gm;

/**
 * Removes the option from the options of resources, which are the last argument and have one line or two for each
 * option, as this command and formatters write them. Options that become empty are removed too.
 */
export function removeFromSource(source: string, option: RemovableOption): { source: string; count: number } {
  let count = 0;
  const removed = source.replace(lastArgument, (whole, indent: string, lines: string) => {
    const inner = /^[ \t]+/.exec(lines)![0];
    const rest = lines.replace(new RegExp(`^${inner}${option}:(?:\\n${inner}[ \\t]+.*|.*)\\n`, "m"), "");
    if (rest === lines) return whole;
    count++;
    return rest === "" ? "" : `${indent}{\n${rest}${indent}},\n`;
  });
  return { source: removed, count };
}

/** The options of a resource in YAML, each on a line of its own. */
const yamlOptions = /^( +)options:\n((?:\1 +.*\n)+)/gm;

/** Removes the option from the resources of a YAML program. */
export function removeFromYaml(source: string, option: RemovableOption): { source: string; count: number } {
  let count = 0;
  const removed = source.replace(yamlOptions, (whole, indent: string, lines: string) => {
    const inner = /^ +/.exec(lines)![0];
    const rest = lines.replace(new RegExp(`^${inner}${option}:.*\\n`, "m"), "");
    if (rest === lines) return whole;
    count++;
    return rest === "" ? "" : `${indent}options:\n${rest}`;
  });
  return { source: removed, count };
}
