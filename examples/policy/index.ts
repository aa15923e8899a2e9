import { PolicyPack } from "@pulumi/policy";
import { protectedEdges } from "pulumi-tunnel-edge/policy";

new PolicyPack("edges", { policies: [protectedEdges] });
