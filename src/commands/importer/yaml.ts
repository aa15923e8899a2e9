/** Writes the program of a YAML project. Strings of the service are escaped, so that none of them is evaluated. */

import { Document, visit } from "yaml";
import { isObject } from "../../base/json";
import { type Declaration, formatComment, Placeholder, type SourceValue } from "./source";

/** Resources with comments above them. */
export interface Group {
  comments: string[];
  declarations: Declaration[];
}

/** The sections `config` and `resources` of Pulumi.yaml. */
export function formatYamlProgram(origin: string, groups: Group[], secretKeys: string[]): string {
  const config = Object.fromEntries(secretKeys.map((key) => [key, { type: "string", secret: true }]));
  const resources = groups.flatMap(({ comments, declarations }) => [
    ...comments.map(formatYamlComment),
    ...declarations.map(formatResource),
  ]);
  const head = `${formatYamlComment(origin)}${secretKeys.length > 0 ? formatYaml({ config }) : ""}`;
  return `${head}resources:\n${resources.join("").replace(/^(?=.)/gm, "  ")}`;
}

const formatYamlComment = (text: string) => `${formatComment(text, "# ")}\n`;

function formatResource({ variable, type, name, args, notes, id, protect }: Declaration): string {
  const resource = {
    type: `tunnel-edge:${type}`,
    ...(variable !== name && { name }),
    ...(Object.keys(args).length > 0 && { properties: args }),
    options: { import: id, ...(protect && { protect }) },
  };
  return `${notes.map(formatYamlComment).join("")}${formatYaml({ [variable]: resource })}`;
}

/** Returns why no YAML program can declare a value. pulumi-yaml has no escape for functions, and drops null in objects. */
export function findYamlProblem(value: unknown): string | undefined {
  if (typeof value === "string" && /\p{Cs}/u.test(value))
    return "it has half of a surrogate pair, which YAML cannot have";
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  if (isObject(value)) {
    if (Object.keys(value).some((key) => /^fn::/i.test(key)))
      return 'it has a key that begins with "fn::", which YAML programs read as the call of a function';
    if (parts.includes(null)) return "it has a value null, which YAML programs cannot declare";
  }
  return parts.map(findYamlProblem).find((problem) => problem !== undefined);
}

/** What nobody sees has an escape, which only double quotes can have. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Pulumi's parser knows YAML 1.1, too, where `no` is a boolean and `2027-01-01` a date. */
export function formatYaml(value: SourceValue): string {
  const document = new Document(toPlain(value), { compat: "yaml-1.1" });
  visit(document, {
    Scalar(_, scalar) {
      const isHidden = typeof scalar.value === "string" && invisible.test(scalar.value.replaceAll("\n", ""));
      if (isHidden) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY })
    .replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (odd) => `\\U${odd.codePointAt(0)!.toString(16).padStart(8, "0")}`);
}

/** The value as a YAML program declares it. `$${` and `$$$` are "${" and "$$". */
function toPlain(value: SourceValue): unknown {
  const asLiteral = (text: string) => text.replace(/\$(?=[${])/g, "$$$$");
  if (value instanceof Placeholder) return { "fn::secret": `\${${value.key}}` };
  if (typeof value === "string") return asLiteral(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [asLiteral(key), toPlain(each as SourceValue)]));
}
