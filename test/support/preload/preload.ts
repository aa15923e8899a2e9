/** The environment of a process that loads a script of this folder before its own code. */
import { resolve } from "node:path";

const requireOption = (script: string) => `--require ${resolve(__dirname, script)}`;
export const preload = (script: string) => ({ NODE_OPTIONS: requireOption(script) });

/** The value of NODE_OPTIONS with which Pulumi's SDK starts faster. */
export const lazySdk = requireOption("lazySdk.js");

/** A TypeScript program starts sooner. Its types are checked with those of the clone. */
export const transpileOnly = { NODE_OPTIONS: lazySdk, PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/** A TypeScript program in the clone starts much sooner, without the compiler. */
export const esbuild = { NODE_OPTIONS: `${lazySdk} ${requireOption("esbuild.js")}` };

/** Node says that it is another version. */
export const pretendNode = (version: string) => ({
  ...preload("pretendNode.js"),
  PRETENDED_NODE: version,
});

/** A package cannot be loaded. */
export const hideModule = (name: string) => ({ ...preload("hideModule.js"), HIDE_MODULE: name });
