/** Formats the program of a YAML project. Strings of the service are escaped, so that none of them is evaluated. */

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
  return [
    ...formatYamlComment(origin),
    ...(secretKeys.length > 0 ? ["config:", ...indent(formatLines(config))] : []),
    "resources:",
    ...indent(
      groups.flatMap(({ comments, declarations }) => [
        ...comments.flatMap(formatYamlComment),
        ...declarations.flatMap(formatResource),
      ]),
    ),
    "",
  ].join("\n");
}

const formatYamlComment = (text: string): string[] => formatComment(text, "# ").split("\n");

function formatResource({ variable, type, name, args, notes, id, protect }: Declaration): string[] {
  const resource = {
    type: `tunnel-edge:${type}`,
    ...(variable !== name && { name }),
    ...(Object.keys(args).length > 0 && { properties: args }),
    options: { import: id, ...(protect && { protect }) },
  };
  return [...notes.flatMap(formatYamlComment), ...formatLines({ [variable]: resource })];
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

const indent = (lines: string[]) => lines.map((line) => `  ${line}`);

function formatLines(value: SourceValue): string[] {
  if (value instanceof Placeholder) return [`fn::secret: \${${value.key}}`];
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => {
      const [first, ...rest] = formatLines(item);
      return [`- ${first}`, ...indent(rest)];
    });
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value as Record<string, SourceValue>).flatMap(([key, each]) => {
      const line = formatInline(each);
      const name = formatScalar(key);
      return line === undefined ? [`${name}:`, ...indent(formatLines(each))] : [`${name}: ${line}`];
    });
  }
  return [formatInline(value)!];
}

const maxListWidth = 60;

type Scalar = null | boolean | number | string;
const isScalar = (value: SourceValue): value is Scalar => !isObject(value) && !Array.isArray(value);

/** A value that fits behind its name: a scalar, something empty, or a short list of scalars. */
function formatInline(value: SourceValue): string | undefined {
  if (isScalar(value)) return formatScalar(value);
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? "{}" : undefined;
  if (!value.every(isScalar)) return undefined;
  const line = `[${value.map(formatScalar).join(", ")}]`;
  return line.length > maxListWidth ? undefined : line;
}

/** Plain words, and all other strings in the form of JSON, which is YAML too. `$${` and `$$$` are "${" and "$$". */
function formatScalar(value: Scalar): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isWord =
    /^[A-Za-z_][\w.-]*(:[A-Za-z]\w*)?$/.test(value) && !/^(true|false|null|nan|inf|yes|no|on|off|y|n)$/i.test(value);
  return isWord ? value : escapeForYaml(value.replace(/\$(?=[${])/g, "$$$$"));
}

/** As JSON, with escapes of YAML for what nobody sees. */
const escapeForYaml = (text: string) =>
  JSON.stringify(text).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (odd) => `\\U${odd.codePointAt(0)!.toString(16).padStart(8, "0")}`,
  );
