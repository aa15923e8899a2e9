/** Which public addresses a change opens, read from its previews: `pulumi-tunnel-edge/exposure`. Loads no SDK. */

export type { Who } from "./model";
export { findOpenedAddresses, type OpenedAddress } from "./opened";
export { PreviewError } from "./preview";
