// The programs to compare. All declare the same inputs; only ours sends requests.
import fs from "node:fs";
import path from "node:path";
import { bundle, shellScript } from "../scripts/dev/plugin.mjs";
import { manifest, root, work } from "../scripts/lib/index.mjs";

const createInputs = (i) => ({
  hostports: [`${i}.tcp.example.com:20022`],
  backend: { backendId: "bkdtg_1" },
  ipRestriction: { ipPolicyIds: ["ipp_1"] },
});

/** The plugins that programs use. Of a plugin with a version, as of an installed one, the CLI keeps the schema. */
const plugins = {
  tunnelEdge: { name: "tunnel-edge", path: path.join(work, "bench/tunnel-edge"), version: manifest.version },
  noop: { name: "noop", path: path.join(work, "bench/noop"), version: "1.0.0" },
};

/** Copies our plugin to where it is measured, and bundles the no-op plugin, as ours is. */
export async function preparePlugins() {
  fs.cpSync(path.join(root, "plugin"), plugins.tunnelEdge.path, { recursive: true });
  const executable = path.join(plugins.noop.path, "pulumi-resource-noop");
  await bundle(executable, shellScript, "bench/noopPlugin.mjs");
  fs.chmodSync(executable, 0o755);
}

/** Adds our programs with the package and the plugin of another clone. */
export function addClone(clone) {
  const plugin = { ...plugins.tunnelEdge, path: path.join(work, "bench/other") };
  fs.cpSync(path.join(clone, "plugin"), plugin.path, { recursive: true });
  const add = (name, change) => {
    const { meaning, program, over } = subjects[name];
    subjects[`other ${name}`] = {
      meaning: `${meaning} Of ${clone}.`,
      program: (count) => ({ ...program(count), ...change }),
    };
    over.push(`other ${name}`);
  };
  add("ours", { clone });
  add("plugin, YAML", { plugin });
}

/** A Node program, of which `declare` declares the resource `name` with the arguments `args`. */
export const nodeProgram = (prelude, declare, count, plugin) => ({
  plugin,
  index: `${prelude}
const inputs = ${createInputs};
for (let i = 0; i < ${count}; i++) { const [name, args] = ["edge-" + i, inputs(i)]; ${declare}; }
`,
});

const yamlProgram = (type, count, plugin) => ({
  plugin,
  resources: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`edge-${i}`, { type, properties: createInputs(i) }]),
  ),
});

const sdk = 'const pulumi = require("@pulumi/pulumi");';

/** A handwritten provider string. */
const noopProvider = `${sdk}
const provider = 'exports.handler=()=>({create:async(i)=>({id:"id-"+Math.random().toString(36).slice(2),outs:i})})';
class Noop extends pulumi.CustomResource {
  constructor(name, args) { super("pulumi-nodejs:dynamic/bench:Noop", name, { ...args, __provider: provider }); }
}`;

const documentedProvider = `${sdk}
const provider = { create: async (inputs) => ({ id: "id-" + Math.random().toString(36).slice(2), outs: inputs }) };
class Noop extends pulumi.dynamic.Resource {
  constructor(name, args) { super(provider, name, args); }
}`;

/** What is compared: each with the program of a number of resources, and with what its time is divided by. */
export const subjects = {
  ours: {
    meaning: "`TcpEdge` resources with hostports, backend and ipRestriction; the service runs in another process.",
    program: (count) =>
      nodeProgram('const { TcpEdge } = require("pulumi-tunnel-edge");', "new TcpEdge(name, args)", count),
    over: ["documented way", "floor"],
  },
  "documented way": {
    meaning: "no-op `pulumi.dynamic.Resource`s with the same inputs, which send no requests.",
    program: (count) => nodeProgram(documentedProvider, "new Noop(name, args)", count),
  },
  floor: {
    meaning: "no-op resources with a handwritten provider string: the minimum cost of the engine itself.",
    program: (count) => nodeProgram(noopProvider, "new Noop(name, args)", count),
  },
  "plugin, YAML": {
    meaning: "the same edges in YAML, with the plugin.",
    program: (count) => yamlProgram("tunnel-edge:TcpEdge", count, plugins.tunnelEdge),
    over: ["ours", "YAML floor"],
  },
  "plugin, Node": {
    meaning: "the same edges in a Node program, with the plugin.",
    program: (count) =>
      nodeProgram(sdk, 'new pulumi.CustomResource("tunnel-edge:index:TcpEdge", name, args)', count, plugins.tunnelEdge),
    over: ["ours"],
  },
  "YAML floor": {
    meaning: "a plugin in Node whose resources do nothing, in YAML.",
    program: (count) => yamlProgram("noop:Edge", count, plugins.noop),
  },
};
