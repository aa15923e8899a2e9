/** A scenario as people read it: the programs of its runs, and what happens in them. */
import { declare } from "../support/engine/declare";
import { type Program, urnOf } from "./engine";
import { programOf } from "./model";
import type { PlannedRun, Scenario } from "./scenario";
import { secretPrefix } from "./secrets";

export function printScenario({ runs, ...world }: Scenario): string {
  const printed = runs.map((run, index) => {
    const surroundings = { stack: run.stack, idOf: () => "(its id)", sessionId: "(the agent's session)" };
    const program = run.kind === "up" ? declareAll(programOf(run.model, surroundings)) : [];
    return [`\n// Run ${index}: ${describeRun(run)}`, ...program].join("\n");
  });
  return [`// The world: ${JSON.stringify(world)}`, ...printed].join("\n");
}

/** What a run has, without its program. */
export const describeRun = ({ model: _, ...run }: PlannedRun): string =>
  JSON.stringify(run, (_, value) =>
    value === false || (Array.isArray(value) && value.length === 0) ? undefined : value,
  );

/** The statements that declare a program's resources. Namesakes have variables of their own. */
export function declareAll(program: Program): string[] {
  const variables = new Map<string, string>();
  for (const [index, resource] of program.entries()) {
    const isNew = /^\w+$/.test(resource.name) && ![...variables.values()].includes(resource.name);
    variables.set(urnOf(resource), isNew ? resource.name : `resource${index}`);
  }
  return program.map((resource) => {
    const { type, name, args, import: importId, ignoreChanges, parent, provider } = resource;
    const expressions = (_: string, value: unknown) => {
      if (typeof value !== "string") return value;
      if (value.startsWith(secretPrefix)) return `=pulumi.secret('${value}')`;
      return value.startsWith("=urn:") ? `=${variables.get(value.slice(1))}.id` : value;
    };
    const opts = {
      ...(importId && { import: importId }),
      ...(ignoreChanges && { ignoreChanges }),
      ...(parent && { parent: `=${parent.split("::")[1]}` }),
      ...(provider && { provider: `=${provider}` }),
    };
    return declare(type, name, JSON.parse(JSON.stringify(args), expressions), opts, variables.get(urnOf(resource)));
  });
}
