import { httpsEdgeRouteOidc } from "../../src/resources/httpsEdgeRouteOidc";
import { routes } from "./routes";
import { suite, updates } from "./suite";

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
const omit = (name: keyof typeof wire) => Object.fromEntries(Object.entries(wire).filter(([each]) => each !== name));

const stage = suite(httpsEdgeRouteOidc, {
  full,
  wire,
  parents: routes,
  everything: { add: put(wire), clear: put({}) },
  rows: {
    enabled: {
      other: true,
      add: put({ enabled: false }),
      change: put({ ...wire, enabled: true }),
      clear: put(omit("enabled")),
      theirs: true,
      againstDefault: false,
    },
    optionsPassthrough: {
      other: false,
      add: put({ options_passthrough: true }),
      change: put({ ...wire, options_passthrough: false }),
      clear: put(omit("options_passthrough")),
      theirs: false,
      againstDefault: true,
    },
    cookiePrefix: {
      other: "session.",
      add: put({ cookie_prefix: "login." }),
      change: put({ ...wire, cookie_prefix: "session." }),
      clear: put(omit("cookie_prefix")),
      theirs: "theirs.",
    },
    inactivityTimeout: {
      other: 0,
      add: put({ inactivity_timeout: 600 }),
      change: put({ ...wire, inactivity_timeout: 0 }),
      clear: put(omit("inactivity_timeout")),
      theirs: 60,
    },
    maximumDuration: {
      other: 3600,
      add: put({ maximum_duration: 4294967295 }),
      change: put({ ...wire, maximum_duration: 3600 }),
      clear: put(omit("maximum_duration")),
      theirs: 60,
    },
    issuer: {
      other: "https://login.example.com",
      add: put({ issuer: "https://accounts.example.com" }),
      change: put({ ...wire, issuer: "https://login.example.com" }),
      clear: put(omit("issuer")),
      theirs: "https://theirs.example.com",
      againstDefault: "https://theirs.example.com",
    },
    clientId: {
      other: "web",
      add: put({ client_id: "edge" }),
      change: put({ ...wire, client_id: "web" }),
      clear: put(omit("client_id")),
      theirs: "theirs",
      againstDefault: "theirs",
    },
    clientSecret: {
      other: "other-secret",
      add: put({ client_secret: "hush-hush" }),
      change: put({ ...wire, client_secret: "other-secret" }),
      clear: put(omit("client_secret")),
      theirs: "their-secret",
    },
    scopes: {
      other: ["openid"],
      add: put({ scopes: ["openid", "email"] }),
      change: put({ ...wire, scopes: ["openid"] }),
      clear: put(omit("scopes")),
      theirs: ["theirs"],
    },
  },
});

test("placeholder", () => expect(stage).toBeDefined());
