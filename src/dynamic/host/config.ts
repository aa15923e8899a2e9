/**
 * The whole configuration of the dynamic provider host, in a property that the SDK's types leave out. It is needed only
 * to find misspelled keys: without the property they are ignored.
 */

/** The configuration that the dynamic provider host gives to `configure`. */
export interface HostConfig {
  get(key: string): unknown;
  rawConfig?: Record<string, unknown>;
}

/** All values, of which at least the known keys are present. */
export function allValues(config: HostConfig, knownKeys: string[]): Record<string, unknown> {
  return { ...config.rawConfig, ...Object.fromEntries(knownKeys.map((key) => [key, config.get(key)])) };
}
