/** How long a report may be, measured as it is written: what is escaped has grown. */

export interface Limit {
  most: number;
  measure(text: string): number;
}

/** GitHub's limits: characters of a comment, bytes of what a step adds to a job's summary. */
export const comment: Limit = { most: 65_536, measure: (text) => text.length };
export const summary: Limit = { most: 1_048_576, measure: Buffer.byteLength };

/** The text with as many of the items as fit. `write` is given these, and how many are left out. */
export function shorten<T>(items: T[], { most, measure }: Limit, write: (shown: T[], left: number) => string): string {
  const writeFirst = (count: number) => write(items.slice(0, count), items.length - count);
  const isShort = (count: number) => measure(writeFirst(count)) <= most;
  if (isShort(items.length)) return writeFirst(items.length);
  let [fits, tooMany] = [0, items.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (isShort(middle)) fits = middle;
    else tooMany = middle;
  }
  return writeFirst(fits);
}
