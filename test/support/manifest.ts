/** This package's package.json. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(__dirname, "../..");
export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
export const sdk = "@pulumi/pulumi";
