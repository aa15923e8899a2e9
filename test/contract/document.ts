/**
 * The API's tables in api.json, as the names that requests and responses may have: every operation, what its body may
 * contain, its success status and its response. Written from the service's documentation only, so that a name that is
 * wrong in both the provider and the emulator is found. dev/api.md is made of the same tables.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A field's name, and for an object or a list of objects, the names inside; `*` for any. */
export type Names = { [name: string]: Names | true } | "*";

export interface Operation {
  /** What the body may contain; absent if there is no body. */
  body?: Names;
  status: number;
  /** What the response contains; absent if it has no body. */
  response?: Names;
}

/** Types and meanings by the field's name. */
type Fields = Record<string, [type: string, meaning?: string]>;

interface Row {
  /** The names of fields, or `all`, by the shape that has them. */
  body?: Record<string, string[] | "all">;
  status: number;
  /** A shape, or a page of such objects. */
  response?: string | { list: string; key: string };
}

export interface Api {
  shapes: Record<string, Fields>;
  ids: Record<string, string>;
  operations: Record<string, Record<string, Row>>;
  unlistedDeletes: string[];
}

export const api: Api = JSON.parse(readFileSync(join(__dirname, "api.json"), "utf8"));
const { shapes } = api;

const namesOf = (fields: Fields): Record<string, Names | true> =>
  Object.fromEntries(Object.entries(fields).map(([name, [type]]) => [name, namesIn(type)]));

/** The names within a value of this type: `list of Rule`, `map of string`, `string`. */
function namesIn(type: string): Names | true {
  const shape = shapes[type.replace(/^list of /, "")];
  if (shape) return namesOf(shape);
  return type === "object" || type.startsWith("map of ") ? "*" : true;
}

/** The fields of a body, which are those of a shape, or some of them. */
const bodyOf = (body: NonNullable<Row["body"]>): Names =>
  Object.assign(
    {},
    ...Object.entries(body).map(([shape, names]) => {
      const fields = namesOf(shapes[shape]!);
      return names === "all"
        ? fields
        : Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
    }),
  );

const responseOf = (response: NonNullable<Row["response"]>): Names =>
  typeof response === "string"
    ? namesOf(shapes[response]!)
    : { [response.key]: namesOf(shapes[response.list]!), uri: true, next_page_uri: true };

const rows: Record<string, Row> = Object.assign({}, ...Object.values(api.operations));

export const operations: Record<string, Operation> = Object.fromEntries(
  Object.entries(rows).map(([operation, { body, status, response }]) => [
    operation,
    { status, ...(body && { body: bodyOf(body) }), ...(response && { response: responseOf(response) }) },
  ]),
);

/** Deletes that the API does not list but services of this kind have. These are the only exceptions. */
export const exceptions: Record<string, Operation> = Object.fromEntries(
  api.unlistedDeletes.map((operation) => [operation, { status: 204 }]),
);

/** What a value has that is not in the names, as paths: `policy.inbound.nmae`. */
export function listUnknownNames(value: unknown, names: Names | true, at = ""): string[] {
  if (names === "*" || names === true || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listUnknownNames(item, names, at));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(names, name) ? names[name]! : undefined;
    return known === undefined ? [at + name] : listUnknownNames(inner, known, `${at}${name}.`);
  });
}

/** A request as the emulator logs it. */
interface Request {
  method: string;
  path: string;
  operation: string | null;
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
  status: number | string;
}

/** Where a request differs from the document. */
export function listContractViolations({ method, path, operation, headers, body, status }: Request): string[] {
  const call = `${method} ${operation ?? path}`;
  const known = operations[call] ?? exceptions[call];
  if (!known) return [`${call} is not in the document`];
  const found: string[] = [];
  if (path.includes("?")) found.push(`${call} has a query`);
  if (!/^Bearer \S+$/.test(String(headers.authorization))) found.push(`${call} carries no bearer key`);
  if (headers["service-version"] !== "2") found.push(`${call} carries no Service-Version: 2`);
  if ((body === undefined) !== (known.body === undefined)) found.push(`${call} has ${body ? "a" : "no"} body`);
  if (body !== undefined && headers["content-type"] !== "application/json") found.push(`${call} is not sent as JSON`);
  if (known.body) found.push(...listUnknownNames(body, known.body).map((name) => `${call} has no ${name}`));
  if (typeof status === "number" && status < 300 && status !== known.status) found.push(`${call} returned ${status}`);
  return found;
}
