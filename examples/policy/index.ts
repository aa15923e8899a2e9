import { PolicyPack } from "@pulumi/policy";
import { protectedEdges } from "./protectedEdges";

new PolicyPack("edges", { policies: [protectedEdges] });
