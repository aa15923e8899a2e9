/** The package schema, which is generated from the definitions into a file beside the plugin. */

import { readFile } from "node:fs/promises";
import path from "node:path";

export const readSchema = (): Promise<string> => readFile(path.join(__dirname, "schema.json"), "utf8");
