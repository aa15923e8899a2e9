/** A program of the real CLI on an embedded service of its own, and how tests look at what came of it. */
import { type Emulator, type EmulatorOptions, startEmulator } from "pulumi-tunnel-edge/emulator";
import { type Result, Stack, type StackOptions } from "./pulumi";

jest.setTimeout(600_000); // a test makes a dozen operations, each 2 s on an idle machine and 15 s on a busy one

const closing: Emulator[] = [];
afterAll(async () => {
  await Promise.all(closing.splice(0).map((emulator) => emulator.close()));
});

/** A fresh service. */
export async function startService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  closing.push(emulator);
  return emulator;
}

/** A stack whose settings point to the service. */
export async function createStack(
  emulator: Emulator,
  source: string,
  options: StackOptions = {},
): Promise<{ stack: Stack; calls: () => string[] }> {
  const stack = await Stack.create({ program: wrapProgram(source), emulator, ...options });
  const write = stack.write.bind(stack);
  stack.write = (next) => write(wrapProgram(next));
  /** The requests since the last time. */
  const calls = () => {
    const made = emulator.calls();
    emulator.clearRequests();
    return made;
  };
  return { stack, calls };
}

/** The program of these statements. */
const wrapProgram = (statements: string) =>
  `const pulumi = require("@pulumi/pulumi");\nconst tunnel = require("pulumi-tunnel-edge");\n${statements}\n`;

/** A statement that declares a resource; a text that begins with `=` stands for an expression, as in `"=edge.id"`. */
export function declare(type: string, name: string, args: object = {}, opts: object = {}): string {
  const code = (value: object) => JSON.stringify(value).replace(/"=(.*?)"/g, (_, expression) => expression);
  return `const ${name} = new tunnel.${type}("${name}", ${code(args)}, ${code(opts)});`;
}

/** How the engine names a resource. */
export const urnOf = (type: string, name: string) =>
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/tunnel-edge:${type}::${name}`;

/** The lines that a display marks as added, removed or changed. */
export function extractChangedLines({ stdout }: Result): string[] {
  const [shown = ""] = stdout.split(/^Resources:$/m);
  const lines = shown.split("\n").map((line) => line.trim());
  return lines.filter((line) => /^(?:[-+~]|\+-|-\+|\+\+|--) /.test(line));
}

/** The errors on a display without the engine's own words around them: fit for a person to read, and each shown once. */
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
