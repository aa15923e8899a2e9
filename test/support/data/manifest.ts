/** This package's package.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root";

export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
export const sdk = "@pulumi/pulumi";
