import * as pulumi from "@pulumi/pulumi";
import { openEdges, outdatedAgents } from "./audit";

export { apiAddress, deployToken } from "./edges";

export const open = openEdges();
export const outdated = outdatedAgents(new pulumi.Config().require("agentVersion"));
