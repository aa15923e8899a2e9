/** What was deleted, where a 404 may not be the service's own: a list or the edge decides, or it is not known. */

import { expand } from "../../../src/api/routes";
import { edgeOf } from "../../../src/core/read/lookup";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import {
  type Definition,
  type ModuleDefinition,
  paramsOf,
  type Readable,
  routesOf,
} from "../../../src/definitions/definition";
import { httpsEdgeTlsTermination } from "../../../src/definitions/httpsEdgeTlsTermination";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdge } from "../../../src/definitions/tlsEdge";
import { tlsEdgeTlsTermination } from "../../../src/definitions/tlsEdgeTlsTermination";
import { RequestTime } from "../../support/clock";
import { publicKey } from "../../support/data/publicKey";
import { definitionOf, samples } from "../../support/data/samples";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { Stack } from "../../support/engine/stack";
import { describe as describeBoth, test as testBoth } from "../../support/engine/testedProvider";

const time = new RequestTime();
const forever = Number.POSITIVE_INFINITY;
const foreign = { status: 404, body: "<html>", times: forever };
const [one, all, restriction] = ["/edges/tcp/{id}", "/edges/tcp", "/edges/tcp/{id}/ip_restriction"];

/** A TCP edge, and one that was deleted. */
async function start() {
  const emulator = await startService();
  const settings = { "tunnel-edge:maxRetries": "0" };
  const deployment = new Processes(time).startDeployment(configOf(emulator, settings));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const create = () => emulator.api<{ id: string }>("POST", all, { ip_restriction: { ip_policy_ids: ["ipp_a"] } }).id;
  const [kept, deleted] = [create(), create()];
  emulator.api("DELETE", `${all}/${deleted}`);
  /** What becomes of a lookup: what was found, or the error. */
  const find = async (id: string, definition: Readable = tcpEdge) =>
    deployment.lookup.find(definition, id).then(
      (found) => found ?? "deleted",
      (error: Error) => error.message,
    );
  return { emulator, edges: provider(tcpEdge), kept, deleted, find };
}

const stillExists = expect.stringMatching(/\. The TCP edge still exists\.$/);
const isUnknown = (name: string) =>
  expect.stringMatching(new RegExp(`\\. It is not known whether the ${name} was deleted\\.$`));

describe("an object at whose path something else responds with 404", () => {
  test("was deleted if its list does not have it", async () => {
    const { emulator, deleted, find } = await start();
    emulator.fail({ ...foreign, path: one });
    expect(await find(deleted)).toBe("deleted");
  });

  test("still exists if its list has it", async () => {
    const { emulator, kept, find } = await start();
    emulator.fail({ ...foreign, path: one });
    expect(await find(kept)).toEqual(stillExists);
  });

  test("may have been deleted if its list cannot be read", async () => {
    const { emulator, deleted, find } = await start();
    emulator.fail({ ...foreign, path: one });
    emulator.fail({ path: all, status: 500 });
    expect(await find(deleted)).toEqual(isUnknown("TCP edge"));
    expect(await find(deleted)).toBe("deleted");
  });
});

test.each([
  ["the service's own 404, if its address is not proven", { status: 404 }],
  ["another error of the service", { status: 403 }],
  ["another error of something else", { status: 500, body: "<html>" }],
])("no list is read after an error that proves nothing of the object: %s", async (_, fault) => {
  const { emulator, deleted, find } = await start();
  emulator.fail({ path: one, ...fault });
  emulator.fail({ path: "/api_keys", status: 401 });
  const error = await find(deleted);
  expect(error).toContain(`returned ${fault.status}`);
  expect(error).not.toContain("deleted");
  expect(emulator.calls()).not.toContain(`GET ${all}`);
});

describe("one list is read for several objects", () => {
  async function startListing() {
    const { emulator, edges, kept, deleted, find } = await start();
    const { state } = (await edges.read(kept, undefined, optionsOf("e")))!;
    emulator.fail({ ...foreign, method: "GET", path: one });
    const lists = () => emulator.calls().filter((call) => call === `GET ${all}`).length;
    return { edges, kept, deleted, find, state, lists };
  }
  const e = optionsOf("e");

  test("as long as nothing is sent", async () => {
    const { kept, deleted, find, lists } = await startListing();
    for (const id of [kept, deleted, kept, deleted]) await find(id);
    expect(lists()).toBe(1);
  });

  test("if it does not have them, also after an update; an object that it has is looked for again", async () => {
    const { edges, kept, deleted, find, state, lists } = await startListing();
    expect(await find(deleted)).toBe("deleted");
    await edges.update(state, { description: "new" }, e);
    expect(await find(deleted)).toBe("deleted");
    expect(lists()).toBe(1);
    expect(await find(kept)).toEqual(stillExists);
    expect(lists()).toBe(2);
  });

  test("until another is created", async () => {
    const { edges, deleted, find, lists } = await startListing();
    await find(deleted);
    const { id } = await edges.create({}, e);
    expect(await find(id)).toEqual(stillExists);
    expect(lists()).toBe(2);
  });
});

describe("a module at whose path something else responds with 404", () => {
  test("is not set if its edge does not have it", async () => {
    const { emulator, kept, find } = await start();
    emulator.api("DELETE", `${all}/${kept}/ip_restriction`);
    emulator.fail({ ...foreign, path: restriction });
    expect(await find(kept, tcpEdgeIpRestriction)).toBe("deleted");
  });

  test("is not set if its edge was deleted", async () => {
    const { emulator, deleted, find } = await start();
    emulator.fail({ ...foreign, path: restriction });
    expect(await find(deleted, tcpEdgeIpRestriction)).toBe("deleted");
  });

  test("still exists if its edge has it", async () => {
    const { emulator, kept, find } = await start();
    emulator.fail({ ...foreign, path: restriction });
    expect(await find(kept, tcpEdgeIpRestriction)).toMatch(/\. The IP restriction of TCP edge still exists\.$/);
  });
});

describe("a module that no edge shows, and whose path responds with 404 without an error of the service", () => {
  const path = "/edges/https/{id}/tls_termination";
  const bare = { status: 404, body: { message: "none" }, times: forever };

  test("is not set if the path of an object that cannot exist responds alike", async () => {
    const { emulator, find } = await start();
    emulator.fail({ ...bare, path });
    emulator.fail({ ...bare, path: "/api_keys/{id}" });
    expect(await find("edghts_1", httpsEdgeTlsTermination)).toBe("deleted");
  });

  test("may be set if the list of keys responds alike, too: it is not the service that responds", async () => {
    const { emulator, find } = await start();
    for (const each of [path, "/api_keys/{id}", "/api_keys"]) emulator.fail({ ...bare, path: each });
    expect(await find("edghts_1", httpsEdgeTlsTermination)).toEqual(isUnknown("TLS termination of HTTPS edge"));
  });

  test("may be set if the path of an object that cannot exist responds differently", async () => {
    const { emulator, find } = await start();
    emulator.fail({ ...bare, path });
    expect(await find("edghts_1", httpsEdgeTlsTermination)).toEqual(isUnknown("TLS termination of HTTPS edge"));
  });
});

test.each<[string, ModuleDefinition, ReturnType<typeof edgeOf>]>([
  ["the IP restriction of a TCP edge", tcpEdgeIpRestriction, { definition: tcpEdge, module: "ipRestriction" }],
  ["the TLS termination of a TLS edge", tlsEdgeTlsTermination, { definition: tlsEdge, module: "tlsTermination" }],
  ["the TLS termination of an HTTPS edge, which is no resource", httpsEdgeTlsTermination, undefined],
])("the edge and its argument of %s", (_, definition, edge) => {
  expect(edgeOf(definition)).toEqual(edge);
});

describeBoth.each(samples)("$type", ({ type, parents, programs }) => {
  /** A resource, in a process that has not had a response from the service yet. */
  async function startSample() {
    const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
    const { emulator } = stack;
    const resource = stack.resource(type);
    await resource.up({ ...parents?.(emulator), ...programs("mine")[0] });
    const state = resource.state!;
    const definition = definitionOf({ type });
    const { path } = expand(routesOf(definition).delete, paramsOf(definition, state.id));
    stack.next();
    return { stack, emulator, resource, state, path };
  }

  test("stays if a wrong path responds with the service's own 404", async () => {
    const { stack, emulator, resource, state } = await startSample();
    resource.useProvider(stack.startProcess({ "tunnel-edge:baseUrl": `${emulator.url}/v2` }));
    const wrong =
      "The service does not have GET /api_keys at this address either. Check the path in tunnel-edge:baseUrl";
    await expect(resource.refresh()).rejects.toThrow(wrong);
    await expect(resource.delete()).rejects.toThrow(wrong);
    expect(resource.state).toEqual(state);
  });

  test("stays if something else responds with 404", async () => {
    const { emulator, resource, state, path } = await startSample();
    emulator.fail({ path, ...foreign });
    await expect(resource.refresh()).rejects.toThrow("Check tunnel-edge:baseUrl");
    await expect(resource.delete()).rejects.toThrow(
      "If the service no longer exists, remove the resource from the state with `pulumi state delete`.",
    );
    expect(resource.state).toEqual(state);
  });

  test("is gone if something else responds with 404, and the list, or the edge, does not have it", async () => {
    const { emulator, resource, path } = await startSample();
    emulator.api("DELETE", path);
    emulator.fail({ path, ...foreign });
    // The API cannot read HTTPS edges: there, the body must be as the service's for another missing object.
    if (path.startsWith("/edges/https/")) emulator.fail({ ...foreign, path: "/api_keys/ak_none" });
    expect(await resource.refresh()).toBe("gone");
  });
});

testBoth("an object that was deleted after a list was read counts as deleted", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  const { emulator } = stack;
  const [stays, goes] = [stack.resource("SshCredential", "stays"), stack.resource("SshCredential", "goes")];
  for (const resource of [stays, goes]) await resource.up({ publicKey: publicKey(resource.name) });
  stack.next();
  const [pathThatStays, pathThatGoes] = [stays, goes].map(({ state }) => `/ssh_credentials/${state!.id}`);
  // A gateway answers in place of the service.
  const missing = { status: 404, body: "", times: forever };
  emulator.fail({ path: pathThatStays!, ...missing });
  await expect(stays.delete()).rejects.toThrow("could not be deleted");
  emulator.fail({ method: "DELETE", path: pathThatGoes!, ...missing, processed: true });
  emulator.fail({ method: "GET", path: pathThatGoes!, ...missing });
  await goes.delete();
  expect(emulator.account.sshCredentials).toHaveLength(1);
});
