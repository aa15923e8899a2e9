// A plugin whose resources do nothing: what Pulumi itself needs for a plugin in Node.
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

const json = { $ref: "pulumi.json#/Any" };
const properties = { hostports: json, backend: json, ipRestriction: json };
const schema = {
  name: "noop",
  version: "1.0.0",
  resources: { "noop:index:Edge": { inputProperties: properties, properties } },
};

/** A response with these fields. */
function create(Response, fields) {
  const response = new Response();
  for (const [name, value] of Object.entries(fields)) response[`set${name}`](value);
  return response;
}

const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
const text = (struct) => JSON.stringify(struct?.toJavaScript());
let created = 0;

const service = {
  getPluginInfo: () => create(PluginInfo, { Version: "1.0.0" }),
  getSchema: () => create(messages.GetSchemaResponse, { Schema: JSON.stringify(schema) }),
  checkConfig: (request) => create(messages.CheckResponse, { Inputs: request.getNews() }),
  diffConfig: () => create(messages.DiffResponse, { Changes: DIFF_NONE }),
  configure: () => create(messages.ConfigureResponse, { Supportspreview: true }),
  check: (request) => create(messages.CheckResponse, { Inputs: request.getNews() }),
  diff: (request) =>
    create(messages.DiffResponse, {
      Changes: text(request.getOldInputs()) === text(request.getNews()) ? DIFF_NONE : DIFF_SOME,
    }),
  create: (request) =>
    create(messages.CreateResponse, { Id: `id-${process.pid}-${++created}`, Properties: request.getProperties() }),
  read: (request) =>
    create(messages.ReadResponse, {
      Id: request.getId(),
      Properties: request.getProperties(),
      Inputs: request.getInputs(),
    }),
  update: (request) => create(messages.UpdateResponse, { Properties: request.getNews() }),
  delete: () => new Empty(),
  cancel: () => new Empty(),
};

const toHandler = (handle) => (call, respond) => respond(null, handle(call.request));
const server = new Server();
server.addService(
  ResourceProviderService,
  Object.fromEntries(Object.entries(service).map(([name, handle]) => [name, toHandler(handle)])),
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => process.stdout.write(`${port}\n`));
// With it the engine ends a plugin; one that stays is killed after five seconds.
process.on("SIGINT", () => process.exit());
