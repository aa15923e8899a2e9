/** Each difference between the providers that the tests of both expect. */
import { differences } from "../support/engine/differences";
import { Stack } from "../support/engine/stack";
import { test, testedProvider } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const newEdge = ({ emulator }: Stack, properties = {}) =>
  emulator.api<{ id: string }>("POST", "/edges/tcp", properties).id;

const probes: Record<keyof typeof differences, (stack: Stack) => Promise<unknown>> = {
  stepWithoutCall: async (stack) => {
    const edge = stack.resource("TcpEdge");
    await edge.up({});
    return edge.up({ description: "" });
  },
  refreshAfterNoCall: async (stack) => {
    const edge = stack.resource("TcpEdge");
    await edge.up({ description: "" });
    await edge.up({});
    return edge.refresh();
  },
  importStep: async (stack) => stack.resource("TcpEdge").up({}, { import: newEdge(stack) }),
  unsetList: async (stack) => {
    const edge = stack.resource("TcpEdge");
    await edge.up({});
    return edge.outputs["hostports"];
  },
  timeoutInMessages: async (stack) => {
    stack.emulator.fail({ method: "POST", hang: "headers", processed: false });
    const creating = stack.resource("TcpEdge").up({}, { customTimeouts: { create: "2000.5ms" } });
    return /Timed out after (\S+) /.exec(await errorOf(creating))?.[1];
  },
  hasManagedWithoutFailure: async (stack) => {
    const edge = stack.resource("TcpEdge");
    await edge.up({ description: "it" });
    return "__managed" in edge.state!.outputs;
  },
  readsOfImport: async (stack) => {
    const id = newEdge(stack);
    stack.emulator.clearRequests();
    await stack.resource("TcpEdge").up({}, { import: id });
    return stack.emulator.calls().length;
  },
  isSecretKnownInImport: async (stack) => {
    const id = newEdge(stack, { metadata: "metadata-hush" });
    stack.emulator.fail({ status: 403, body: { status_code: 403, msg: "not metadata-hush" } });
    const importing = stack.resource("TcpEdge").up({ metadata: "metadata-hush" }, { import: id });
    return !(await importing.catch(String)).includes("metadata-hush");
  },
  stepIfOnlyAnOptionChanges: async (stack) => {
    const edge = stack.resource("TcpEdge");
    await edge.up({});
    return edge.up({}, { customTimeouts: { delete: "5m" } });
  },
  stepAfterCreationIgnored: async (stack) => {
    const edge = stack.resource("TcpEdge");
    await edge.up({ ipRestriction }, { ignoreChanges: ["ipRestriction"] });
    return edge.up({}, { ignoreChanges: ["ipRestriction"] });
  },
};

test.each(Object.entries(probes))("%s", async (name, probe) => {
  const difference = differences[name as keyof typeof differences];
  const stack = await Stack.start({ oidcSecrets: "masked" });
  expect(await probe(stack)).toEqual(difference[testedProvider()]);
  expect(difference.dynamic).not.toEqual(difference.plugin);
});
