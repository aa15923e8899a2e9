/** The known name that a misspelled name is closest to, if one is close enough. */
export function nearest(name: string, known: string[]): string | undefined {
  const farthest = (candidate: string) => Math.max(2, candidate.length / 3);
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= farthest(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= farthest(best.candidate) ? best.candidate : undefined;
}

/** The number of letters to insert, delete, replace or swap with their neighbour to turn one word into another. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced);
      // Before the first letter there is none, which equals no letter.
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) rows[i]![j] = Math.min(rows[i]![j]!, rows[i - 2]![j - 2]! + 1);
    }
  }
  return rows[a.length]![b.length]!;
}
