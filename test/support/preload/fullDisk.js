// Preloaded into a process (node --require), makes the disk full for the files of the register, after as many lines of
// each process as FULL_AFTER says.
const fs = require("node:fs");

const { openSync, writeSync } = fs;
const opened = new Set();
let left = Number(process.env.FULL_AFTER);

fs.openSync = (file, ...rest) => {
  const descriptor = openSync(file, ...rest);
  if (String(file).includes("pulumi-tunnel-edge-") && rest[0] === "ax") opened.add(descriptor);
  return descriptor;
};
fs.writeSync = (descriptor, ...rest) => {
  if (opened.has(descriptor) && left-- <= 0) {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  }
  return writeSync(descriptor, ...rest);
};
