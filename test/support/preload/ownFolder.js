// Preloaded into a provider's process (node --require) that serves one simulated deployment after the other: each has a
// temporary folder of its own, because real deployments have engines with different addresses.
const os = require("node:os");
const path = require("node:path");

const parent = path.resolve(__dirname, "../../../.work/test/claims", `${process.pid}-${Date.now()}`);
let deployments = 0;
os.tmpdir = () => path.join(parent, String(++deployments));
