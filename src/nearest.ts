/** The known name that a name is most likely a misspelling of. */
export function nearest(key: string, known: string[]): string | undefined {
  if (key.length > 80) return undefined;
  const [best] = known
    .map((name) => ({ name, away: distance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away);
  return best && best.away <= Math.max(2, best.name.length / 3) ? best.name : undefined;
}

/** How many letters must be added, left out, changed or swapped with their neighbour to make one word of another. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, changed);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) rows[i]![j] = Math.min(rows[i]![j]!, rows[i - 2]![j - 2]! + 1);
    }
  }
  return rows[a.length]![b.length]!;
}
