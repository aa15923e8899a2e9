/** Only the service's own 404 means deleted: every other response without the object is an error. */
import * as tunnel from "pulumi-tunnel-edge";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { emulated, hostFor, sharing } from "../support/emulated";

const shared = sharing({}, { config: { "tunnel-edge:maxRetries": "0" } });

const strange = {
  "no body": "",
  null: "null",
  "a list": "[]",
  "an empty object": "{}",
  "another object": '{"id":"x"}',
};
const failures = Object.entries(strange);

const resources = {
  ApiKey: {},
  SshCredential: { publicKey: "ssh-ed25519 AAAA1" },
  TcpEdge: { hostports: ["a.example.com:1"] },
  TlsEdge: { hostports: ["a.example.com:1"] },
};

describe.each(Object.entries(resources))("%s", (type, args) => {
  test.each(failures)("a GET that returns 200 with %s is an error, and the state stays as it is", async (_, body) => {
    const { emulator, host } = shared();
    const life = host.resource(type);
    await life.up(args);
    const { state } = life;
    emulator.fail({ method: "GET", path: new RegExp(`/${state!.id}$`), status: 200, body });
    await expect(life.refresh()).rejects.toThrow(/could not be read: GET \S+ returned something other than .*_\w+\.$/);
    expect(life.state).toEqual(state);
    expect(await life.refresh()).toBe("same");
  });
});

describe("a module", () => {
  const args = { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] };
  const begin = async () => {
    const { emulator, host } = shared();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    const life = host.resource("TcpEdgeIpRestriction");
    return { emulator, life };
  };

  test.each(failures)("that a GET returns as %s", async (kind, body) => {
    const { emulator, life } = await begin();
    await life.up(args);
    const { state } = life;
    emulator.fail({ method: "GET", status: 200, body });
    if (kind === "no body" || kind === "null") return void expect(await life.refresh()).toBe("gone");
    await expect(life.refresh()).rejects.toThrow(
      "GET /edges/tcp/edgtcp_1/ip_restriction returned something other than IP restriction of TCP edge edgtcp_1.",
    );
    expect(life.state).toEqual(state);
  });

  test.each(failures)("that a PUT returns as %s is in the state, and set", async (kind, body) => {
    const { emulator, life } = await begin();
    emulator.fail({ method: "PUT", status: 200, body, processed: true });
    const done = life.up(args);
    if (kind === "no body" || kind === "null") expect(await done).toBe("create");
    else await expect(done).rejects.toThrow("returned something other than IP restriction of TCP edge edgtcp_1.");
    expect(life.outputs).toMatchObject(args);
    expect(await life.up(args)).toBe(kind === "no body" || kind === "null" ? "same" : "update");
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
  });
});

test.each(failures)("a PATCH that returns %s loses nothing of the state", async (kind, body) => {
  const { emulator, host } = shared();
  const life = host.resource("TcpEdge");
  const args = { hostports: ["a.example.com:1"], description: "a" };
  await life.up(args);
  emulator.fail({ method: "PATCH", status: 200, body, processed: true });
  const done = life.up({ ...args, description: "b" });
  if (kind === "no body" || kind === "null") expect(await done).toBe("update");
  else await expect(done).rejects.toThrow(/PATCH \S+ returned something other than TCP edge edgtcp_\w+\.$/);
  expect(life.outputs).toMatchObject({ ...args, description: "b" });
});

describe("a 404 of a gateway", () => {
  const bodies = { "with words of its own": { message: "no Route matched" }, "with no body": "" };
  const begin = async () => {
    const { emulator, host } = await emulated({}, { config: { "tunnel-edge:maxRetries": "0" } });
    const lives = Object.entries(resources).map(([type, args]) => ({ life: host.resource(type), args }));
    for (const [index, { life, args }] of lives.entries()) {
      await life.up("hostports" in args ? { hostports: [`a.example.com:${index + 1}`] } : args);
    }
    // A process that has had no response from the service yet.
    return { emulator, lives: lives.map(({ life }) => life), run: await hostFor(emulator) };
  };
  const everywhere = (emulator: Emulator, body: string | object) =>
    emulator.fail({ path: "/**", status: 404, body, times: Number.POSITIVE_INFINITY });

  describe.each(Object.entries(bodies))("%s", (_, body) => {
    test("at a wrong address deletes nothing from the state, and destroy names the fix", async () => {
      const { emulator, lives, run } = await begin();
      everywhere(emulator, body);
      for (const life of lives) {
        const { state } = life.on(run);
        await expect(life.refresh()).rejects.toThrow(
          "Something other than the service responds at this address. Check tunnel-edge:baseUrl",
        );
        await expect(life.remove()).rejects.toThrow(
          "If the service no longer exists, remove the resource from the state with `pulumi state delete`.",
        );
        expect(life.state).toEqual(state);
      }
    });

    test("counts as the service's where its list of keys shows that it is there", async () => {
      const { emulator, lives, run } = await begin();
      for (const life of lives) {
        emulator.fail({ path: `/**/${life.state!.id}`, status: 404, body });
        expect(await life.on(run).refresh()).toBe("gone");
      }
      // Once per process.
      expect(emulator.calls().filter((call) => call === "GET /api_keys")).toHaveLength(1);
    });

    test("counts as the service's where it rejects the list of keys in its own words", async () => {
      const { emulator, lives, run } = await begin();
      emulator.fail({ path: "/api_keys", status: 403, times: Number.POSITIVE_INFINITY });
      emulator.fail({ path: "/edges/**", status: 404, body });
      expect(await lives[2]!.on(run).refresh()).toBe("gone");
    });

    test("does not make a function say that there is no such object", async () => {
      const { emulator } = await begin();
      everywhere(emulator, body);
      const environment = { TUNNEL_EDGE_BASE_URL: emulator.url, TUNNEL_EDGE_API_KEY: emulator.apiKey };
      Object.assign(process.env, environment);
      try {
        await expect(tunnel.getTcpEdge({ id: "edgtcp_1" })).rejects.toThrow(
          /answered 404.*Something other than the service/,
        );
      } finally {
        for (const name of Object.keys(environment)) delete process.env[name];
      }
    });
  });
});

test("destroy names the fix when nobody responds any more", async () => {
  const { emulator, host } = await emulated({}, { config: { "tunnel-edge:maxRetries": "0" } });
  const life = host.resource("TlsEdge");
  await life.up({});
  await emulator.close();
  await expect(life.destroy()).rejects.toThrow(/connection was refused\. .*If the service no longer exists, remove/);
});
