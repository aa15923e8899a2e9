/** Invalid settings are reported by every resource in the preview, before any request. */
import { definitions } from "../../src/definitions";
import { startHost } from "../support/engine/emulatorHost";
import { Host } from "../support/engine/host";
import { unknown } from "../support/engine/provider";

const missing = {
  apiKey:
    "tunnel-edge:apiKey is not set: run `pulumi config set --secret tunnel-edge:apiKey`, or set " +
    "TUNNEL_EDGE_API_KEY in the environment.",
  baseUrl:
    "tunnel-edge:baseUrl is not set: run `pulumi config set tunnel-edge:baseUrl https://api.example.com`, or " +
    "set TUNNEL_EDGE_BASE_URL in the environment.",
};
const tooOpen =
  'tunnel-edge:baseUrl must start with "https://", because every request contains the API key; "http://" is allowed ' +
  "only for this machine (localhost).";

/** The errors of a preview of a new resource. */
async function previewErrors(host: Host, type: string): Promise<string[]> {
  const { fields } = definitions.find((each) => each.type === type)!;
  const args = Object.fromEntries(Object.keys(fields).map((name) => [name, unknown]));
  return host
    .resource(type)
    .preview(args)
    .then(
      () => [],
      (error: Error) => error.message.split("\n"),
    );
}

test("every resource reports missing settings, with both ways to set them", async () => {
  const host = await Host.start();
  for (const { type } of definitions)
    expect(await previewErrors(host, type)).toEqual([missing.apiKey, missing.baseUrl]);
});

test("unencrypted addresses and invalid values are rejected", async () => {
  const host = await Host.start({
    config: {
      "tunnel-edge:baseUrl": "http://api.example.com",
      "tunnel-edge:apiKey": "two words",
      "tunnel-edge:headers": '{"Authorization":"Bearer hush"}',
      "tunnel-edge:maxRetries": "many",
    },
  });
  expect(await previewErrors(host, "TcpEdge")).toEqual([
    "tunnel-edge:apiKey must contain only printable ASCII characters, without spaces or line breaks; paste only the token.",
    tooOpen,
    "tunnel-edge:headers must not contain Authorization, which the provider sets itself.",
    "tunnel-edge:maxRetries must be a whole number from 0 to 20.",
  ]);
});

test("an explicit provider takes everything except the key from the environment", async () => {
  const { emulator } = await startHost();
  const env = { TUNNEL_EDGE_API_KEY: emulator.apiKey, TUNNEL_EDGE_BASE_URL: emulator.url };
  const explicit = await Host.start({ config: { "tunnel-edge:explicit": "true" }, env });
  expect(await previewErrors(explicit, "TcpEdge")).toEqual([
    "the explicit Provider has no apiKey. Pass `apiKey` in its arguments: it does not use the stack's API key.",
  ]);
  const stack = await Host.start({ env });
  expect(await stack.resource("TcpEdge").up({ description: "from the environment" })).toBe("create");
  expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
});

test("an unknown key is reported with the setting to check", async () => {
  const { host } = await startHost({}, { config: { "tunnel-edge:apiKey": "another-key" } });
  const rejected = host.resource("TcpEdge").up({});
  await expect(rejected).rejects.toThrow(
    /^TCP edge could not be created: POST \/edges\/tcp returned 401 .* Check the API key \(tunnel-edge:apiKey, /,
  );
});
