export type { Emulator, EmulatorOptions } from "./emulator";
export { defaultApiKey, startEmulator } from "./emulator";
export { EmulatorError, type ErrorBody } from "./errors";
export type { Fault, FaultHandle } from "./faults";
export type { EmptyStrings } from "./fields";
export type * from "./objects";
export type { RateLimit } from "./rateLimit";
export type { LoggedRequest } from "./requestLog";
export type { OidcSecrets } from "./views";

import { operations, undocumented } from "./operations";

/** The operations of the API document, such as `"PUT /edges/tcp/{id}/ip_restriction"`. */
export const documentedOperations: readonly string[] = Object.keys(operations);

/** Additional deletes, which the option `documentedOnly` disables. */
export const undocumentedOperations: readonly string[] = Object.keys(undocumented);
