/**
 * Inline programs of the Automation API, whose functions run in the user's own process. Each run has an engine of its
 * own, and the process outlives all of them.
 */
import { createStack, startService } from "../support/cli/cliStack";
import { runInline } from "../support/cli/inlineProgram";
import { startGateway } from "../support/gateway";

const pause = "const pause = () => new Promise((done) => setTimeout(done, 50));";

test("a run that ends neither ends the process nor another run", async () => {
  const emulator = await startService();
  const gateway = await startGateway(Number(new URL(emulator.url).port));
  let isCreating = () => {};
  let release = () => {};
  const creating = new Promise<void>((done) => (isCreating = done));
  const released = new Promise<void>((done) => (release = done));
  gateway.handle = async ({ method, path }, forward) => {
    const response = await forward();
    // The key exists, and its response arrives when the other run has ended.
    if (method === "POST" && path === "/api_keys") {
      isCreating();
      await released;
    }
    if (path === "/creating") await creating;
    if (path === "/release") release();
    return response;
  };
  const { code, printed } = await runInline(
    { url: gateway.url, apiKey: emulator.apiKey },
    `${pause}
     const slow = await create("slow", async () => {
       await tunnel.getTcpEdges();
       return { token: new tunnel.ApiKey("key", {}).token };
     });
     const quick = await create("quick", async () => ({ edges: (await tunnel.getTcpEdges()).tcpEdges.length }));
     const { outputs } = await quick.up();
     console.log("quick has", outputs.edges.value, "edges");
     const creating = slow.up();
     await fetch("${gateway.url}/creating");
     await quick.up();
     // As long as the end of a run may take to be noticed.
     await pause();
     await fetch("${gateway.url}/release");
     const { token } = (await creating).outputs;
     console.log("slow has", typeof token.value);`,
  );
  release();
  expect(printed).toEqual(["quick has 0 edges", "slow has string"]);
  expect(code).toBe(0);
});

test("a function that is cancelled with its run ends nothing, even if nobody awaits it", async () => {
  const emulator = await startService();
  const { code, printed } = await runInline(
    emulator,
    `${pause}
     const { AsyncResource } = require("node:async_hooks");
     let list, listOutput;
     const stack = await create("dev", async () => {
       list = AsyncResource.bind(() => tunnel.getTunnels());
       listOutput = AsyncResource.bind(() => tunnel.getTunnelsOutput());
       await list();
     });
     await stack.up();
     const error = await (async () => { for (;;) await list().then(pause); })().catch(({ message }) => message);
     console.log(error);
     void list().then(() => {});
     listOutput().apply(() => {});
     await pause();
     console.log("goes on");
     // All others end it, as before.
     void Promise.reject(new Error("of the user"));
     await pause();
     console.log("never");`,
  );
  expect(printed.slice(0, 2)).toEqual(["getTunnels: GET /tunnels was cancelled.", "goes on"]);
  expect(printed.join("\n")).toContain("Error: of the user");
  expect(printed).not.toContain("never");
  expect(code).toBe(1);
});

test("a program of the CLI outlives an inline run of its own", async () => {
  const emulator = await startService();
  const { stack } = await createStack(
    emulator,
    `module.exports = (async () => {
       await tunnel.getTcpEdges();
       const { LocalWorkspace } = require("@pulumi/pulumi/automation");
       const program = async () => void (await tunnel.getTunnels());
       const inner = await LocalWorkspace.createStack({ stackName: "inner", projectName: "inline", program });
       await inner.preview();
       // As long as the end of a run may take to be noticed.
       await new Promise((done) => setTimeout(done, 500));
       return { lives: true };
     })();`,
  );
  const { stdout } = await stack.up({ env: { PULUMI_STACK: undefined }, args: ["--stack", "dev"] });
  expect(stdout).toMatch(/lives: true/);
});
