/** Each difference between the providers that the tests of both expect, shown with both. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createRequestTime } from "../support/clock";
import { startService } from "../support/emulators";
import { differences } from "../support/engine/differences";
import { Host } from "../support/engine/host";
import { Plugin } from "../support/engine/plugin";
import type { TestedProvider } from "../support/engine/provider";

let emulator: Emulator;
let providers: TestedProvider[];
beforeAll(async () => {
  emulator = await startService({ oidcSecrets: "masked" });
  const config = { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey };
  const options = { config, time: createRequestTime() };
  providers = await Promise.all([Host.start(options), Plugin.start(options)]);
});
beforeEach(async () => {
  emulator.reset();
  await Promise.all(providers.map((provider) => provider.startNewRun()));
});

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const newEdge = (properties = {}) => emulator.api<{ id: string }>("POST", "/edges/tcp", properties).id;

const probes: Record<keyof typeof differences, (provider: TestedProvider) => Promise<unknown>> = {
  stepWithoutCall: async (provider) => {
    const edge = provider.resource("TcpEdge");
    await edge.up({});
    return edge.up({ description: "" });
  },
  refreshAfterNoCall: async (provider) => {
    const edge = provider.resource("TcpEdge");
    await edge.up({ description: "" });
    await edge.up({});
    return edge.refresh();
  },
  importStep: async (provider) => provider.resource("TcpEdge").up({}, { import: newEdge() }),
  unsetList: async (provider) => {
    const edge = provider.resource("TcpEdge");
    await edge.up({});
    return edge.outputs["hostports"];
  },
  timeoutInMessages: async (provider) => {
    emulator.fail({ method: "POST", hang: "headers", processed: false });
    const creating = provider.resource("TcpEdge").up({}, { customTimeouts: { create: "2000.5ms" } });
    const { message } = (await creating.catch((error: Error) => error as Error)) as Error;
    return /Timed out after (\S+) /.exec(message)?.[1];
  },
  hasManagedWithoutFailure: async (provider) => {
    const edge = provider.resource("TcpEdge");
    await edge.up({ description: "it" });
    return "__managed" in edge.state!.outputs;
  },
  readsOfImport: async (provider) => {
    const id = newEdge();
    emulator.clearRequests();
    await provider.resource("TcpEdge").up({}, { import: id });
    return emulator.calls().length;
  },
  isSecretKnownInImport: async (provider) => {
    const id = newEdge({ metadata: "metadata-hush" });
    emulator.fail({ status: 403, body: { status_code: 403, msg: "not metadata-hush" } });
    const importing = provider.resource("TcpEdge").up({ metadata: "metadata-hush" }, { import: id });
    return !(await importing.catch(String)).includes("metadata-hush");
  },
  stepIfOnlyAnOptionChanges: async (provider) => {
    const edge = provider.resource("TcpEdge");
    await edge.up({});
    return edge.up({}, { customTimeouts: { delete: "5m" } });
  },
  stepAfterCreationIgnored: async (provider) => {
    const edge = provider.resource("TcpEdge");
    await edge.up({ ipRestriction }, { ignoreChanges: ["ipRestriction"] });
    return edge.up({}, { ignoreChanges: ["ipRestriction"] });
  },
};

test.each(Object.entries(probes))("%s", async (name, probe) => {
  const { dynamic, plugin } = differences[name as keyof typeof differences];
  const shown = [await probe(providers[0]!), await probe(providers[1]!)];
  expect(shown).toEqual([dynamic, plugin]);
  expect(dynamic).not.toEqual(plugin);
});
