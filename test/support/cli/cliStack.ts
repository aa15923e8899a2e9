/** A program deployed with the real CLI to an emulator of its own, and helpers to read the results. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { testedProvider } from "../engine/testedProvider";

export { startService } from "../emulators";

import { type Result, Stack, type StackOptions } from "./pulumi";

export { declare } from "../engine/declare";

jest.setTimeout(600_000); // a test runs a dozen operations, each 2 s on an idle machine and 15 s on a busy one

/** Creates a stack whose settings point to the emulator. */
export async function createStack(
  emulator: Emulator,
  source: string,
  { provider, ...options }: StackOptions & { provider?: Provider } = {},
): Promise<{ stack: Stack; calls: () => string[] }> {
  const stack = await Stack.create({ program: wrapProgram(source, provider), emulator, ...options });
  const write = stack.write.bind(stack);
  stack.write = (next) => write(wrapProgram(next, provider));
  /** The requests since the last call. */
  const calls = () => {
    const made = emulator.calls();
    emulator.clearRequests();
    return made;
  };
  return { stack, calls };
}

/** Adds the imports to a program's statements. */
export const wrapProgram = (statements: string, provider: Provider = testedProvider()) =>
  `const pulumi = require("@pulumi/pulumi");\nconst tunnel = ${classes[provider]};\n${statements}\n`;

type Provider = keyof typeof classes;

/** A Node program can use the plugin, too, though without types. */
export const classes = {
  dynamic: 'require("pulumi-tunnel-edge")',
  plugin: `new Proxy({}, {
    get: (_, type) => type === "Provider"
      ? class extends pulumi.ProviderResource { constructor(...args) { super("tunnel-edge", ...args); } }
      : class extends pulumi.CustomResource { constructor(...args) { super("tunnel-edge:index:" + type, ...args); } },
  })`,
};

/** The URN of a resource. */
export const urnOf = (type: string, name: string, provider: Provider = "dynamic") =>
  `urn:pulumi:dev::test::${{ dynamic: "pulumi-nodejs:dynamic/tunnel-edge", plugin: "tunnel-edge:index" }[provider]}:${type}::${name}`;

/** The lines that the CLI displays as added, removed or changed. */
export function extractChangedLines({ stdout }: Result): string[] {
  const [shown = ""] = stdout.split(/^Resources:$/m);
  const lines = shown.split("\n").map((line) => line.trim());
  return lines.filter((line) => /^(?:[-+~]|\+-|-\+|\+\+|--) /.test(line));
}

/**
 * The displayed errors without the engine's own words around them. Checks that they are readable and displayed once.
 */
export function extractErrors(result: Result): string[] {
  for (const noise of [/\[object Object\]/, /^\s+at /m, /node_modules/, /\bundefined\b/]) {
    expect(result.stdout).not.toMatch(noise);
  }
  expect(result.diagnostics.filter(({ message }) => message.startsWith("tunnel-edge: "))).toEqual([]);
  return result.diagnostics
    .filter(({ severity, message }) => severity === "error" && message !== "update failed")
    .map(({ message }) =>
      message.replace(/^\S+ resource '\w+' has a problem: /, "").replace(/^1 error occurred:\s*\* /, ""),
    );
}
