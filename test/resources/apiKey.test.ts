import { apiKey } from "../../src/definitions/apiKey";
import { curlDelete } from "../support/curl";
import { describe, test, testedProvider } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { argumentRows, replaces, same, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /api_keys/{id}", body]);
const rotate = (body: object) => replaces(["POST /api_keys", body], ["DELETE /api_keys/{id}"]);

const full = { description: "ci", metadata: "team=edge", ownerId: "usr_1", keepers: { quarter: "2027-Q1" } };
const wire = { description: "ci", metadata: "team=edge", owner_id: "usr_1" };

const fixture = suite(apiKey, {
  full,
  wire,
  everything: { add: rotate(wire), clear: rotate({}) },
  rows: {
    ...argumentRows(full, patch, {
      description: { other: "deployments", outsideValue: "theirs" },
      metadata: { other: "team=web", outsideValue: "theirs" },
    }),
    ownerId: {
      other: "usr_2",
      add: rotate({ owner_id: "usr_1" }),
      change: rotate({ ...wire, owner_id: "usr_2" }),
      clear: same,
    },
    keepers: {
      other: { quarter: "2027-Q2" },
      add: rotate({}),
      change: rotate(wire),
      clear: rotate(wire),
    },
  },
});

describe("the token", () => {
  const isTold = expect.stringMatching(/^\w{20,}$/);

  test("is kept through updates, refreshes and failed updates", async () => {
    const { emulator, full } = fixture;
    const key = await fixture.createResource();
    const { token } = key.outputs;
    expect(token).toEqual(isTold);
    const expectToken = () => expect(key.outputs.token).toBe(token);
    await key.up({ ...full, description: "deployments" });
    expectToken();
    emulator.api("PATCH", `/api_keys/${key.state!.id}`, { description: "theirs" });
    expect(await key.refresh()).toBe("changed");
    expectToken();
    emulator.fail({ method: "PATCH", status: 403 });
    await expect(key.up(full)).rejects.toThrow("403");
    expectToken();
    emulator.fail({ method: "PATCH", resetAfter: true });
    await expect(key.up(full)).rejects.toThrow(" failed: ");
    expectToken();
    await fixture.expectSettled(key, (await key.up(full)) && full);
    expectToken();
  });

  test("works as a key until it is rotated", async () => {
    const { emulator, full } = fixture;
    const key = await fixture.createResource();
    fixture.stack.next();
    const isAccepted = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}`, "Service-Version": "2" };
      return (await fetch(`${emulator.url}/tunnels`, { headers })).ok;
    };
    const { token } = key.outputs;
    expect(await isAccepted(token)).toBe(true);
    // The engine imports for the plugin, and keeps no import option.
    if (testedProvider() === "dynamic") {
      await expect(
        key.preview({ ...full, keepers: { quarter: "2027-Q2" } }, { import: key.state!.id }),
      ).rejects.toThrow(
        `keepers cannot change while the option import is declared, because the replacement would import API key ${key.state!.id} again.`,
      );
    }
    expect(await key.up({ ...full, keepers: { quarter: "2027-Q2" } })).toBe("replace");
    expect(key.outputs.token).toEqual(isTold);
    expect(await isAccepted(key.outputs.token)).toBe(true);
    expect(await isAccepted(token)).toBe(false);
  });

  test("is null in the state for an imported key and for one that is only read", async () => {
    const { full } = fixture;
    const id = fixture.createdOutside();
    const key = fixture.resource();
    await key.up(full, { import: id });
    expect(key.state!.outputs.token).toBeNull();
    await key.up({ ...full, description: "deployments" }, { import: id });
    await key.refresh();
    expect(key.state!.outputs.token).toBeNull();
    await key.get(id);
    expect(key.state!.outputs.token).toBeNull();
  });
});

test("a lost create names the keys that it may have created, newest first, and the next `pulumi up` creates a new one", async () => {
  const { emulator } = fixture;
  const { description, metadata } = full;
  emulator.seed({ apiKeys: [{ description: "another" }, { description }] });
  const candidate = emulator.api("POST", "/api_keys", { description, metadata });
  const key = fixture.resource();
  emulator.fail({ method: "POST", resetAfter: true });
  const message = await errorOf(key.up({ description, metadata }));
  const [created] = emulator.account.apiKeys.slice(-1);
  const names = [created!, candidate].map(({ id, created_at }) => `${id} (created ${created_at})`).join(", ");
  expect(message).toBe(
    "API key could not be created: POST /api_keys failed: the connection was closed before the response. It " +
      `may have been created anyway, as ${names}. Its token was in the lost response and cannot be read again. ` +
      "Make sure that it belongs to no other resource (`pulumi stack --show-ids`). Then delete it " +
      `with ${curlDelete(emulator.url, `/api_keys/${created!.id}`)} and run \`pulumi up\`, which creates a new one, or ` +
      `add import: "${created!.id}" to its options, to manage it without its token.`,
  );
  expect(key.state).toBeUndefined();
  fixture.stack.next();
  expect(await key.up({ description, metadata })).toBe("create");
  expect(key.state!.id).not.toBe(created!.id);
  expect(key.outputs.token).toBeDefined();
});

test("the owner is an output if it is not declared, and declaring or removing it is no change", async () => {
  const [owner] = fixture.emulator.account.users;
  const key = await fixture.createResource({});
  expect(key.outputs.ownerId).toBe(owner!.id);
  expect(await key.up({ ownerId: owner!.id })).toBe("same");
  expect(await key.up({})).toBe("same");
  expect(fixture.takeRequests()).toEqual([]);
});

test("a rejected owner is displayed in the service's words, and deleting the provider's own key causes a warning", async () => {
  const { stack } = fixture;
  const key = await fixture.createResource({ ownerId: "usr_1" });
  stack.next();
  const own = stack.startProcess({ "tunnel-edge:apiKey": key.outputs.token });
  expect(await errorOf(own.resource("ApiKey").up({ ownerId: "usr_2" }))).toMatch(
    /returned 403 ERR_TUNNEL_OWNER_FORBIDDEN: Only admins may name an owner other than themselves/,
  );
  await key.useProvider(own).refresh();
  expect(key.outputs.token).toMatch(/^\w{20,}$/);
  const { id } = key.state!;
  await key.delete();
  expect(stack.said).toEqual([
    `ApiKey "it": API key ${id}: this is the key that the provider itself uses. Once it is deleted, ` +
      "calls fail until you set tunnel-edge:apiKey to another key.",
  ]);
});

test("another key is deleted without a warning", async () => {
  const key = await fixture.createResource();
  fixture.stack.next();
  await key.delete();
  expect(fixture.stack.said).toEqual([]);
});
