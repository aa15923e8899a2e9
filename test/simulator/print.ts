/** A scenario as people read it: the programs of its runs, and what happens in them. */
import { declare } from "../support/declare";
import { urnOf } from "./engine";
import { programOf } from "./model";
import { describe } from "./network";
import type { PlannedRun, Scenario } from "./scenario";

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
    faults,
    disruption,
    outsider,
    rateLimit,
  } = run;
  const options = [
    `--parallel ${parallel}`,
    refresh && "--refresh",
    continueOnError && "--continue-on-error",
    targets && `--target (resources ${targets.join(", ")})`,
    replace !== undefined && `--replace (resource ${replace})`,
  ];
  const surroundings = { stack, idOf: () => "(its id)", sessionId: "(the agent's session)" };
  const program = kind === "up" ? programOf(model, surroundings) : [];
  const nameOf = new Map(program.map((resource) => [urnOf(resource), resource.name]));
  return [
    "",
    `// Run ${index}, stack ${stack}: pulumi ${kind} ${options.filter(Boolean).join(" ")}`,
    ...faults.map(
      (fault) =>
        `// ${fault.times} × ${describe(fault)}, for ${fault.on} requests${fault.path === undefined ? "" : ` to …${fault.path}`}`,
    ),
    ...(disruption ? [`// ${disruption.kind} when request ${disruption.after} is sent`] : []),
    ...(outsider ? [`// somebody else: ${outsider.kind}`] : []),
    ...(rateLimit === undefined ? [] : [`// ${rateLimit} requests in 10 s`]),
    ...program.map(({ type, name, args, import: importId, ignoreChanges, parent, provider }) => {
      const known = Object.entries(args).map(([key, value]) => [
        key,
        typeof value === "string" && value.startsWith("=urn:") ? `=${nameOf.get(value.slice(1))}.id` : value,
      ]);
      const opts = {
        ...(importId && { import: importId }),
        ...(ignoreChanges && { ignoreChanges }),
        ...(parent && { parent: `=${parent.at(-1)}` }),
        ...(provider && { provider: `=${provider}` }),
      };
      return declare(type, name, Object.fromEntries(known), opts);
    }),
  ];
}
