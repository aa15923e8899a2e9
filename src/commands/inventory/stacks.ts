/** The states and settings of stacks. */

import { spawn } from "node:child_process";
import { isObject, parseJson } from "../../base/json";
import { parseFile } from "../io";
import { parseExport, type StackState } from "./state";

const command = "pulumi stack export";

export function readStateFile(file: string): StackState {
  const state = parseExport(parseFile(file, command));
  if (!state) throw new Error(`${file} is not what \`${command}\` prints.`);
  return state;
}

/** A stack of the project in the current directory, with its configuration. */
export interface Stack {
  name: string;
  state: StackState;
  config: Record<string, unknown>;
}

export async function readStack(name: string, env: NodeJS.ProcessEnv): Promise<Stack> {
  const read = async (...args: string[]) => {
    const text = await runPulumi([...args, `--stack=${name}`], env);
    try {
      return parseJson(text);
    } catch (error) {
      throw new Error(`What \`pulumi ${args.join(" ")} --stack ${name}\` prints ${(error as Error).message}.`);
    }
  };
  const state = parseExport(await read("stack", "export"));
  if (!state) throw new Error(`\`${command} --stack ${name}\` printed something else than a state.`);
  const config = await read("config", "--json", "--show-secrets");
  const values = Object.entries(isObject(config) ? config : {}).map(([key, entry]) => [
    key,
    isObject(entry) ? entry.value : undefined,
  ]);
  return { name, state, config: Object.fromEntries(values) };
}

/** Runs the CLI; resolves to what it prints. */
function runPulumi(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const line = `pulumi ${args.join(" ")}`;
  return new Promise((done, fail) => {
    const child = spawn("pulumi", [...args, "--non-interactive", "--color=never"], { env });
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text) => {
        printed[name] += text;
      });
    }
    child.on("error", ({ message }) =>
      fail(new Error(`\`${line}\` could not be started (${message}). Install the Pulumi CLI, or use --state.`)),
    );
    child.on("close", (code) =>
      code === 0 ? done(printed.stdout) : fail(new Error(`\`${line}\` failed: ${printed.stderr.trim()}`)),
    );
  });
}
