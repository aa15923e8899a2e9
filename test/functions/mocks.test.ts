/** Programs with `pulumi.runtime.setMocks`: every class and every function calls only the mocks. */
import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { toCamelCase } from "../../src/base/json";
import { agentCommands, definitions, readOnly } from "../../src/definitions";
import { objectSamples, samples } from "../support/data/samples";
import { failureOf } from "../support/errorOf";
import { readOutput, readOutputValue } from "./support";

jest.mock("undici", () => {
  throw new Error("undici was loaded");
});
jest.mock("zod", () => {
  throw new Error("zod was loaded");
});

const registered: pulumi.runtime.MockResourceArgs[] = [];
const called: pulumi.runtime.MockCallArgs[] = [];

beforeEach(async () => {
  registered.length = called.length = 0;
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      registered.push(args);
      return { id: args.id || `${args.name}-id`, state: { ...args.inputs, uri: "from the mock" } };
    },
    call: (args) => {
      called.push(args);
      return { ...args.inputs, answer: "from the mock" };
    },
  });
});

type Class = typeof tunnel.TcpEdge;
type Function = (args: object, opts?: pulumi.InvokeOptions) => Promise<Record<string, unknown>>;
type OutputFunction = (args: object, opts?: pulumi.InvokeOutputOptions) => pulumi.Output<Record<string, unknown>>;

const exported = Object.entries(tunnel as Record<string, unknown>);
const classes = exported.filter(([name]) => /^[A-Z]/.test(name)) as [string, Class][];
const functions = exported.filter(([name]) => /^get.*(?<!Output)$/.test(name)) as [string, Function][];

test("every class and function of the package is covered", () => {
  const outputs = functions.map(([name]) => `${name}Output`);
  const names = [...classes, ...functions].map(([name]) => name).concat(outputs);
  expect(Object.keys(tunnel).sort()).toEqual(names.sort());
  const types = [...definitions, ...agentCommands].map(({ type }) => type);
  expect(classes.map(([name]) => name).sort()).toEqual(["Provider", ...types].sort());
  const readable = [...definitions, ...readOnly].flatMap((each) =>
    "plural" in each ? [each.type, each.plural] : each.type,
  );
  expect(functions.map(([name]) => name).sort()).toEqual(readable.map((name) => `get${name}`).sort());
});

test.each(classes.filter(([name]) => name !== "Provider"))(
  "%s is created and read by the mocks",
  async (name, Resource) => {
    const type = `pulumi-nodejs:dynamic/tunnel-edge:${name}`;
    const args = { edgeId: "edge", routeId: "route", publicKey: "key", sessionId: "session", commands: ["stop"] };
    expect(await readOutputValue(new Resource("it", args as object).id)).toBe("it-id");
    if ("get" in Resource) expect(await readOutputValue(Resource.get("it", "an-id").id)).toBe("an-id");
    expect(registered[0]).toMatchObject({ type, name: "it", inputs: args });
    for (const read of registered.slice(1)) expect(read).toMatchObject({ type, id: "an-id" });
  },
);

test("a resource passes its Provider to the mocks, with the key as a secret", async () => {
  const provider = new tunnel.Provider("account", { apiKey: "key" });
  await readOutputValue(new tunnel.TcpEdge("edge", {}, { provider }).id);
  const [account, edge] = registered;
  const key = account!.inputs["tunnel-edge:apiKey"];
  expect([pulumi.runtime.isRpcSecret(key), pulumi.runtime.unwrapRpcSecret(key)]).toEqual([true, "key"]);
  expect(edge!.provider).toContain("::account::account-id");
});

const listsOf: Record<string, object> = {
  ...Object.fromEntries(
    samples.map(({ type, lists = [] }) => [`get${type}`, Object.fromEntries(lists.map((name) => [name, []]))]),
  ),
  ...Object.fromEntries(
    [...objectSamples.map(({ definition }) => definition), ...readOnly].map(({ plural, list }) => [
      `get${plural}`,
      { [toCamelCase(list.key)]: [] },
    ]),
  ),
  getTunnel: { backends: [] },
  getTunnelSession: {},
};

describe.each(functions)("%s", (name, plain) => {
  const output = (tunnel as unknown as Record<string, OutputFunction>)[`${name}Output`]!;
  const args = { id: "an-id", edgeId: "edge", routeId: "route", labels: { snake_Key: "x" } };
  const asked = { token: `tunnel-edge:index:${name}`, inputs: args };

  test("calls the mocks in both forms, and has empty lists for those that they leave out", async () => {
    const lists = { ...listsOf[name], answer: "from the mock" };
    expect(await plain(args)).toMatchObject(lists);
    expect(await readOutputValue(output({ ...args, id: pulumi.output("an-id") }))).toMatchObject(lists);
    expect(called).toEqual([expect.objectContaining(asked), expect.objectContaining(asked)]);
  });

  test("passes its Provider to the mocks", async () => {
    const provider = new tunnel.Provider("account", { apiKey: "key" });
    const parent = new pulumi.ComponentResource("test:index:Site", "site", {}, { provider });
    await plain(args, { provider });
    await readOutputValue(output(args, { parent }));
    expect(called.map((call) => call.provider)).toEqual(
      Array(2).fill(expect.stringContaining("::account::account-id")),
    );
  });
});

test("a client secret is a secret with mocks too", async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name }) => ({ id: name, state: {} }),
    call: () => ({ issuer: "i", clientSecret: "s" }),
  });
  const secret = { known: true, secret: true, value: "s" };
  const route = { edgeId: "e", routeId: "r" };
  expect(await readOutput((await tunnel.getHttpsEdgeRouteOidc(route)).clientSecret)).toEqual(secret);
  expect(await readOutput(tunnel.getHttpsEdgeRouteOidcOutput(route).clientSecret)).toEqual(secret);
  expect(await readOutput(tunnel.getHttpsEdgeRouteOidcOutput(route).issuer)).toMatchObject({ secret: false });
});

test("the outputs that the engine marks as secrets are secrets with mocks too, if they are set", async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: name === "imported" ? inputs : { ...inputs, token: "t" } }),
    call: () => ({}),
  });
  const key = new tunnel.ApiKey("ci", { description: "ci" });
  expect(await readOutput(key.token)).toEqual({ known: true, secret: true, value: "t" });
  expect(await readOutput(key.description)).toEqual({ known: true, secret: false, value: "ci" });
  const imported = new tunnel.ApiKey("imported");
  expect(await readOutput(imported.token)).toEqual({ known: true, secret: false, value: undefined });
});

test("functions accept only a Provider of this package", async () => {
  class Other extends pulumi.ProviderResource {
    constructor() {
      super("pulumi-nodejs", "other", {});
    }
  }
  const message =
    "getTunnels: the provider option is not a Provider of pulumi-tunnel-edge. Pass one, or remove the option.";
  const provider = new Other();
  expect(await failureOf(tunnel.getTunnels({}, { provider }))).toMatchObject({ message });
  expect(() => tunnel.getTunnelsOutput({}, { provider })).toThrow(message);
  expect(tunnel.Provider.isInstance(provider)).toBe(false);
  expect(tunnel.Provider.isInstance(new tunnel.Provider("account", { apiKey: "key" }))).toBe(true);
});
