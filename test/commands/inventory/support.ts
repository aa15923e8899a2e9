/** Runs the command `inventory` on an emulator, and writes states as `pulumi stack export` prints them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../../src/commands/inventory/main";
import type { Properties } from "../../support/engine/provider";
import { collectOutput } from "../output";

export { startService as emulator } from "../../support/emulators";

const folder = mkdtempSync(join(tmpdir(), "inventory-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export async function run({ url, apiKey }: { url: string; apiKey: string }, ...args: string[]) {
  const { printed, io } = collectOutput();
  const env = { TUNNEL_EDGE_BASE_URL: url, TUNNEL_EDGE_API_KEY: apiKey, TUNNEL_EDGE_MAX_RETRIES: "0" };
  return { code: await main(args, { ...io, env, terminal: false }), ...printed };
}

/** A line of `--json`, of any kind. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every kind
export type ParsedLine = Record<string, any>;

/** The lines of `--json`. */
export async function linesOf(service: { url: string; apiKey: string }, ...args: string[]) {
  const { code, out, err } = await run(service, "--json", ...args);
  if (code === 2) throw new Error(err);
  return (JSON.parse(out) as { lines: ParsedLine[] }).lines;
}

let files = 0;

export function writeFile(content: string, ending = ""): string {
  const file = join(folder, `file-${++files}${ending}`);
  writeFileSync(file, content);
  return file;
}

export type Provider = "dynamic" | "plugin";

interface StateOptions {
  stack?: string;
  provider?: Provider;
  /** Interrupted creates: type, name and inputs. */
  pending?: [type: string, name: string, inputs: Properties][];
  /** When the stack was created. */
  created?: string;
  /** The inputs of an explicit Provider, which all resources use. */
  settings?: Properties;
}

const prefixes = { dynamic: "pulumi-nodejs:dynamic/tunnel-edge", plugin: "tunnel-edge:index" };

/** A file with a state. Each resource is its type, name, id and what else the state says of it. */
export function stateFile(
  resources: [type: string, name: string, id: string, rest?: Properties][],
  { stack = "dev", provider = "dynamic", pending = [], created, settings }: StateOptions = {},
): string {
  const providerType = `pulumi:providers:${provider === "dynamic" ? "pulumi-nodejs" : "tunnel-edge"}`;
  const providerUrn = `urn:pulumi:${stack}::edges::${providerType}::own`;
  const toResource = (type: string, name: string) => ({
    urn: `urn:pulumi:${stack}::edges::${prefixes[provider]}:${type}::${name}`,
    custom: true,
    type: `${prefixes[provider]}:${type}`,
    parent: `urn:pulumi:${stack}::edges::pulumi:pulumi:Stack::edges-${stack}`,
    ...(settings && { provider: `${providerUrn}::1234` }),
  });
  const deployment = {
    manifest: { time: "2026-01-01T00:00:00Z" },
    resources: [
      {
        urn: `urn:pulumi:${stack}::edges::pulumi:pulumi:Stack::edges-${stack}`,
        custom: false,
        type: "pulumi:pulumi:Stack",
        ...(created && { created }),
      },
      ...(settings ? [{ urn: providerUrn, custom: true, id: "1234", type: providerType, inputs: settings }] : []),
      ...resources.map(([type, name, id, rest]) => ({ ...toResource(type, name), id, ...rest })),
    ],
    ...(pending.length > 0 && {
      pending_operations: pending.map(([type, name, inputs]) => ({
        resource: { ...toResource(type, name), inputs: { __provider: "exports.handler", ...inputs } },
        type: "creating",
      })),
    }),
  };
  return writeFile(JSON.stringify({ version: 3, deployment }));
}
