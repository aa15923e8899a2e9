/** What the engine records of secrets: no value that was secret leaves a provider without an envelope. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { startService } from "../support/emulators";
import { Host } from "../support/engine/host";
import { Plugin } from "../support/engine/plugin";
import type { Properties, TestedProvider } from "../support/engine/provider";

const envelopeKey = "4dabf18193072939515e22adb298388d";

/** The strings in properties that are in no envelope. */
const plainStrings = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null && !(envelopeKey in value)
      ? Object.values(value).flatMap(plainStrings)
      : [];

const isReturned = ({ returned }: TestedProvider, secret: string) => JSON.stringify(returned).includes(secret);
const isPlain = ({ returned }: TestedProvider, secret: string) =>
  returned.some((each: Properties) => plainStrings(each).some((text) => text.includes(secret)));

let emulator: Emulator;
const providers: Record<string, TestedProvider> = {};
beforeAll(async () => {
  emulator = await startService();
  const config = {
    "tunnel-edge:baseUrl": emulator.url,
    "tunnel-edge:apiKey": emulator.apiKey,
    "tunnel-edge:maxRetries": "0",
  };
  [providers["dynamic"], providers["plugin"]] = await Promise.all([Host.start({ config }), Plugin.start({ config })]);
});

test.each(["dynamic", "plugin"])("%s: the token of an API key whose update is lost", async (kind) => {
  const provider = providers[kind]!;
  const key = provider.resource("ApiKey");
  await key.up({ description: "a" });
  const { token } = key.outputs;
  provider.returned.splice(0);
  emulator.fail({ method: "PATCH", status: 500, processed: true });
  emulator.fail({ method: "GET", status: 403, times: 99 });
  await expect(key.up({ description: "b" })).rejects.toThrow("It may have been updated.");
  emulator.reset();
  expect(key.state).toMatchObject({ hasInitErrors: true, outputs: { token } });
  expect(isReturned(provider, token)).toBe(true);
  expect(isPlain(provider, token)).toBe(false);
});

test("a description that was secret, is dropped under ignoreChanges, and is no longer ignored", async () => {
  const provider = providers["dynamic"]!;
  const edge = provider.resource("TcpEdge");
  const description = "description-hush";
  await edge.up({ hostports: ["a.example.com:1"], description }, { secrets: ["description"] });
  expect(await edge.up({ hostports: ["a.example.com:1"] }, { ignoreChanges: ["description"] })).toBe("update");
  await edge.up({ hostports: ["a.example.com:1"] });
  provider.returned.splice(0);
  expect(await edge.up({ hostports: ["a.example.com:2"] })).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: ["a.example.com:2"], description }]);
  expect(isReturned(provider, description)).toBe(true);
  expect(isPlain(provider, description)).toBe(false);
});

test("a description that only the old inputs have as a secret, until an update fails and finds it", async () => {
  const provider = providers["plugin"]!;
  const edge = provider.resource("TcpEdge");
  const description = "description-found";
  await edge.up({});
  // An update that was executed late: what the engine has recorded of it are its inputs.
  const { id, outputs } = edge.state!;
  emulator.api("PATCH", `/edges/tcp/${id}`, { description });
  const secret = { [envelopeKey]: "1b47061264138c4ac30d75fd1eb44270", value: description };
  provider.returned.splice(0);
  emulator.fail({ method: "PATCH", status: 500 });
  const updating = provider.update(edge, { id, outputs, inputs: { description: secret } }, { metadata: "b" });
  await expect(updating).rejects.toThrow("It may have been updated.");
  expect(isReturned(provider, description)).toBe(true);
  expect(isPlain(provider, description)).toBe(false);
});
