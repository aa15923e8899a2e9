/**
 * Resource hooks, with both providers. The programs are inline programs of the Automation API: the Node language host
 * that the set-up builds knows no hooks.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService, wrapProgram } from "../support/cli/cliStack";
import { runProcess } from "../support/cli/example";
import { Stack } from "../support/cli/pulumi";
import { lazySdk } from "../support/preload/preload";
import { root } from "../support/root";

const projectSettings = {
  name: "inline",
  runtime: "nodejs",
  plugins: { providers: [{ name: "tunnel-edge", path: join(root, "plugin") }] },
};

const program = (provider: "dynamic" | "plugin") => `${wrapProgram("", provider)}
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const say = (...words) => console.log("SAID", ...words);
let description;
const program = async () => {
  const hook = (name) => new pulumi.ResourceHook(name, ({ id, newInputs, newOutputs, oldOutputs }) =>
    say(name, id ? "with id" : "without id", newInputs?.description ?? "-", (newOutputs ?? oldOutputs)?.description ?? "-"));
  const hooks = {
    ...Object.fromEntries(["beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"]
      .map((name) => [name, [hook(name)]])),
    onError: [new pulumi.ErrorHook("onError", ({ failedOperation, errors }) => {
      say("onError", failedOperation, errors.length);
      return errors.length < 2;
    })],
  };
  new tunnel.TcpEdge("edge", { description }, { hooks });
};
(async () => {
  const settings = ${JSON.stringify(projectSettings)};
  const stack = await LocalWorkspace.createStack(
    { stackName: "dev", projectName: "inline", program },
    { projectSettings: { ...settings, main: __dirname } },
  );
  for (description of ["one", "two"]) await stack.up();
  await stack.destroy().catch(({ message }) => say("destroy fails:", /error: (Resource .*)/.exec(message)?.[1]));
  await stack.destroy({ runProgram: true });
})();`;

test.each(["dynamic", "plugin"] as const)(
  "%s: hooks run before and after each operation, and onError retries it",
  async (kind) => {
    const emulator = await startService();
    for (const method of ["POST", "PATCH", "DELETE"]) emulator.fail({ method, status: 400 });
    const env = { NODE_OPTIONS: lazySdk, PULUMI_STACK: undefined };
    const stack = await Stack.create({ program: "", emulator, env });
    writeFileSync(join(stack.dir, "inline.js"), program(kind));
    const { code, printed } = await runProcess(process.execPath, ["inline.js"], stack.dir, stack.env);
    const said = printed.split("\n").flatMap((line) => (line.startsWith("SAID ") ? [line.slice(5)] : []));
    expect(said).toEqual([
      "beforeCreate without id one -",
      "onError create 1",
      "afterCreate with id one one",
      "beforeUpdate with id two one",
      "onError update 1",
      "afterUpdate with id two two",
      "destroy fails: Resource has delete hooks registered, but the program is not running. Hooks: beforeDelete, afterDelete",
      "beforeDelete with id - two",
      "onError delete 1",
      "afterDelete with id - two",
    ]);
    expect({ code, edges: emulator.account.tcpEdges }).toEqual({ code: 0, edges: [] });
  },
);
