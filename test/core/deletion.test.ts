/** What proves that an object or module was deleted, when it is read and when it is deleted. */
import type { Fault } from "pulumi-tunnel-edge/emulator";
import { expand } from "../../src/api/routes";
import { definitions } from "../../src/definitions";
import { paramsOf, routesOf } from "../../src/definitions/definition";
import { samples } from "../support/data/samples";
import { connectHost, shareHost } from "../support/engine/emulatorHost";

const forever = Number.POSITIVE_INFINITY;
const shared = shareHost();
const useless = "If the service no longer exists, remove the resource from the state with `pulumi state delete`.";

const pathOf = (type: string, id: string) => {
  const definition = definitions.find((each) => each.type === type)!;
  return expand(routesOf(definition).delete, paramsOf(definition, id)).path;
};

describe.each(samples)("$type", ({ type, parents, programs }) => {
  /** A resource, in a process that has not had a response from the service yet. */
  async function start(config: Record<string, string> = {}) {
    const { emulator, host } = shared();
    const resource = host.resource(type);
    await resource.up({ ...parents?.(emulator), ...programs("mine")[0] });
    const state = resource.state!;
    const path = pathOf(type, state.id);
    const run = await connectHost(emulator, { config: { "tunnel-edge:maxRetries": "0", ...config } });
    resource.useProvider(run);
    emulator.clearRequests();
    const remove = () => emulator.api("DELETE", path);
    return { emulator, resource, state, path, remove };
  }

  test("a 404 of the service at a wrong path proves nothing, neither in a refresh nor in a destroy", async () => {
    const { emulator } = shared();
    const { resource, state } = await start({ "tunnel-edge:baseUrl": `${emulator.url}/v2` });
    const wrong =
      "The service does not have GET /api_keys at this address either. Check the path in tunnel-edge:baseUrl";
    await expect(resource.refresh()).rejects.toThrow(wrong);
    await expect(resource.delete()).rejects.toThrow(wrong);
    expect(resource.state).toEqual(state);
  });

  test("a deletion whose outcome is not known says what to do if the resource is declared again", async () => {
    const { emulator, resource, path } = await start();
    emulator.fail({ method: "DELETE", path, resetAfter: true });
    emulator.fail({ method: "GET", resetBefore: true, times: forever });
    await expect(resource.delete()).rejects.toThrow(
      "It may have been deleted. If the program declares it again, run `pulumi refresh`, then `pulumi up`.",
    );
  });

  describe.each<[string, Fault["body"]]>([
    ["a gateway's message", { message: "no Route matched" }],
    ["no body", ""],
    ["a page", "<html>not here</html>"],
  ])("a 404 with %s", (_, body) => {
    test("is an error while the service still has it", async () => {
      const { emulator, resource, state, path } = await start();
      emulator.fail({ path, status: 404, body, times: forever });
      await expect(resource.refresh()).rejects.toThrow("Check tunnel-edge:baseUrl");
      await expect(resource.delete()).rejects.toThrow(useless);
      expect(resource.state).toEqual(state);
    });

    test("proves a deletion if the list, or the edge, comes from the service and does not have it", async () => {
      const { emulator, resource, path, remove } = await start();
      remove();
      emulator.fail({ path, status: 404, body, times: forever });
      const isOfHttpsEdge = path.startsWith("/edges/https/");
      // The API cannot read HTTPS edges: there, the body must be as the service's for another missing object.
      if (isOfHttpsEdge) emulator.fail({ path: "/api_keys/ak_none", status: 404, body, times: forever });
      expect(await resource.refresh()).toBe("gone");
    });
  });
});
