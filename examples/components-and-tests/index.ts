import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { openEdges } from "./audit";
import { PrivateService } from "./privateService";

const config = new pulumi.Config();

// In the stack's own account. It was once named "shell". Because of the alias, Pulumi keeps the component and its
// children instead of replacing them. In production they are protected against deletion.
const ssh = new PrivateService(
  "ssh",
  {
    description: "SSH to the build machines",
    hostport: "1.tcp.tunnel.example:20022",
    backendId: "bkdtg_builders",
    ipPolicyIds: ["ipp_office"],
  },
  { aliases: [{ name: "shell" }], protect: pulumi.getStack() === "production" },
);

// In a partner's account: the component's children use the component's provider.
const partner = new tunnel.Provider("partner", { apiKey: config.requireSecret("partnerKey") });
const database = new PrivateService(
  "database",
  {
    description: "The orders database",
    hostport: "1.tcp.tunnel.example:25432",
    backendId: "bkdtg_database",
    ipPolicyIds: ["ipp_warehouse"],
  },
  { provider: partner },
);

export const sshEdge = ssh.edgeId;
export const databaseEdge = database.edgeId;

// The open edges that exist before this deployment changes anything.
export const open = openEdges();
