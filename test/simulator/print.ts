/** A scenario as people read it: the programs of its runs, and what happens in them. */
import { declare } from "../support/engine/declare";
import { type Program, urnOf } from "./engine";
import { programOf } from "./model";
import { describe } from "./network";
import type { PlannedRun, Scenario } from "./scenario";
import { secretPrefix } from "./secrets";

export function printScenario({ runs, ...world }: Scenario): string {
  return [`// The world: ${JSON.stringify(world)}`, ...runs.flatMap(printRun)].join("\n");
}

function printRun(run: PlannedRun, index: number): string[] {
  const {
    stack,
    kind,
    model,
    parallel,
    refresh,
    continueOnError,
    targets,
    replace,
    replaceEdge,
    protect,
    retries,
    faults,
    disruption,
    outsider,
    rateLimit,
    disk,
  } = run;
  const options = [
    `--parallel ${parallel}`,
    refresh && "--refresh",
    continueOnError && "--continue-on-error",
    targets && `--target (resources ${targets.join(", ")})`,
    replace !== undefined && `--replace (resource ${replace})`,
    replaceEdge !== undefined && `--replace (edge ${replaceEdge})`,
    retries !== undefined && `(an onError hook asks ${retries} times for a failed create)`,
  ];
  const surroundings = { stack, idOf: () => "(its id)", sessionId: "(the agent's session)" };
  const program = kind === "up" ? programOf(model, surroundings) : [];
  return [
    "",
    `// Run ${index}, stack ${stack}: pulumi ${kind} ${options.filter(Boolean).join(" ")}`,
    ...faults.map(
      (fault) =>
        `// ${fault.times} × ${describe(fault)}, for ${fault.on} requests${fault.path === undefined ? "" : ` to …${fault.path}`}`,
    ),
    ...(disruption ? [`// ${disruption.kind} when request ${disruption.after} is sent`] : []),
    ...(protect === undefined ? [] : [`// edge ${protect} of the state is protected`]),
    ...(outsider
      ? [
          `// somebody else: ${outsider.kind}${outsider.after === undefined ? "" : ` after ${outsider.after} deletions`}`,
        ]
      : []),
    ...(rateLimit === undefined ? [] : [`// ${rateLimit} requests in 10 s`]),
    ...(disk ? [`// each process can append ${disk.lines} lines to the file of claims`] : []),
    ...declareAll(program),
  ];
}

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
