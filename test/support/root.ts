import { resolve } from "node:path";

/** The folder of this clone. */
export const root = resolve(__dirname, "../..");
