import { join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { readFiles } from "./files";

type Declared = pulumi.Resource & { hostports?: pulumi.Output<string[]> };
type ResourceClass = new (name: string, args: object, opts: pulumi.CustomResourceOptions) => Declared;
const classes = tunnel as unknown as Record<string, ResourceClass>;

const addresses: Record<string, pulumi.Output<string[]>> = {};
for (const { name, type, args, options } of readFiles(join(__dirname, "edges"))) {
  const { hostports } = new classes[type]!(name, args, options);
  if (hostports) addresses[name] = hostports;
}

export { addresses };
