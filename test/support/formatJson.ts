/** JSON with a line for each entry of the outer levels, and for each item of their lists. Deeper values are on one line. */
export function formatJson(value: unknown, levels: number): string {
  const format = (inner: unknown, level: number, indent: string): string => {
    const line = JSON.stringify(inner);
    if (level === 0 || typeof inner !== "object" || inner === null || line.length <= 100) return line;
    const within = `${indent}  `;
    const [open, close, entries] = Array.isArray(inner)
      ? ["[", "]", inner.map((item) => JSON.stringify(item))]
      : ["{", "}", Object.entries(inner).map(([key, each]) => `"${key}": ${format(each, level - 1, within)}`)];
    return `${open}\n${entries.map((entry) => within + entry).join(",\n")}\n${indent}${close}`;
  };
  return `${format(value, levels, "")}\n`;
}
