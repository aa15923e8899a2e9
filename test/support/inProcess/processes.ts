/** The provider processes of one deployment, all in this process: what they publish, each reads of the others. */
import { Clock, type Time } from "../../../src/base/clock";
import type { JsonObject } from "../../../src/base/json";
import { readSettings } from "../../../src/base/settings";
import { CommandProvider } from "../../../src/core/commandProvider";
import { Deployment } from "../../../src/core/deployment/deployment";
import type { Subject } from "../../../src/core/log";
import type { Options } from "../../../src/core/options";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import type { CommandDefinition, Definition } from "../../../src/definitions/definition";

/** The options of a resource that the program declares under this name. */
export const optionsOf = (name: string, more: Partial<Options> = {}): Options => ({
  key: name,
  resource: `Resource "${name}"`,
  ignoreChanges: [],
  replaceOnChanges: [],
  timeouts: {},
  ...more,
});

export class Processes {
  readonly published = new Map<string, object[]>();
  readonly messages: string[] = [];
  /** The names of the resources that the messages are about. */
  readonly subjects: (string | undefined)[] = [];
  readonly statuses: string[] = [];
  /** What `pulumi up --debug` shows. */
  readonly debugged: string[] = [];
  /** Why what one of them has published cannot be read. */
  problem: string | undefined;
  /** The processes that have stopped, by their number. */
  readonly dead = new Set<string>();

  constructor(private readonly time?: Time) {}

  /** A process whose provider has these settings. */
  start(baseUrl: string, apiKey: string, settings: Record<string, string> = {}) {
    const name = String(this.published.size);
    const own: object[] = [];
    const findProblem = () => this.problem;
    this.published.set(name, own);
    const shared = {
      get problem() {
        return findProblem();
      },
      publish: (entry: object) => void own.push(JSON.parse(JSON.stringify(entry))),
      read: () => {
        const others = [...this.published].filter(([each]) => each !== name);
        return new Map(
          others.map(([each, entries]) => [each, { entries: entries as JsonObject[], isDead: this.dead.has(each) }]),
        );
      },
    };
    const say = async (message: string, about?: Subject) => {
      this.messages.push(message);
      this.subjects.push(about?.key);
    };
    const status = (message: string) => void this.statuses.push(message);
    const debug = (message: string) => void this.debugged.push(message);
    const log = { debug, status, info: say, warn: say };
    const config = { "tunnel-edge:baseUrl": baseUrl, "tunnel-edge:apiKey": apiKey, ...settings };
    const read = readSettings(config, {});
    const deployment = new Deployment(read.settings, read.problems, log, new Clock(this.time), shared);
    return {
      name,
      deployment,
      provider: (definition: Definition) => new ResourceProvider(definition, deployment),
      commands: (definition: CommandDefinition) => new CommandProvider(definition, deployment),
    };
  }
}
