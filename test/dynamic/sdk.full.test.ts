/** What src/dynamic/program and src/dynamic/host rely on in the oldest SDK, and in the newest that runs on this Node. */
import { join } from "node:path";
import { installKept } from "../support/cli/packageManagers";
import { listSdks } from "../support/cli/sdks";
import { manifest, sdk } from "../support/data/manifest";
import { testSdk } from "./sdk";

const versions = listSdks();
// sdk.test.ts tests this repository's.
const others = [versions[0]!, versions.at(-1)!].filter((version) => version !== manifest.devDependencies[sdk]);

describe.each(others)("SDK %s", (version) => {
  testSdk(() => join(installKept(sdk, version), sdk));
});
