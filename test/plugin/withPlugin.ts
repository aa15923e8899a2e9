/** Runs the tests of other files once more: with the plugin in place of the dynamic provider, or over gRPC. */

/** The files are relative to test/, without their extension. */
export function testWithPlugin(...files: string[]): void {
  runAgain({ TESTED_PROVIDER: "plugin" }, files);
}

/** In the process of the tests they run anyway. */
export function testOverGrpc(provider: "dynamic" | "plugin", ...files: string[]): void {
  runAgain({ TESTED_PROVIDER: provider, TEST_TRANSPORT: "grpc" }, files);
}

function runAgain(env: Record<string, string>, files: string[]): void {
  Object.assign(process.env, env);
  // Loaded here, so that processes, emulators and clocks end after the last test, not after the first file's.
  require("../support/engine/emulatorHost");
  require("../support/clock");
  describe.each(files)("%s", (file) => {
    require(`../${file}`);
  });
}
