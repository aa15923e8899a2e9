/** The provider processes of one deployment, all in this process, and the file that they share. */
import { Clock, type Time } from "../../../src/base/clock";
import { readSettings } from "../../../src/base/settings";
import { CommandProvider } from "../../../src/core/commandProvider";
import { Deployment } from "../../../src/core/deployment/deployment";
import type { Subject } from "../../../src/core/log";
import type { Options } from "../../../src/core/options";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import type { CommandDefinition, Definition } from "../../../src/definitions/definition";
import { SharedLines } from "../engine/sharedLines";

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
  readonly file = new SharedLines();
  readonly messages: string[] = [];
  /** The names of the resources that the messages are about. */
  readonly subjects: (string | undefined)[] = [];
  readonly statuses: string[] = [];
  /** What `pulumi up --debug` shows. */
  readonly debugged: string[] = [];
  constructor(private readonly time?: Time) {}

  /** A process whose provider has these settings. */
  start(baseUrl: string, apiKey: string, settings: Record<string, string> = {}) {
    const say = async (message: string, about?: Subject) => {
      this.messages.push(message);
      this.subjects.push(about?.key);
    };
    const status = (message: string) => void this.statuses.push(message);
    const debug = (message: string) => void this.debugged.push(message);
    const log = { debug, status, info: say, warn: say };
    const config = { "tunnel-edge:baseUrl": baseUrl, "tunnel-edge:apiKey": apiKey, ...settings };
    const read = readSettings(config, {});
    const deployment = new Deployment(read.settings, read.problems, log, new Clock(this.time), this.file.join());
    return {
      deployment,
      provider: (definition: Definition) => new ResourceProvider(definition, deployment),
      commands: (definition: CommandDefinition) => new CommandProvider(definition, deployment),
    };
  }
}
