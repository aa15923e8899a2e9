// Preloaded into the program and the dynamic-provider host by the tests: the SDK loads the TypeScript compiler and an
// npm client for its closure serializer, which nothing here uses. Both are loaded when first touched instead, which
// takes a third off every operation of the CLI.
const Module = require("node:module");

delete process.env.PULUMI_NODEJS_TYPESCRIPT; // the programs are JavaScript

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const loaded = () => load.call(this, request, parent, isMain);
  if (!/^@npmcli\/arborist$|\/typescript-shim$/.test(request)) return loaded();
  return new Proxy({}, { get: (_, key) => (key === "__esModule" ? true : loaded()[key]) });
};
