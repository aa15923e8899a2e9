/** The previews of the exposure's simulation are what the real CLI prints, as far as the command reads them. */

import type { JsonObject } from "../../src/base/json";
import { resolveSteps, type Step } from "../../src/commands/exposure/preview";
import { type Deployed, ExposureSimulation } from "./exposure";
import { toReplayable } from "./rehearsal";
import { Replay } from "./replay";
import { newScenario, type Scenario } from "./scenario";

/** Previews and deploys programs on the real CLI. */
class PreviewReplay extends Replay {
  readonly printed: object[] = [];

  constructor(
    scenario: Scenario,
    private readonly deployed: Deployed[],
  ) {
    super(scenario);
  }

  protected override async step(): Promise<void> {
    const { stack: index, program } = this.deployed[this.printed.length] ?? {};
    if (!program) return;
    const stack = this.stacks[index!]!;
    const cli = await this.cliOf(stack);
    this.write(cli, program, false);
    const { stdout } = await cli.run(["preview", "--json", "--show-sames", "--show-replacement-steps"]);
    this.printed.push(JSON.parse(stdout));
    await this.execute(stack, program, { kind: "up", parallel: 8 });
  }
}

/** What depends on the time and the address of the service is not compared. */
const incomparable = ["createdAt", "sentAt", "uri"];
const isCompared = (name: string) => !name.startsWith("__") && !incomparable.includes(name);
const withoutInternals = (properties: JsonObject = {}) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => isCompared(name)));

/** What the command reads of a preview. */
function summarize(printed: object): object[] {
  const steps = resolveSteps((printed as { steps: Step[] }).steps);
  return steps
    .filter(({ urn }) => /tunnel-edge:(index:)?\w+::/.test(urn) && !urn.includes("pulumi:providers:"))
    .sort((a, b) => (`${a.urn} ${a.op}` < `${b.urn} ${b.op}` ? -1 : 1))
    .map(({ op, urn, oldState, newState, diffReasons = [], detailedDiff = null }) => ({
      op,
      urn,
      changes: detailedDiff && Object.keys(detailedDiff).sort(),
      names: [...diffReasons].sort(),
      old: oldState && {
        type: oldState.type,
        // The id of a command is random.
        id: oldState.type.endsWith(":TunnelSessionCommand") ? undefined : oldState.id,
        inputs: withoutInternals(oldState.inputs),
        outputs: withoutInternals(oldState.outputs),
        ignoreChanges: oldState.ignoreChanges ?? [],
      },
      new: newState && {
        type: newState.type,
        inputs: withoutInternals(newState.inputs),
        ignoreChanges: newState.ignoreChanges ?? [],
        edge: newState.propertyDependencies?.["edgeId"] ?? [],
        deletedWith: newState.deletedWith,
      },
    }));
}

/** The first deployments of scenarios of both providers: one that creates, and two that change. */
async function drawScenarios(count: number) {
  const drawn: { index: number; scenario: Scenario; deployed: Deployed[] }[] = [];
  for (let index = 0; drawn.length < count; index++) {
    const scenario = toReplayable(newScenario(1, index));
    const isNext = scenario.provider === (drawn.length % 2 === 0 ? "dynamic" : "plugin");
    if (!isNext) continue;
    const simulation = new ExposureSimulation(scenario);
    await simulation.run();
    const deployed = simulation.deployed.slice(0, 3);
    if (deployed.length === 3) drawn.push({ index, scenario, deployed });
  }
  return drawn;
}

test("in 4 scenarios the simulated previews are those of the real CLI", async () => {
  for (const { index, scenario, deployed } of await drawScenarios(4)) {
    const replay = new PreviewReplay(scenario, deployed);
    await replay.run();
    const [shown, expected] = [replay.printed, deployed.map(({ printed }) => printed)].map((previews) => ({
      scenario: index,
      previews: previews.map(summarize),
    }));
    expect(shown).toEqual(expected);
  }
}, 3_600_000);
