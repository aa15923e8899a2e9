// The programs to compare. All declare the same inputs; only ours sends requests.

const inputs = `(i) => ({
  hostports: [\`\${i}.tcp.example.com:20022\`],
  backend: { backendId: "bkdhr_1" },
  ipRestriction: { ipPolicyIds: ["ipp_1"] },
})`;

/** TCP edges of this package, with the emulator in another process. */
const ours = (count) => `
const { TcpEdge } = require("pulumi-tunnel-edge");
const inputs = ${inputs};
for (let i = 0; i < ${count}; i++) new TcpEdge("edge-" + i, inputs(i));
`;

/** No-op dynamic resources, as Pulumi documents them. */
const documented = (count) => `
const pulumi = require("@pulumi/pulumi");
const inputs = ${inputs};
const provider = { create: async (inputs) => ({ id: "id-" + Math.random().toString(36).slice(2), outs: inputs }) };
class Noop extends pulumi.dynamic.Resource {
  constructor(name, args) { super(provider, name, args); }
}
for (let i = 0; i < ${count}; i++) new Noop("edge-" + i, inputs(i));
`;

/** The same with a handwritten provider string: the minimum cost of the engine itself. */
const floor = (count) => `
const pulumi = require("@pulumi/pulumi");
const inputs = ${inputs};
const provider = 'exports.handler=()=>({create:async(i)=>({id:"id-"+Math.random().toString(36).slice(2),outs:i})})';
class Noop extends pulumi.CustomResource {
  constructor(name, args) { super("pulumi-nodejs:dynamic/bench:Noop", name, { ...args, __provider: provider }); }
}
for (let i = 0; i < ${count}; i++) new Noop("edge-" + i, inputs(i));
`;

export const subjects = { ours, documented, floor };
