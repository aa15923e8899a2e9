/** What the resources of a deployment share: its settings, and what the user reads. */
import { CommandProvider } from "../../../src/core/commandProvider";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import { apiKey } from "../../../src/definitions/apiKey";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tunnelSessionCommand } from "../../../src/definitions/tunnelSessionCommand";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { errorOf } from "../../support/errorOf";

const time = createRequestTime();

async function start(settings: Record<string, string> = {}) {
  const emulator = await startService({ clock: time.now });
  const processes = new Processes(time);
  const deployment = processes.startDeployment(configOf(emulator, settings));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const commands = new CommandProvider(tunnelSessionCommand, deployment);
  return { emulator, processes, deployment, provider, commands, edges: provider(tcpEdge) };
}

describe("a setting", () => {
  test("without a usable value fails every check, and what calls the service without one", async () => {
    const { emulator, edges, commands } = await start({
      "tunnel-edge:maxRetries": "many",
      "tunnel-edge:timeoutSeconds": "soon",
    });
    const problems = [
      expect.stringMatching(/^tunnel-edge:maxRetries must be /),
      expect.stringMatching(/^tunnel-edge:timeoutSeconds must be /),
    ];
    expect((await edges.check(undefined, {}, optionsOf("e"))).problems).toEqual(problems);
    expect((await edges.check({}, {}, optionsOf("e"))).problems).toEqual(problems);
    const args = { sessionId: "ts_1", commands: ["stop"] };
    expect((await commands.check(undefined, args)).problems).toEqual(problems);
    const message = await errorOf(edges.read("edgtcp_1", undefined, optionsOf("e")));
    expect(message.split("\n")).toEqual([expect.stringMatching(/: tunnel-edge:maxRetries must be /), problems[1]]);
    expect(emulator.calls()).toEqual([]);
  });

  test("that is misspelled fails every check, but not what calls the service without one", async () => {
    const { emulator, edges } = await start({ "tunnel-edge:maxRetrys": "3" });
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    expect((await edges.check(undefined, {}, optionsOf("e"))).problems).toEqual([
      expect.stringMatching(/^tunnel-edge:maxRetrys is not a setting; did you mean tunnel-edge:maxRetries\?/),
    ]);
    expect((await edges.read(id, undefined, optionsOf("e")))!.state.id).toBe(id);
  });
});

test("the first invalid resource says that there may be more", async () => {
  const { emulator, processes, deployment } = await start();
  expect(await deployment.formatProblems([])).toEqual([]);
  expect(processes.messages).toEqual([]);
  expect(await deployment.formatProblems(["a", `b is ${emulator.apiKey}`])).toEqual(["a", "b is [secret]"]);
  expect(await deployment.formatProblems(["c"])).toEqual(["c"]);
  expect(processes.messages).toEqual(["Pulumi stops at the first invalid resource. There may be more."]);
});

test("a warning of a resource is given once", async () => {
  const { processes, deployment } = await start();
  await deployment.warn("odd", optionsOf("e"));
  await deployment.warn("odd", optionsOf("e"));
  await deployment.warn("odd", optionsOf("f"));
  await deployment.warn("strange", optionsOf("e"));
  expect(processes.messages).toEqual(["odd", "odd", "strange"]);
  await deployment.warn("odd");
  await deployment.warn("odd");
  expect(processes.messages).toEqual(["odd", "odd", "strange", "odd"]);
});

test("each request is logged if the setting logRequests says so", async () => {
  const { processes, edges } = await start({ "tunnel-edge:logRequests": "true" });
  await edges.create({}, optionsOf("e"));
  expect(processes.messages).toEqual([expect.stringMatching(/POST \/edges\/tcp .*201/)]);
  const silent = await start();
  await silent.edges.create({}, optionsOf("e"));
  expect(silent.processes.messages).toEqual([]);
});

test("the rate limit of the service is said once, and what waits for it shows that", async () => {
  const { emulator, processes, edges } = await start();
  emulator.fail({ path: "/edges/tcp", status: 429, headers: { "Retry-After": "30" }, times: 2 });
  await edges.create({}, optionsOf("e"));
  expect(processes.messages).toEqual([
    "The service's rate limit was reached. Requests slow down until it allows more.",
  ]);
  expect(processes.statuses[0]).toMatch(/^Waiting \d+ s for the service's rate limit…$/);
});

test("the key that the provider itself uses is deleted with a warning", async () => {
  const { emulator, provider } = await start();
  const keys = provider(apiKey);
  const [own, other] = [await keys.create({}, optionsOf("own")), await keys.create({}, optionsOf("other"))];
  const next = new Processes(time);
  const using = new ResourceProvider(
    apiKey,
    next.startDeployment(configOf(emulator, { "tunnel-edge:apiKey": String(own.values["token"]) })),
  );
  await using.delete(other, optionsOf("other"));
  expect(next.messages).toEqual([]);
  await using.delete(own, optionsOf("own"));
  expect(next.messages).toEqual([
    `API key ${own.id}: this is the key that the provider itself uses. Once it is deleted, calls fail until you set ` +
      "tunnel-edge:apiKey to another key.",
  ]);
});
