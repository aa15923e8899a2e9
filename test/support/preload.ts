/** The environment of a process that loads a script of this folder before its own code. */
import { resolve } from "node:path";

const requireOption = (script: string) => `--require ${resolve(__dirname, script)}`;
export const preload = (script: string) => ({ NODE_OPTIONS: requireOption(script) });

/** The value of NODE_OPTIONS with which Pulumi's SDK starts faster. */
export const lazySdk = requireOption("lazySdk.js");

/** A TypeScript program starts sooner. Its types are checked with those of the clone. */
export const transpileOnly = { NODE_OPTIONS: lazySdk, PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/** Time passes faster: with 10, a second lasts 100 ms. */
export const fastClock = (factor: number) => ({ ...preload("fastClock.js"), FAST_CLOCK: String(factor) });

/** The package's waits are shorter: with 10, a wait of 10 s lasts 1 s, and then 10 s have passed. */
export const skipWaits = (factor: number) => ({ ...preload("skipWaits.js"), SKIP_WAITS: String(factor) });

/** A package cannot be loaded. */
export const hideModule = (name: string) => ({ ...preload("hideModule.js"), HIDE_MODULE: name });
