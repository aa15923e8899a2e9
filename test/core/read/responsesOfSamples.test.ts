/** Only a 404 with proof means deleted: every other response without the object is an error. */
import * as tunnel from "pulumi-tunnel-edge";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { objectSamples } from "../../support/data/samples";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";

async function start() {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  return { stack, emulator: stack.emulator };
}

const strange = {
  "no body": "",
  null: "null",
  "a list": "[]",
  "an empty object": "{}",
  "another object": '{"id":"x"}',
};
const failures = Object.entries(strange);

describe.each(objectSamples)("$type", ({ type, programs }) => {
  const [args] = programs("mine");
  test.each(failures)("a GET that returns 200 with %s is an error, and the state is unchanged", async (_, body) => {
    const { stack, emulator } = await start();
    const resource = stack.resource(type);
    await resource.up(args);
    const { state } = resource;
    emulator.fail({ method: "GET", path: new RegExp(`/${state!.id}$`), status: 200, body });
    await expect(resource.refresh()).rejects.toThrow(
      /could not be read: GET \S+ returned something other than .*_\w+\. Check tunnel-edge:baseUrl/,
    );
    expect(resource.state).toEqual(state);
    expect(await resource.refresh()).toBe("same");
  });
});

describe("a module", () => {
  const args = { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] };
  const startModule = async () => {
    const { emulator, stack } = await start();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    return { emulator, resource: stack.resource("TcpEdgeIpRestriction") };
  };

  test.each(failures)("is deleted, or an error, when a GET returns %s", async (kind, body) => {
    const { emulator, resource } = await startModule();
    await resource.up(args);
    const { state } = resource;
    emulator.fail({ method: "GET", status: 200, body });
    if (kind === "no body" || kind === "null") return void expect(await resource.refresh()).toBe("gone");
    await expect(resource.refresh()).rejects.toThrow(
      "GET /edges/tcp/edgtcp_1/ip_restriction returned something other than IP restriction of TCP edge edgtcp_1.",
    );
    expect(resource.state).toEqual(state);
  });

  test.each(failures)("is set and in the state when a PUT returns %s", async (kind, body) => {
    const { emulator, resource } = await startModule();
    emulator.fail({ method: "PUT", status: 200, body, processed: true });
    const done = resource.up(args);
    if (kind === "no body" || kind === "null") expect(await done).toBe("create");
    else await expect(done).rejects.toThrow("returned something other than IP restriction of TCP edge edgtcp_1.");
    expect(resource.outputs).toMatchObject(args);
    expect(await resource.up(args)).toBe(kind === "no body" || kind === "null" ? "same" : "update");
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
  });
});

test.each(failures)("a PATCH that returns %s does not change the rest of the state", async (kind, body) => {
  const { stack, emulator } = await start();
  const resource = stack.resource("TcpEdge");
  const args = { hostports: ["a.example.com:1"], description: "a" };
  await resource.up(args);
  emulator.fail({ method: "PATCH", status: 200, body, processed: true });
  const done = resource.up({ ...args, description: "b" });
  if (kind === "no body" || kind === "null") expect(await done).toBe("update");
  else await expect(done).rejects.toThrow(/PATCH \S+ returned something other than TCP edge edgtcp_\w+\. Check/);
  expect(resource.outputs).toMatchObject({ ...args, description: "b" });
});

describe("a gateway's 404", () => {
  const bodies = { "with its own message": { message: "no Route matched" }, "with no body": "" };
  const startAll = async () => {
    const { stack, emulator } = await start();
    const resources = objectSamples.map(({ type }) => stack.resource(type));
    for (const [index, { programs }] of objectSamples.entries()) await resources[index]!.up(programs("mine")[0]);
    // A process without any response from the service yet.
    stack.next();
    return { emulator, resources };
  };
  const failEverywhere = (emulator: Emulator, body: string | object) =>
    emulator.fail({ path: "/**", status: 404, body, times: Number.POSITIVE_INFINITY });

  test.each(Object.entries({ ...bodies, "with a page": "<html>not here</html>" }))(
    "%s, from a wrong address, deletes nothing from the state, and destroy names the fix",
    async (_, body) => {
      const { emulator, resources } = await startAll();
      failEverywhere(emulator, body);
      for (const resource of resources) {
        const { state } = resource;
        await expect(resource.refresh()).rejects.toThrow(
          "Something other than the service responds at this address. Check tunnel-edge:baseUrl",
        );
        await expect(resource.delete()).rejects.toThrow(
          "If the service no longer exists, remove the resource from the state with `pulumi state delete`.",
        );
        expect(resource.state).toEqual(state);
      }
    },
  );

  test("of a new object is not explained by a list from before its creation", async () => {
    const { stack, emulator } = await start();
    const failRead = (id: string) =>
      emulator.fail({
        method: "GET",
        path: `/edges/tcp/${id}`,
        status: 404,
        body: "",
        times: Number.POSITIVE_INFINITY,
      });
    const [old, recent] = [stack.resource("TcpEdge", "old"), stack.resource("TcpEdge", "recent")];
    await old.up({});
    emulator.api("DELETE", `/edges/tcp/${old.state!.id}`);
    failRead(old.state!.id);
    await old.refresh();
    expect(old.state).toBeUndefined();
    await recent.up({});
    failRead(recent.state!.id);
    await expect(recent.refresh()).rejects.toThrow("The TCP edge still exists.");
  });

  describe.each(Object.entries(bodies))("%s", (_, body) => {
    test("does not make a function say that the object does not exist", async () => {
      const { emulator } = await startAll();
      failEverywhere(emulator, body);
      const environment = { TUNNEL_EDGE_BASE_URL: emulator.url, TUNNEL_EDGE_API_KEY: emulator.apiKey };
      Object.assign(process.env, environment);
      try {
        await expect(tunnel.getTcpEdge({ id: "edgtcp_1" })).rejects.toThrow(
          /returned 404.*Something other than the service/,
        );
      } finally {
        for (const name of Object.keys(environment)) delete process.env[name];
      }
    });
  });
});

test("destroy names the fix when the service no longer responds", async () => {
  const { stack, emulator } = await start();
  const resource = stack.resource("TlsEdge");
  await resource.up({});
  await emulator.close();
  await expect(resource.destroy()).rejects.toThrow(
    /connection was refused\. .*If the service no longer exists, remove/,
  );
});
