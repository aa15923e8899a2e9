// The file of a clock that several processes share. Each has a slot with the time it has reached, and the time until
// which it waits: 0 while it does not wait, and infinity while it has nothing to do. The clock shows the largest time.
const { mkdirSync, readSync, writeSync } = require("node:fs");

const slots = 32;

exports.createSlots = (time) => Float64Array.from({ length: 2 * slots }, (_, index) => (index % 2 ? Infinity : time));

/** Returns a slot that no other process has. */
exports.takeSlot = (path) => {
  for (let slot = 0; slot < slots; slot++) {
    try {
      mkdirSync(`${path}-${slot}`);
      return slot;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
  throw new Error(`More than ${slots} processes share a clock.`);
};

exports.readSlots = (file) => {
  const numbers = new Float64Array(2 * slots);
  readSync(file, numbers, 0, numbers.byteLength, 0);
  return Array.from({ length: slots }, (_, slot) => ({ time: numbers[2 * slot], until: numbers[2 * slot + 1] }));
};

exports.readTime = (file) => Math.max(...exports.readSlots(file).map(({ time }) => time));

exports.writeSlot = (file, slot, { time, until }) => {
  const numbers = Float64Array.of(time, until);
  writeSync(file, numbers, 0, numbers.byteLength, slot * numbers.byteLength);
};
