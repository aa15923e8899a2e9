/** Invalid settings are reported by every resource in the preview, before any request. */
import { definitions } from "../../src/definitions";
import { type TestedProvider, unknown } from "../support/engine/provider";
import { Stack } from "../support/engine/stack";
import { test } from "../support/engine/testedProvider";

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
async function previewErrors(provider: TestedProvider, type: string): Promise<string[]> {
  const { fields } = definitions.find((each) => each.type === type)!;
  const args = Object.fromEntries(Object.keys(fields).map((name) => [name, unknown]));
  return provider.resource(type).problems(args);
}

test("every resource reports missing settings, with both ways to set them", async () => {
  const { provider } = await Stack.start({ config: { "tunnel-edge:apiKey": "", "tunnel-edge:baseUrl": "" } });
  for (const { type } of definitions)
    expect(await previewErrors(provider, type)).toEqual([missing.apiKey, missing.baseUrl]);
});

test("unencrypted addresses and invalid values are rejected", async () => {
  const { provider } = await Stack.start({
    config: {
      "tunnel-edge:baseUrl": "http://api.example.com",
      "tunnel-edge:apiKey": "two words",
      "tunnel-edge:headers": '{"Authorization":"Bearer hush"}',
      "tunnel-edge:maxRetries": "many",
    },
  });
  expect(await previewErrors(provider, "TcpEdge")).toEqual([
    "tunnel-edge:apiKey must contain only printable ASCII characters, without spaces or line breaks; paste only the token.",
    tooOpen,
    "tunnel-edge:headers must not contain Authorization, which the provider sets itself.",
    "tunnel-edge:maxRetries must be a whole number from 0 to 20.",
  ]);
});

test("an explicit provider takes everything except the key from the environment", async () => {
  const stack = await Stack.start({ settings: "environment" });
  const explicit = stack.startProcess({ "tunnel-edge:explicit": "true" });
  expect(await previewErrors(explicit, "TcpEdge")).toEqual([
    "the explicit Provider has no apiKey. Pass `apiKey` in its arguments: it does not use the stack's API key.",
  ]);
  expect(await stack.resource("TcpEdge").up({ description: "from the environment" })).toBe("create");
  expect(stack.calls).toEqual(["POST /edges/tcp"]);
});

test("an unknown key is reported with the setting to check", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:apiKey": "another-key" } });
  await expect(stack.resource("TcpEdge").up({})).rejects.toThrow(
    /^TCP edge could not be created: POST \/edges\/tcp returned 401 .* Check the API key \(tunnel-edge:apiKey, /,
  );
});
