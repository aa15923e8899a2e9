/** A program to be tested with mocks. */
import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";

const config = new pulumi.Config();
const office = ["ipp_office"];

const production = new tunnel.Provider("production", { apiKey: config.requireSecret("productionKey") });
const opts = { provider: production };

const deploy = new tunnel.ApiKey("deploy", { description: "deployments", keepers: { quarter: "2027-Q1" } }, opts);

new tunnel.SshCredential(
  "builders",
  { publicKey: config.require("buildersKey"), acl: ["bind:*.builds.example.com"] },
  opts,
);

const ssh = new tunnel.TcpEdge(
  "ssh",
  { hostports: ["1.tcp.example.com:20022"], backend: { backendId: "bkdhr_builders" } },
  opts,
);
new tunnel.TcpEdgeIpRestriction("ssh-from-the-office", { edgeId: ssh.id, ipPolicyIds: office }, opts);

const api = new tunnel.TlsEdge(
  "api",
  {
    hostports: ["api.example.com:443"],
    backend: { backendId: "bkdhr_api" },
    ipRestriction: { ipPolicyIds: office },
  },
  opts,
);
new tunnel.TlsEdgeTlsTermination("api-tls", { edgeId: api.id, terminateAt: "edge", minVersion: "1.3" }, opts);

// The web site's edge and route are created elsewhere. This program protects them.
const route = { edgeId: config.require("webEdge"), routeId: config.require("webRoute") };

new tunnel.HttpsEdgeTlsTermination("web-tls", { edgeId: route.edgeId, minVersion: "1.2" }, opts);
new tunnel.HttpsEdgeRouteOidc(
  "web-login",
  {
    ...route,
    issuer: "https://login.example.com",
    clientId: "web",
    clientSecret: config.requireSecret("oidcSecret"),
  },
  opts,
);
new tunnel.HttpsEdgeRouteRequestHeaders("web-headers", { ...route, remove: ["Cookie"] }, opts);
new tunnel.HttpsEdgeRouteUserAgentFilter("web-no-bots", { ...route, deny: ["(?i)bot"] }, opts);

// A new version of the agents' configuration takes effect when they restart.
new tunnel.TunnelSessionCommand(
  "restart-builder",
  { sessionId: config.require("builderSession"), commands: ["restart"], triggers: ["configuration 7"] },
  opts,
);

export const deployToken = deploy.token;
export const apiAddress = api.hostports[0];
