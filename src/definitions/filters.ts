/** The filters of the functions that read lists. The API has none: they are applied to what it returns. */

import type { ValueWithLists } from "./fields/field";

/** For each filter, whether an item matches it. */
export type Filters<Wanted, Props> = {
  [Name in keyof Required<Wanted>]: (item: ValueWithLists<Props>, wanted: NonNullable<Wanted[Name]>) => boolean;
};

/** The filters that are properties of the items. */
export type PropertyFilters<Props, Names extends keyof Props> = { [Name in Names]?: Props[Name] };

/** Matches a property that has this value; `""` matches one that is not set. */
export const equals =
  <Name extends string>(property: Name) =>
  (item: { [name in Name]?: unknown }, wanted: unknown): boolean =>
    (item[property] ?? "") === wanted;
