/** What the engine records of secrets: no value that was secret leaves a provider without an envelope. */
import type { Properties, TestedProvider } from "../support/engine/provider";
import { secret } from "../support/engine/secrets";
import { Stack } from "../support/engine/stack";
import { test, testDynamic, testPlugin } from "../support/engine/testedProvider";

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

const start = async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  return { stack, emulator: stack.emulator, provider: stack.provider };
};

test("the token of an API key whose update is lost", async () => {
  const { stack, emulator, provider } = await start();
  const key = stack.resource("ApiKey");
  await key.up({ description: "a" });
  const { token } = key.outputs;
  provider.returned.splice(0);
  emulator.fail({ method: "PATCH", status: 500, processed: true });
  emulator.fail({ method: "GET", status: 403, times: 99 });
  await expect(key.up({ description: "b" })).rejects.toThrow("It may have been updated.");
  expect(key.state).toMatchObject({ hasInitErrors: true, outputs: { token } });
  expect(isReturned(provider, token)).toBe(true);
  expect(isPlain(provider, token)).toBe(false);
});

testDynamic("a description that was secret, is dropped under ignoreChanges, and is no longer ignored", async () => {
  const { stack, emulator, provider } = await start();
  const edge = stack.resource("TcpEdge");
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

testPlugin("a description that only the old inputs have as a secret, until an update fails and finds it", async () => {
  const { stack, emulator, provider } = await start();
  const edge = stack.resource("TcpEdge");
  const description = "description-found";
  await edge.up({});
  // An update that was executed late: what the engine has recorded of it are its inputs.
  const { id, outputs } = edge.state!;
  emulator.api("PATCH", `/edges/tcp/${id}`, { description });
  provider.returned.splice(0);
  emulator.fail({ method: "PATCH", status: 500 });
  const updating = provider.update(
    edge,
    { id, outputs, inputs: { description: secret(description) } },
    { metadata: "b" },
  );
  await expect(updating).rejects.toThrow("It may have been updated.");
  expect(isReturned(provider, description)).toBe(true);
  expect(isPlain(provider, description)).toBe(false);
});
