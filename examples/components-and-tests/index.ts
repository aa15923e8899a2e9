import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { openEdges } from "./audit";
import { PrivateService } from "./privateService";

const config = new pulumi.Config();

// In the stack's own account. It was once called "shell": the alias lets Pulumi find the component and both of its
// children again, where it would make new ones. In production nothing of it can be deleted.
const ssh = new PrivateService(
  "ssh",
  {
    description: "SSH to the build machines",
    hostport: "1.tcp.tunnel.example:20022",
    backendId: "bkdhr_builders",
    ipPolicyIds: ["ipp_office"],
  },
  { aliases: [{ name: "shell" }], protect: pulumi.getStack() === "production" },
);

// In a partner's account: the component's children use the provider that the component was given.
const partner = new tunnel.Provider("partner", { apiKey: config.requireSecret("partnerKey") });
const database = new PrivateService(
  "database",
  {
    description: "The orders database",
    hostport: "1.tcp.tunnel.example:25432",
    backendId: "bkdhr_database",
    ipPolicyIds: ["ipp_warehouse"],
  },
  { provider: partner },
);

export const sshEdge = ssh.edgeId;
export const databaseEdge = database.edgeId;

// Asked of the account before anything is changed, so that it tells of what is there already.
export const open = openEdges();
