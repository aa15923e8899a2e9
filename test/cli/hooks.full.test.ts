/**
 * Resource hooks, with both providers. The programs are inline programs of the Automation API: the Node language host
 * that the set-up builds knows no hooks.
 */
import { startService } from "../support/cli/cliStack";
import { runInline } from "../support/cli/inlineProgram";
import { startGateway, withJson } from "../support/gateway";

/** What the statements say. */
async function listSaid(...args: Parameters<typeof runInline>): Promise<string[]> {
  const { code, printed } = await runInline(...args);
  expect({ code, printed }).toMatchObject({ code: 0 });
  return printed.flatMap((line) => (line.startsWith("SAID ") ? [line.slice(5)] : []));
}

const statements = `
  const say = (...words) => console.log("SAID", ...words);
  let description;
  const stack = await create("dev", async () => {
    const hook = (name) => new pulumi.ResourceHook(name, ({ id, newInputs, newOutputs, oldOutputs }) =>
      say(name, id ? "with id" : "without id", newInputs?.description ?? "-", (newOutputs ?? oldOutputs)?.description ?? "-"));
    const hooks = {
      ...Object.fromEntries(["beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"]
        .map((name) => [name, [hook(name)]])),
      onError: [new pulumi.ErrorHook("onError", ({ failedOperation, errors }) => {
        say("onError", failedOperation, errors.length);
        return errors.length < 2;
      })],
    };
    new tunnel.TcpEdge("edge", { description }, { hooks });
  });
  for (description of ["one", "two"]) await stack.up();
  await stack.destroy().catch(({ message }) => say("destroy fails:", /error: (Resource .*)/.exec(message)?.[1]));
  await stack.destroy({ runProgram: true });`;

test.each(["dynamic", "plugin"] as const)(
  "%s: hooks run before and after each operation, and onError retries it",
  async (kind) => {
    const emulator = await startService();
    for (const method of ["POST", "PATCH", "DELETE"]) emulator.fail({ method, status: 400 });
    expect(await listSaid(emulator, statements, kind)).toEqual([
      "beforeCreate without id one -",
      "onError create 1",
      "afterCreate with id one one",
      "beforeUpdate with id two one",
      "onError update 1",
      "afterUpdate with id two two",
      "destroy fails: Resource has delete hooks registered, but the program is not running. Hooks: beforeDelete, afterDelete",
      "beforeDelete with id - two",
      "onError delete 1",
      "afterDelete with id - two",
    ]);
    expect(emulator.account.tcpEdges).toEqual([]);
  },
);

/** The service does not apply the restriction, so the create fails with the edge in hand. */
test.each(["dynamic", "plugin"] as const)(
  "%s: a create that has left an edge is not sent again by onError, and the edge is in the state",
  async (kind) => {
    const emulator = await startService();
    const gateway = await startGateway(emulator.port);
    gateway.handle = async ({ method }, forward) => {
      const response = await forward();
      if (method !== "POST") return response;
      const { id } = JSON.parse(response.body) as { id: string };
      emulator.api("DELETE", `/edges/tcp/${id}/ip_restriction`);
      return withJson(response, (edge) => ({ ...edge, ip_restriction: null }));
    };
    const said = await listSaid(
      { url: gateway.url, apiKey: emulator.apiKey },
      `const say = (...words) => console.log("SAID", ...words);
       const stack = await create("dev", async () => {
         const again = new pulumi.ErrorHook("again", ({ errors }) => errors.length < 3);
         new tunnel.TcpEdge("edge", { ipRestriction: { ipPolicyIds: ["ipp_a"] } }, { hooks: { onError: [again] } });
       });
       await stack.up().catch(({ message }) => say(/TCP edge was not created again/.exec(message)?.[0]));
       for (const { id } of (await stack.exportStack()).deployment.resources) if (id?.startsWith("edgtcp_")) say(id);`,
      kind,
    );
    const id = emulator.account.tcpEdges[0]!.id;
    expect(said).toEqual(["TCP edge was not created again", id]);
    expect(emulator.account.tcpEdges).toHaveLength(1);
  },
);
