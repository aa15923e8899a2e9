import { httpsEdgeRouteOidc } from "../../src/definitions/httpsEdgeRouteOidc";
import { enabled, type ModuleTable } from "../support/data/modules";
import { expected } from "../support/engine/differences";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { routes } from "./parents";
import { moduleTable, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/https/{edge_id}/routes/{id}/oidc", body]);

const full = {
  enabled: false,
  optionsPassthrough: true,
  cookiePrefix: "login.",
  inactivityTimeout: 600,
  maximumDuration: 4294967295,
  issuer: "https://accounts.example.com",
  clientId: "edge",
  clientSecret: "hush-hush",
  scopes: ["openid", "email"],
};
const wire = {
  enabled: false,
  options_passthrough: true,
  cookie_prefix: "login.",
  inactivity_timeout: 600,
  maximum_duration: 4294967295,
  issuer: "https://accounts.example.com",
  client_id: "edge",
  client_secret: "hush-hush",
  scopes: ["openid", "email"],
};

const oidc: ModuleTable = {
  full,
  wire,
  rows: {
    enabled,
    optionsPassthrough: { other: false, outsideValue: false, nonDefault: true },
    cookiePrefix: { other: "session.", outsideValue: "theirs." },
    inactivityTimeout: { other: 0, outsideValue: 60 },
    maximumDuration: { other: 3600, outsideValue: 60 },
    issuer: {
      other: "https://login.example.com",
      outsideValue: "https://theirs.example.com",
      nonDefault: "https://theirs.example.com",
    },
    clientId: { other: "web", outsideValue: "theirs", nonDefault: "theirs" },
    clientSecret: { other: "other-secret", outsideValue: "their-secret" },
    scopes: { other: ["openid"], outsideValue: ["theirs"] },
  },
};

const fixture = suite(httpsEdgeRouteOidc, moduleTable(oidc, put, routes));

test("a secret that the service returns empty is no drift", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const oidc = stack.resource("HttpsEdgeRouteOidc");
  const args = { ...routes(emulator).here, ...full };
  await oidc.up(args);
  emulator.fail({ method: "GET", path: "/edges/https/**", status: 200, body: { ...wire, client_secret: "" } });
  expect(await oidc.refresh()).toBe("same");
  expect(await oidc.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
});

for (const oidcSecrets of ["masked", "absent"] as const) {
  describe(`a service that returns the secret ${oidcSecrets}`, () => {
    let stack: Stack;
    let args: Record<string, unknown>;
    beforeEach(async () => {
      stack = await Stack.start({ oidcSecrets, config: { "tunnel-edge:maxRetries": "0" } });
      args = { ...routes(stack.emulator).here, ...full };
    });
    const fetchOidc = () => stack.emulator.account.httpsEdges[0]!.routes[0]!.oidc!.client_secret;

    test("causes no drift, and the declared secret is kept in the state", async () => {
      const oidc = stack.resource("HttpsEdgeRouteOidc");
      await oidc.up(args);
      expect(oidc.outputs.clientSecret).toBe("hush-hush");
      expect(await oidc.refresh()).toBe("same");
      expect(await oidc.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
      expect(await oidc.up({ ...args, clientId: "web" })).toBe("update");
      expect(oidc.outputs.clientSecret).toBe("hush-hush");
    });

    test("is sent a secret that is changed, removed and added", async () => {
      const { clientSecret: _, ...open } = args;
      const oidc = stack.resource("HttpsEdgeRouteOidc");
      await oidc.up(args);
      for (const clientSecret of ["other-secret", "aaaa", "bbbb"]) {
        expect(await oidc.up({ ...args, clientSecret })).toBe("update");
        expect(fetchOidc()).toBe(clientSecret);
      }
      expect(await oidc.up(open)).toBe("update");
      expect(fetchOidc()).toBe("");
      expect(await oidc.refresh()).toBe("same");
      expect(await oidc.up(args)).toBe("update");
      expect(fetchOidc()).toBe("hush-hush");
      expect(await oidc.refresh()).toBe("same");
    });

    test("is sent a secret again if it is not known whether it arrived", async () => {
      const { emulator } = stack;
      const oidc = stack.resource("HttpsEdgeRouteOidc");
      const path = `/edges/https/${args.edgeId}/routes/${args.routeId}/oidc`;
      emulator.api("PUT", path, { ...wire, client_secret: "their-secret" });
      emulator.fail({ method: "PUT", resetBefore: true });
      await expect(oidc.up(args)).rejects.toThrow(" failed: ");
      expect(await oidc.up(args)).toBe("update");
      expect(fetchOidc()).toBe("hush-hush");
      emulator.fail({ method: "PUT", resetBefore: true });
      await expect(oidc.up({ ...args, clientSecret: "other-secret" })).rejects.toThrow(" failed: ");
      expect(await oidc.up({ ...args, clientSecret: "other-secret" })).toBe("update");
      expect(fetchOidc()).toBe("other-secret");
    });

    test("still shows what else was changed outside of Pulumi", async () => {
      const oidc = stack.resource("HttpsEdgeRouteOidc");
      await oidc.up(args);
      const path = `/edges/https/${oidc.state!.id.replace("/", "/routes/")}/oidc`;
      stack.emulator.api("PUT", path, { ...wire, client_id: "theirs" });
      expect(await oidc.refresh()).toBe("changed");
      expect(await oidc.preview(args)).toEqual({ step: "update", replaces: [], changed: ["clientId"] });
    });

    test("can be imported from", async () => {
      const id = `${args.edgeId}/${args.routeId}`;
      stack.emulator.api("PUT", `/edges/https/${id.replace("/", "/routes/")}/oidc`, wire);
      const oidc = stack.resource("HttpsEdgeRouteOidc");
      expect(await oidc.up(args, { import: id })).toBe(expected("importStep"));
      expect(oidc.outputs.clientSecret).toBe("hush-hush");
      expect(await oidc.up(args)).toBe("same");
    });
  });
}

test("timeouts are 32-bit integers", async () => {
  for (const name of ["inactivityTimeout", "maximumDuration"]) {
    for (const value of [-1, 0.5, 4294967296]) {
      const message = await errorOf(fixture.resource().preview({ ...fixture.full, [name]: value }));
      expect(message).toBe(`${name} must be a whole number from 0 to 4294967295, not ${value}`);
    }
  }
});

test("the issuer is a URL", async () => {
  const message = await errorOf(fixture.resource().preview({ ...fixture.full, issuer: "accounts.example.com" }));
  expect(message).toBe('issuer must be a URL such as "https://accounts.example.com"');
});
