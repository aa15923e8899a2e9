/** The states and settings of stacks. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isObject, parseJson } from "../../base/json";
import { parseFile } from "../io";
import { parseExport, type StackState } from "./state";

const command = "pulumi stack export";

export function readStateFile(file: string): StackState {
  const state = parseExport(parseFile(file, command));
  if (!state) throw new Error(`${file} is not the output of \`${command}\`.`);
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
async function runPulumi(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const line = `pulumi ${args.join(" ")}`;
  const options = { env, maxBuffer: Number.POSITIVE_INFINITY };
  try {
    return (await promisify(execFile)("pulumi", [...args, "--non-interactive", "--color=never"], options)).stdout;
  } catch (error) {
    const { code, message, stderr } = error as { code: unknown; message: string; stderr: string };
    if (typeof code === "string")
      throw new Error(`\`${line}\` could not be started (${message}). Install the Pulumi CLI, or use --state.`);
    throw new Error(`\`${line}\` failed: ${stderr.trim()}`);
  }
}
