/** Runs the tests of other files with the plugin in place of the dynamic provider. */

/** The files are relative to test/, without their extension. */
export function testWithPlugin(...files: string[]): void {
  process.env["TESTED_PROVIDER"] = "plugin";
  // Loaded here, so that processes, emulators and clocks end after the last test, not after the first file's.
  require("../support/engine/emulatorHost");
  require("../support/clock");
  describe.each(files)("%s", (file) => {
    require(`../${file}`);
  });
}
