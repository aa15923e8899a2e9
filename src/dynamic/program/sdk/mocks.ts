/**
 * Whether the program runs under `pulumi.runtime.setMocks`, so that functions call the mocks instead of the service.
 * Only the SDK's mock monitor has this property; without it, functions call the service in unit tests, too.
 */

import * as pulumi from "@pulumi/pulumi";

export const isMocked = (): boolean => "mocks" in (pulumi.runtime.getMonitor() ?? {});
