/** Scripts that deploy programs of their own with the Automation API, in the user's own process. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lazySdk } from "../preload/preload";
import { root } from "../root";
import { wrapProgram } from "./cliStack";
import { runProcess } from "./example";
import { type Service, Stack } from "./pulumi";

const projectSettings = {
  name: "inline",
  runtime: "nodejs",
  plugins: { providers: [{ name: "tunnel-edge", path: join(root, "plugin") }] },
};

/**
 * Runs statements, which have `create(stackName, program)`, and returns what was printed. The Node language host that the
 * set-up builds does not know all that such programs can do.
 */
export async function runInline(emulator: Service, statements: string, provider?: "dynamic" | "plugin") {
  const env = { NODE_OPTIONS: lazySdk, PULUMI_STACK: undefined, TUNNEL_EDGE_MAX_RETRIES: "0" };
  const { dir, env: commandEnv } = await Stack.create({ program: "", emulator, env });
  const script = `${wrapProgram("", provider)}
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const projectSettings = { ...${JSON.stringify(projectSettings)}, main: __dirname };
const create = (stackName, program) =>
  LocalWorkspace.createStack({ stackName, projectName: "inline", program }, { projectSettings });
(async () => {
${statements}
})();`;
  writeFileSync(join(dir, "inline.js"), script);
  const { code, printed } = await runProcess(process.execPath, ["inline.js"], dir, commandEnv);
  return { code, printed: printed.trim().split("\n") };
}
