/** Which Node runs this, and whether anybody still repairs it. */

/** The oldest major version that gets security fixes. */
const oldestMaintained = 22;

/** A warning if this Node has reached its end of life. Node's own variable for that silences it. */
export function describeEndOfLife(): string | undefined {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= oldestMaintained || process.env.NODE_NO_WARNINGS === "1") return undefined;
  return (
    `Node ${node} has reached its end of life and gets no security fixes. Use Node ${oldestMaintained} or later, ` +
    "or set NODE_NO_WARNINGS=1 to hide this warning."
  );
}
