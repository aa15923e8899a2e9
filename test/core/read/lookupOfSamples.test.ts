/** What proves that an object or module was deleted, when it is read and when it is deleted. */
import type { Fault } from "pulumi-tunnel-edge/emulator";
import { expand } from "../../../src/api/routes";
import { Clock } from "../../../src/base/clock";
import { readSettings } from "../../../src/base/settings";
import { Deployment } from "../../../src/core/deployment/deployment";
import { definitions } from "../../../src/definitions";
import { paramsOf, routesOf } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { samples } from "../../support/data/samples";
import { startService } from "../../support/emulators";
import { Stack } from "../../support/engine/stack";
import { describe as describeBoth } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const forever = Number.POSITIVE_INFINITY;
const useless = "If the service no longer exists, remove the resource from the state with `pulumi state delete`.";

const pathOf = (type: string, id: string) => {
  const definition = definitions.find((each) => each.type === type)!;
  return expand(routesOf(definition).delete, paramsOf(definition, id)).path;
};

describeBoth.each(samples)("$type", ({ type, parents, programs }) => {
  /** A resource, in a process that has not had a response from the service yet. */
  async function start() {
    const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
    const { emulator } = stack;
    const resource = stack.resource(type);
    await resource.up({ ...parents?.(emulator), ...programs("mine")[0] });
    const state = resource.state!;
    const path = pathOf(type, state.id);
    stack.next();
    return { stack, emulator, resource, state, path };
  }

  test("a 404 of the service at a wrong path proves nothing, neither in a refresh nor in a destroy", async () => {
    const { stack, emulator, resource, state } = await start();
    resource.useProvider(stack.startProcess({ "tunnel-edge:baseUrl": `${emulator.url}/v2` }));
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
      const { emulator, resource, path } = await start();
      emulator.api("DELETE", path);
      emulator.fail({ path, status: 404, body, times: forever });
      const isOfHttpsEdge = path.startsWith("/edges/https/");
      // The API cannot read HTTPS edges: there, the body must be as the service's for another missing object.
      if (isOfHttpsEdge) emulator.fail({ path: "/api_keys/ak_none", status: 404, body, times: forever });
      expect(await resource.refresh()).toBe("gone");
    });
  });
});

describe("what else is asked, and how often", () => {
  /** Two edges, of which only the first still exists, and what reads them. */
  async function start(prefix = "") {
    const emulator = await startService();
    const [stays, goes] = ["stays", "goes"].map(
      (description) => emulator.api<{ id: string }>("POST", "/edges/tcp", { description }).id,
    ) as [string, string];
    emulator.api("DELETE", `/edges/tcp/${goes}`);
    const config = {
      "tunnel-edge:baseUrl": `${emulator.url}${prefix}`,
      "tunnel-edge:apiKey": emulator.apiKey,
      "tunnel-edge:maxRetries": "0",
    };
    const log = { debug: () => undefined, status: () => undefined, info: async () => {}, warn: async () => {} };
    const deployment = new Deployment(readSettings(config, {}).settings, [], log, new Clock());
    const find = (id: string) => deployment.lookup.find(tcpEdge, id);
    /** A gateway responds to reads of single edges. */
    const hideEdges = () => {
      for (const id of [stays, goes])
        emulator.fail({ path: `/edges/tcp/${id}`, status: 404, body: "", times: forever });
    };
    emulator.clearRequests();
    return { emulator, deployment, stays, goes, find, hideEdges };
  }

  test.each([403, 409])("a %i is not explained by anything else", async (status) => {
    const { emulator, goes, find } = await start();
    emulator.fail({ path: `/edges/tcp/${goes}`, status, body: "" });
    await expect(find(goes)).rejects.toThrow(`GET /edges/tcp/${goes} returned ${status}.`);
    expect(emulator.calls()).toEqual(["GET /edges/tcp/{id}"]);
  });

  test("nor is a 404 of the service itself", async () => {
    const { goes, find } = await start("/v2");
    expect(await errorOf(find(goes))).toMatch(/Check the path in tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL\.$/);
  });

  test("if the list cannot be read, nothing is known", async () => {
    const { emulator, goes, find, hideEdges } = await start();
    hideEdges();
    emulator.fail({ path: "/edges/tcp", status: 403 });
    expect(await errorOf(find(goes))).toMatch(/ It is not known whether the TCP edge was deleted\.$/);
    expect(await find(goes)).toBeUndefined();
  });

  test("one list serves all edges, until a call may have changed what it says of one", async () => {
    const { emulator, deployment, stays, goes, find, hideEdges } = await start();
    hideEdges();
    const lists = async () => {
      emulator.clearRequests();
      expect(await errorOf(find(stays))).toMatch(/ The TCP edge still exists\.$/);
      const forTheFirst = emulator.calls().filter((call) => call === "GET /edges/tcp").length;
      expect(await find(goes)).toBeUndefined();
      return [forTheFirst, emulator.calls().filter((call) => call === "GET /edges/tcp").length - forTheFirst];
    };
    const expects = { findProblem: () => undefined };
    expect(await lists()).toEqual([1, 0]);
    expect(await lists()).toEqual([0, 0]);
    await deployment.client.call("POST /edges/tcp", { body: {}, expects });
    expect(await find(goes)).toBeUndefined();
    expect(emulator.calls().filter((each) => each === "GET /edges/tcp")).toHaveLength(1);
    // A deletion does not bring an edge back.
    const [created] = emulator.account.tcpEdges.filter(({ id }) => id !== stays);
    await deployment.client.call("DELETE /edges/tcp/{id}", { params: { id: created!.id }, expects });
    emulator.clearRequests();
    expect(await find(goes)).toBeUndefined();
    expect(emulator.calls()).toEqual(["GET /edges/tcp/{id}"]);
    expect(await lists()).toEqual([1, 0]);
  });

  test("a module was deleted with its edge", async () => {
    const { emulator, deployment, goes } = await start();
    emulator.fail({ path: `/edges/tcp/${goes}/ip_restriction`, status: 404, body: "" });
    expect(await deployment.lookup.find(tcpEdgeIpRestriction, goes)).toBeUndefined();
  });
});
