/** What a class registers, from the arguments and options of the program. */
import type * as pulumi from "@pulumi/pulumi";
import { apiKey } from "../../src/definitions/apiKey";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { type ProgramResource, toRegistration } from "../../src/dynamic/program/registration";

const edge = (more: Partial<ProgramResource> = {}): ProgramResource => ({
  definition: tcpEdge,
  name: "ssh",
  isRead: false,
  isPreview: false,
  parents: undefined,
  edge: undefined,
  ...more,
});
const hidden = {
  __provider: 'exports.handler=()=>require("pulumi-tunnel-edge/host").provider("TcpEdge")',
  __resource: "ssh",
};
const own = { deleteBeforeReplace: true, additionalSecretOutputs: [] };
const component = { urn: "the component" } as unknown as pulumi.Resource;

test.each<[string, Partial<ProgramResource>, object, object, object]>([
  ["nothing else", {}, {}, {}, own],
  ["a preview", { isPreview: true }, {}, { __preview: true }, own],
  ["parents", { parents: "my:component::a" }, {}, { __parents: "my:component::a" }, own],
  [
    "timeouts and replaceOnChanges, which the engine gets, too",
    {},
    { customTimeouts: { delete: "5m" }, replaceOnChanges: ["backend"] },
    { __timeouts: { delete: "5m" }, __replaceOnChanges: ["backend"] },
    { ...own, customTimeouts: { delete: "5m" }, replaceOnChanges: ["backend"] },
  ],
  [
    "all arguments as ignored, and no hidden input",
    {},
    { ignoreChanges: ["*"] },
    { __ignored: Object.keys(tcpEdge.fields) },
    { ...own, ignoreChanges: Object.keys(tcpEdge.fields) },
  ],
  [
    "an import for the provider only, whose object is not deleted before a replacement",
    {},
    { import: "edgtcp_1" },
    { __import: "edgtcp_1" },
    { ...own, deleteBeforeReplace: false },
  ],
  ["an order of the program", {}, { deleteBeforeReplace: false }, {}, { ...own, deleteBeforeReplace: false }],
])("%s", (_, resource, declared, inputs, opts) => {
  const args = { description: "d" };
  const registered = toRegistration(edge(resource), args, declared);
  expect(registered.props).toEqual({ ...args, ...hidden, ...inputs });
  expect(registered.opts).toEqual(opts);
});

test("an object that is read has its id, and neither the program's secrets nor its preview", () => {
  const { props, opts } = toRegistration(edge({ isRead: true, isPreview: true }), {}, { id: "edgtcp_1" });
  expect(props).toStrictEqual(hidden);
  expect(opts.id).toBe("edgtcp_1");
});

test("an object that is read is read within the timeout of the program", () => {
  const opts = { id: "edgtcp_1", customTimeouts: { read: "1s" } };
  expect(toRegistration(edge({ isRead: true }), {}, opts).props).toMatchObject({ __timeouts: { read: "1s" } });
});

test("the token of a key is a secret output, beside those of the program", () => {
  const key = edge({ definition: apiKey, name: "ci" });
  const { opts } = toRegistration(key, {}, { additionalSecretOutputs: ["metadata"] });
  expect(opts.additionalSecretOutputs).toEqual(["metadata", "token"]);
});

describe("a module of an edge of the program", () => {
  const resource = { urn: "the edge" } as unknown as pulumi.Resource;
  const register = (opts: object, declared: object = {}) => {
    const of = { resource, type: "TcpEdge", name: "ssh", parents: "my:component::a", opts };
    const restriction = edge({ definition: tcpEdgeIpRestriction, name: "office", edge: of });
    return toRegistration(restriction, { edgeId: "edgtcp_1" }, declared);
  };

  test("names the edge, and is deleted with it", () => {
    const { props, opts } = register({ parent: component }, { parent: component });
    expect(props.__edge).toBe('my:component::a TcpEdge "ssh"');
    expect(opts.deletedWith).toBe(resource);
  });

  test.each<[string, object, object]>([
    ["of an edge that is only read", { id: "edgtcp_1" }, {}],
    ["of an edge that is retained", { retainOnDelete: true }, {}],
    ["of an edge that another component may retain", { parent: component }, {}],
    ["that the program deletes with something else", {}, { deletedWith: component }],
  ])("%s is not deleted with it", (_, opts, declared) => {
    expect(register(opts, declared).opts.deletedWith).not.toBe(resource);
  });
});

test.each<[string, object, object, string]>([
  ["hidden inputs", { __import: "a" }, {}, 'TcpEdge "ssh": __import is not an argument. Remove it.'],
  ["names that only states have", { __managed: "a" }, {}, 'TcpEdge "ssh": __managed is not an argument. Remove it.'],
  [
    "an invalid timeout",
    {},
    { customTimeouts: { create: "soon" } },
    'customTimeouts.create of TcpEdge "ssh" must be a duration such as "1h30m", not "soon".',
  ],
  ["an empty id", {}, { import: " " }, 'TcpEdge "ssh": import is empty; it must be the id of an existing object.'],
])("rejects %s", (_, args, opts, message) => {
  expect(() => toRegistration(edge(), args, opts)).toThrow(message);
});
