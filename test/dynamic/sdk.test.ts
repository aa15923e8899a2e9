/** What src/dynamic/program and src/dynamic/host rely on in this repository's SDK. */
import { dirname } from "node:path";
import { allValues } from "../../src/dynamic/host/hostDeployment";
import { testSdk } from "./sdk";

testSdk(() => dirname(require.resolve("@pulumi/pulumi/package.json")));

test("without the host's whole configuration the known keys are read", () => {
  const config = { get: (key: string) => `value of ${key}` };
  expect(allValues(config, ["a"])).toEqual({ a: "value of a" });
});
