/** Random choices that are the same for the same seed. */
export class Random {
  constructor(private seed: number) {
    this.seed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b) ^ 0x9e3779b9;
  }

  /** The seed of the scenario with this number. */
  static seedOf = (seed: number, index: number): number =>
    (Math.imul(seed + 0x7ed55d16, 0x165667b1) ^ Math.imul(index + 0x2545f491, 0x27d4eb2d)) >>> 0;

  /** A number from 0 to 1, without 1, by the generator mulberry32. */
  next = (): number => {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number from `least` to `most`. */
  int = (least: number, most: number): number => least + Math.floor(this.next() * (most - least + 1));

  /** Whether something happens that happens once in so many times. */
  once = (times: number): boolean => this.next() * times < 1;

  pick = <T>(items: readonly T[]): T => items[this.int(0, items.length - 1)]!;

  /** Another of the items. */
  other = <T>(items: readonly T[], item: T): T => this.pick(items.filter((each) => each !== item));

  /** Some of the items, in their order. */
  some = <T>(items: readonly T[], least = 0): T[] => {
    const count = this.int(least, items.length);
    return this.shuffle(items.map((_, index) => index))
      .slice(0, count)
      .sort((a, b) => a - b)
      .map((index) => items[index]!);
  };

  shuffle = <T>(items: readonly T[]): T[] => {
    const all = [...items];
    for (let index = all.length - 1; index > 0; index--) {
      const other = this.int(0, index);
      [all[index], all[other]] = [all[other]!, all[index]!];
    }
    return all;
  };
}
