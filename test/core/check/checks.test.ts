/** Arguments that were accepted before, and are unchanged, are not checked again: the schema library is not loaded. */
import { Clock } from "../../../src/base/clock";
import { readSettings } from "../../../src/base/settings";
import { Deployment } from "../../../src/core/deployment/deployment";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { optionsOf } from "../../support/engine/coreOptions";

jest.mock("zod", () => {
  throw new Error("zod was loaded");
});

const log = { debug: () => undefined, info: async () => {}, warn: async () => {}, status: () => undefined };
const { settings, problems } = readSettings({
  "tunnel-edge:apiKey": "key",
  "tunnel-edge:baseUrl": "https://x.example",
});
const check = async (old: object | undefined, args: object, definition: Definition = tlsEdgeTlsTermination) => {
  const deployment = new Deployment(settings, problems, log, new Clock());
  deployment.informsOfPlans = true;
  return new ResourceProvider(definition, deployment).check(old as never, args as never, optionsOf("it"));
};

/** A version that is not known gives a warning when it is declared. */
const args = { edgeId: "edgtls_1", terminateAt: "edge", minVersion: "2.0" };

test("does not check unchanged arguments", async () => {
  expect(await check(args, { ...args })).toEqual({ args, problems: [] });
});

test("does not check unchanged arguments of a module", async () => {
  const edge = { ipRestriction: { ipPolicyIds: ["ipp_1"] } };
  expect(await check(edge, edge, tcpEdge)).toEqual({ args: edge, problems: [] });
  const other = { ipRestriction: { ipPolicyIds: ["ipp_1"], mode: "strict" } };
  await expect(check(other, other, tcpEdge)).rejects.toThrow("zod was loaded");
});

test.each([
  ["new arguments", undefined, args],
  ["changed arguments", args, { ...args, minVersion: "1.2" }],
  ["unchanged arguments without a required one", { minVersion: "1.2" }, { minVersion: "1.2" }],
  ["unchanged arguments of which one no longer exists", { ...args, color: "red" }, { ...args, color: "red" }],
])("checks %s", async (_, old, news) => {
  await expect(check(old, news)).rejects.toThrow("zod was loaded");
});
