/**
 * The lost response of a POST: the created object is imported if it can be identified, named if it cannot, and the POST
 * is never sent twice. The matrix shows that with the plugin, too.
 * Promise: "No duplicates".
 */
import type { Emulator, Fault } from "pulumi-tunnel-edge/emulator";
import {
  definitionOf,
  normalize,
  objectSamples,
  type ServiceObject,
  sampleOf,
  uniqueSamples,
} from "../support/data/samples";
import { executeUnanswered } from "../support/emulators";
import { expected } from "../support/engine/differences";
import { Stack } from "../support/engine/stack";
import { failureOf } from "../support/errorOf";

async function start() {
  const stack = await Stack.start({
    pageSize: 3,
    onRequest: (_, emulator) => executeUnanswered(emulator),
    config: { "tunnel-edge:maxRetries": "1" },
  });
  return { stack, emulator: stack.emulator };
}

const slowLosses: Record<string, Fault> = {
  "the response never ends": { hang: true },
  "there is no response": { hang: "headers" },
  "it takes effect too late": { hang: "headers", processed: false },
  "the response is too large": { bytes: 17_000_000, processed: true },
};
const quickLosses: Record<string, Fault> = {
  "the connection is reset": { resetAfter: true },
  "the response is cut off": { truncate: true },
  "half of the response comes": { truncate: "complete" },
  "a gateway times out": { status: 504, processed: true },
  "a gateway fails": { status: 502, body: "<html>", processed: true },
  "the service fails": { status: 500, processed: true },
  "the response is empty": { status: 201, body: "", processed: true },
  "the response has no id": { status: 201, body: {}, processed: true },
};
const losses = { ...quickLosses, ...slowLosses };

const processedPosts = (emulator: Emulator) =>
  emulator.requests.filter(({ method, processed }) => method === "POST" && processed);
const cases = uniqueSamples.flatMap(({ type }, index) =>
  Object.keys(index === 0 ? losses : quickLosses).map((loss) => [type, loss] as const),
);

test.each(cases)("%s, %s: the created object is imported", async (type, loss) => {
  const { stack, emulator } = await start();
  const sample = sampleOf(type);
  for (let i = 0; i < 5; i++) await stack.resource(type, `other${i}`).up(sample.programs(`other${i}`)[0]);
  emulator.clearRequests();
  emulator.fail({ method: "POST", ...losses[loss] });
  const resource = stack.resource(type);
  const [program] = sample.programs("mine");
  expect(await resource.up(program)).toBe("create");
  const held = sample.findObjects(emulator.account, "mine", {});
  expect(held).toHaveLength(1);
  expect(resource.state!.id).toBe(held[0]!.id);
  expect(normalize(resource.outputs)).toEqual(normalize(program));
  expect(processedPosts(emulator)).toHaveLength(1);
  expect(await resource.up(program)).toBe("same");
  expect(await resource.refresh()).toBe("same");
});

/** Objects that nothing identifies: programs may leave out what is unique. A key, whose token is lost, is not imported. */
const unidentified = objectSamples.flatMap(({ definition: { fields, unique }, ...sample }) => {
  if (sample.type === "ApiKey" || (unique && fields[unique.argument]!.required)) return [];
  const { [unique?.argument ?? ""]: _, ...program } = sample.programs("mine")[0];
  return [{ ...sample, program: { ...program, description: "mine" } }];
});

describe.each(Object.keys(quickLosses))("%s", (loss) => {
  test.each(unidentified)("$type without a unique value is named, not imported", async (sample) => {
    const { type, program, findObjects } = sample;
    const { stack, emulator } = await start();
    emulator.fail({ method: "POST", ...losses[loss] });
    const resource = stack.resource(type);
    const error = await failureOf(resource.up(program));
    const [{ id, object }] = findObjects(emulator.account, "mine", {}) as [ServiceObject];
    expect(error.message).toMatch(
      new RegExp(`^${definitionOf(sample).displayName} could not be created: POST /[\\w/]+ (failed:|returned) .*\\.`),
    );
    expect(error.message).toContain(
      `It may have been created anyway, as ${id} (created ${object.created_at}). Make sure that it belongs to ` +
        `no other resource (\`pulumi stack --show-ids\`). Then add import: "${id}" to its options and run \`pulumi up\`, ` +
        `or delete it with \`curl -X DELETE ${emulator.url}/edges/`,
    );
    expect(error.message).toMatch(
      /'Service-Version: 2'` \(set TUNNEL_EDGE_API_KEY first\)\. Otherwise the next `pulumi up` creates a new one\.$/,
    );
    expect(resource.state).toBeUndefined();
    expect(processedPosts(emulator)).toHaveLength(1);
    stack.next();
    expect(await resource.up(program, { import: id })).toBe(expected("importStep"));
    expect(processedPosts(emulator)).toEqual([]);
  });

  test("an API key is named, and the message says that its token is lost", async () => {
    const { stack, emulator } = await start();
    const before = emulator.account.apiKeys.length;
    emulator.fail({ method: "POST", ...losses[loss] });
    const resource = stack.resource("ApiKey");
    const error = await failureOf(resource.up({ description: "ci" }));
    const key = emulator.account.apiKeys[before]!;
    expect(error.message).toContain(`as ${key.id} (created ${key.created_at}). Its token was in the lost response`);
    expect(processedPosts(emulator)).toHaveLength(1);
    emulator.api("DELETE", `/api_keys/${key.id}`);
    stack.next();
    await resource.up({ description: "ci" });
    expect(resource.outputs.token).toEqual(expect.any(String));
    expect(emulator.account.apiKeys).toHaveLength(before + 1);
  });
});

describe("an object that was never created", () => {
  test.each(objectSamples)("$type is not found", async ({ type, programs }) => {
    const { stack, emulator } = await start();
    const [program] = programs("mine");
    for (const fault of [{ resetBefore: true }, { status: 500 }, { status: 504 }, { status: 200, body: "<html>" }]) {
      emulator.fail({ method: "POST", ...fault });
      const resource = stack.resource(type);
      const error = await failureOf(resource.up(program));
      expect(error.message).toMatch(
        /No new [\w ]+ was found in the account, but it may still appear\. Look for it with the command `inventory/,
      );
      expect(resource.state).toBeUndefined();
      stack.next();
    }
    expect(processedPosts(emulator)).toHaveLength(0);
    expect(await stack.resource(type).up(program)).toBe("create");
  });
});

test("a lost create is not taken for the object that it replaces", async () => {
  const { stack, emulator } = await start();
  const key = stack.resource("ApiKey");
  await key.up({ description: "ci", keepers: { rotated: "2026" } });
  const { id } = key.state!;
  stack.next();
  emulator.fail({ method: "POST", resetBefore: true });
  const error = await failureOf(key.up({ description: "ci", keepers: { rotated: "2027" } }));
  expect(error.message).not.toContain(id);
  expect(error.message).toContain("was found in the account, but it may still appear");
});
