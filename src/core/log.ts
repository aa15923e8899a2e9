/** How the provider and the functions talk to the user. */
export interface Log {
  debug(message: string): void;
  info(message: string): Promise<void>;
  warn(message: string): Promise<void>;
  /** What the user sees while something is waited for. */
  status(message: string): void;
}
