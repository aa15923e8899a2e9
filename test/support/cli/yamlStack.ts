/** YAML programs, which use the plugin. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { startService } from "./cliStack";
import { Stack, type StackOptions } from "./pulumi";

export async function createYamlStack(sections: object, options: StackOptions & { emulator?: Emulator } = {}) {
  const emulator = options.emulator ?? (await startService());
  return { emulator, stack: await Stack.create({ yaml: toYaml(sections), ...options, emulator }) };
}

/** Replaces the program. */
export const writeYaml = (stack: Stack, sections: object) => stack.write(toYaml(sections));

/** The sections of a program, each of which may be JSON. */
const toYaml = (sections: object) =>
  Object.entries(sections)
    .map(([name, section]) => `${name}: ${JSON.stringify(section)}`)
    .join("\n");

export const yamlResource = (type: string, properties: object, options?: object) => ({
  type: `tunnel-edge:${type}`,
  properties,
  ...(options && { options }),
});

/** The requests that may have changed something. */
export const listWrites = (emulator: Emulator) => emulator.calls().filter((call) => !call.startsWith("GET "));

/** An expression. */
export const yamlExpression = (expression: string) => ["$", "{", expression, "}"].join("");
