// The tables of dev/api.md, from the transcription of the API that the contract tests use.
import fs from "node:fs";
import path from "node:path";
import { root } from "../lib/index.mjs";

const { shapes, ids, operations, unlistedDeletes } = JSON.parse(
  fs.readFileSync(path.join(root, "test/contract/api.json"), "utf8"),
);

const code = (text) => `\`${text}\``;
const anchorOf = (shape) => `#${shape.toLowerCase().replace(/,/g, "").replace(/ /g, "-")}`;
const linkTo = (shape) => `[${shape}](${anchorOf(shape)})`;

function formatType(type) {
  const shape = type.replace(/^list of /, "");
  return shapes[shape] ? type.replace(shape, linkTo(shape)) : type;
}

function formatBody(body) {
  const parts = Object.entries(body ?? {}).map(([shape, names]) =>
    names === "all" ? linkTo(shape) : names.map(code).join(", "),
  );
  return parts.join(", ") || (body ? code("{}") : "");
}

function formatSuccess({ status, response }) {
  if (!response) return status;
  return typeof response === "string"
    ? `${status}, ${linkTo(response)}`
    : `${status}, ${code(response.key)}: list of ${linkTo(response.list)}`;
}

/** The content between the page's comments, by their names. */
export const createApiTables = (formatTable) => ({
  operations: Object.entries(operations)
    .flatMap(([title, rows]) => [
      `### ${title}`,
      formatTable(
        ["Operation", "Body", "Success"],
        Object.entries(rows).map(([operation, row]) => [code(operation), formatBody(row.body), formatSuccess(row)]),
      ),
    ])
    .join("\n\n"),
  fields: Object.entries(shapes)
    .flatMap(([shape, fields]) => [
      `### ${shape}`,
      formatTable(
        ["Field", "Type", "Meaning"],
        Object.entries(fields).map(([name, [type, meaning]]) => [code(name), formatType(type), meaning]),
      ),
    ])
    .join("\n\n"),
  ids: formatTable(
    ["Prefix", "Object"],
    Object.entries(ids).map(([prefix, name]) => [code(prefix), name]),
  ),
  "unlisted deletes": unlistedDeletes.map((operation) => `- ${code(operation)}`).join("\n"),
});
