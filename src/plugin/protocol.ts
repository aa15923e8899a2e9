/** The provider protocol: what each request asks of the provider, and the response. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Options, titleOf } from "../core/options";
import type { Diff } from "../core/plan/diff";
import { type Marked, markNames, uniteMarks } from "../core/secrets";
import { changedSettings, findConfigProblems, secretSettings } from "./config";
import { invoke, list } from "./functions";
import type { PluginProvider } from "./pluginProvider";
import { decode, encode } from "./properties";
import type { Saved } from "./resource";
import { parseUrn } from "./urn";

const { version } = require("../../package.json") as { version: string };

const { DiffChanges } = messages.DiffResponse;
const { Kind } = messages.PropertyDiff;

/**
 * The methods of the protocol, by name. Those that are missing are answered as not implemented. Properties are read with
 * `decode` and written with `encode` only: to its own methods, such as `toJavaScript`, a Struct is empty here.
 */
export const createService = (provider: PluginProvider) => ({
  async getPluginInfo() {
    const response = new PluginInfo();
    response.setVersion(version);
    return response;
  },

  async attach(request: { getAddress(): string }) {
    provider.attach(request.getAddress());
    return new Empty();
  },

  /** The engine sends secret marks, and stores the marks of responses. It adds none itself. */
  async handshake() {
    const response = new messages.ProviderHandshakeResponse();
    response.setAcceptSecrets(true);
    response.setAcceptOutputs(false);
    response.setAcceptResources(false);
    return response;
  },

  async getSchema() {
    const response = new messages.GetSchemaResponse();
    // It is generated from the definitions into a file beside the plugin.
    response.setSchema(await readFile(path.join(__dirname, "schema.json"), "utf8"));
    return response;
  },

  /** The inputs are returned as they are, because settings from the environment must not get into the state. */
  async checkConfig(request: messages.CheckRequest) {
    const { values, marks } = decode(request.getNews());
    const inputs = { values, marks: uniteMarks(marks, markNames(secretSettings)) };
    return checkResponse(inputs, findConfigProblems(request.getUrn(), values));
  },

  /** Another account or address does not replace what the provider manages. */
  async diffConfig(request: messages.DiffRequest) {
    const changed = changedSettings(decode(request.getOlds()).values, decode(request.getNews()).values);
    const response = new messages.DiffResponse();
    response.setChanges(changed.length > 0 ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE);
    response.setDiffsList(changed);
    return response;
  },

  async configure(request: messages.ConfigureRequest) {
    provider.configure(request.getUrn() ?? "", decode(request.getArgs()).values);
    const response = new messages.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setAcceptoutputs(false);
    response.setAcceptresources(false);
    response.setSupportspreview(true);
    return response;
  },

  async invoke(request: messages.InvokeRequest) {
    const result = await invoke(request.getTok(), decode(request.getArgs()), () => provider.connect());
    const response = new messages.InvokeResponse();
    response.setReturn(encode(result));
    return response;
  },

  /** Never a continuation: without `--all`, the CLI would stop there, and not say so. */
  async *list(request: messages.ListRequest) {
    const filters = decode(request.getQuery()).values;
    for await (const { id, name } of list(request.getToken(), filters, request.getLimit(), () => provider.connect())) {
      const result = new messages.ListResponse.Result();
      result.setId(id);
      result.setName(name);
      const response = new messages.ListResponse();
      response.setResult(result);
      yield response;
    }
  },

  check(request: messages.CheckRequest) {
    const [olds, news] = [decode(request.getOlds()), decode(request.getNews())];
    return provider.operate(request.getUrn(), [olds, news], async (resource) => {
      const { inputs, problems } = await resource.check(olds, news, optionsOf(request));
      return checkResponse(inputs, problems);
    });
  },

  diff(request: messages.DiffRequest) {
    const [old, news] = [savedIn(request), decode(request.getNews())];
    return provider.operate(request.getUrn(), [old.outputs, old.inputs, news], async (resource) =>
      diffResponse(await resource.diff(old, news, optionsOf(request))),
    );
  },

  create(request: messages.CreateRequest) {
    const inputs = decode(request.getProperties());
    return provider.operateOnRow(request.getUrn(), [inputs], async (resource) => {
      const { id, outputs } = request.getPreview()
        ? { id: "", outputs: resource.preview(undefined, inputs, optionsOf(request)) }
        : await resource.create(inputs, optionsOf(request));
      const response = new messages.CreateResponse();
      response.setId(id);
      response.setProperties(encode(outputs));
      return response;
    });
  },

  read(request: messages.ReadRequest) {
    const [id, outputs, inputs] = [request.getId(), decode(request.getProperties()), decode(request.getInputs())];
    // The engine sends no inputs for an import, and empty ones to read an object that no program manages.
    const isImport = !request.hasInputs();
    // A refresh reads many objects with one request, which has no row of its own.
    return provider[isImport ? "operateOnRow" : "operate"](request.getUrn(), [outputs, inputs], async (resource) => {
      const found = await (isImport
        ? resource.import(id, optionsOf(request))
        : resource.read({ id, outputs, inputs }, optionsOf(request)));
      const response = new messages.ReadResponse();
      if (!found) return response;
      response.setId(found.id);
      response.setProperties(encode(found.outputs));
      response.setInputs(encode(found.inputs));
      return response;
    });
  },

  update(request: messages.UpdateRequest) {
    const [old, news] = [savedIn(request), decode(request.getNews())];
    return provider.operateOnRow(request.getUrn(), [old.outputs, old.inputs, news], async (resource) => {
      const outputs = request.getPreview()
        ? resource.preview(old, news, optionsOf(request))
        : await resource.update(old, news, optionsOf(request));
      const response = new messages.UpdateResponse();
      response.setProperties(encode(outputs));
      return response;
    });
  },

  delete(request: messages.DeleteRequest) {
    const [outputs, inputs] = [decode(request.getProperties()), decode(request.getOldInputs())];
    return provider.operateOnRow(request.getUrn(), [outputs, inputs], async (resource) => {
      await resource.delete({ id: request.getId(), outputs, inputs }, optionsOf(request));
      return new Empty();
    });
  },

  /** The engine also calls this when a deployment ends normally. */
  async cancel() {
    provider.cancel();
    return new Empty();
  },
});

type ResourceRequest = { getUrn(): string } & Partial<
  Pick<messages.UpdateRequest, "getTimeout" | "getIgnorechangesList">
>;

function optionsOf(request: ResourceRequest): Options {
  const key = request.getUrn();
  const { type, name } = parseUrn(key);
  // 0 is no timeout.
  const timeout = `${request.getTimeout?.() ?? 0}s`;
  return {
    key,
    resource: titleOf(type, name),
    // The protocol's CheckRequest has none, so a check takes an ignored argument's old value for declared.
    ignoreChanges: request.getIgnorechangesList?.() ?? [],
    // The engine applies them to the diff.
    replaceOnChanges: [],
    timeouts: { create: timeout, read: timeout, update: timeout, delete: timeout },
  };
}

const savedIn = (request: messages.DiffRequest | messages.UpdateRequest): Saved => ({
  id: request.getId(),
  outputs: decode(request.getOlds()),
  inputs: decode(request.getOldInputs()),
});

/** A failure names no property: the engine would print its value, secret or not. The reason names it. */
function checkResponse(inputs: Marked, problems: string[]) {
  const response = new messages.CheckResponse();
  response.setInputs(encode(inputs));
  for (const problem of problems) {
    const failure = new messages.CheckFailure();
    failure.setReason(problem);
    response.addFailures(failure);
  }
  return response;
}

const kinds = { add: Kind.ADD, update: Kind.UPDATE, delete: Kind.DELETE };
const replacingKinds = { add: Kind.ADD_REPLACE, update: Kind.UPDATE_REPLACE, delete: Kind.DELETE_REPLACE };

/**
 * Both the changed names and the detailed diff, because the engine applies replaceOnChanges to them. If only the record
 * changes, both are empty: the engine then updates the resource, shows no property, and replaces nothing.
 */
function diffResponse({ changes, replaces, hasChanges, deleteBeforeReplace }: Diff & { hasChanges: boolean }) {
  const response = new messages.DiffResponse();
  response.setChanges(hasChanges ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE);
  response.setReplacesList(replaces);
  response.setDeletebeforereplace(deleteBeforeReplace);
  response.setDiffsList([...new Set(changes.map(({ path }) => path[0]!))]);
  response.setHasdetaileddiff(hasChanges);
  for (const { path, action, replaces: isReplaced } of changes) {
    const change = new messages.PropertyDiff();
    change.setKind((isReplaced ? replacingKinds : kinds)[action]);
    response.getDetaileddiffMap().set(path.join("."), change);
  }
  return response;
}
