/** Writes the program of a YAML project. Strings of the service are escaped, so that none of them is evaluated. */

import { Document, visit } from "yaml";
import { isObject } from "../../base/json";
import { escapeInvisible } from "../../base/quote";
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

/** Pulumi's parser knows YAML 1.1, too, where `no` is a boolean and `2027-01-01` a date. */
export function formatYaml(value: SourceValue): string {
  const document = new Document(toPlain(value), { compat: "yaml-1.1" });
  visit(document, {
    Scalar(_, scalar) {
      // Only double quotes can have an escape.
      const { value } = scalar;
      if (typeof value === "string" && escapeInLines(value) !== value) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return escapeInLines(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }));
}

/** Escapes what nobody sees, except the ends of lines. */
const escapeInLines = (text: string) =>
  text
    .split("\n")
    .map((line) => escapeInvisible(line, (hex) => `\\U${hex.padStart(8, "0")}`))
    .join("\n");

/** The value as a YAML program declares it. `$${` and `$$$` are "${" and "$$". */
function toPlain(value: SourceValue): unknown {
  const asLiteral = (text: string) => text.replace(/\$(?=[${])/g, "$$$$");
  if (value instanceof Placeholder) return { "fn::secret": `\${${value.key}}` };
  if (typeof value === "string") return asLiteral(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [asLiteral(key), toPlain(each as SourceValue)]));
}
