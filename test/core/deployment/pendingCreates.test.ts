/** Creates whose response is lost: what that means for other creates. */
import type { EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { withoutResponse } from "../../../src/api/callError";
import { PendingCreates } from "../../../src/core/deployment/pendingCreates";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { RequestTime } from "../../support/clock";
import type { Properties } from "../../support/engine/provider";
import { Stack } from "../../support/engine/stack";
import { describe as describeBoth } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const time = new RequestTime();
const lost = { method: "POST", status: 503, body: "<html>busy</html>" };
const executed = { ...lost, processed: true };
const others = "Other responses were lost, too, so another one may still appear.";

async function start(options: EmulatorOptions = {}) {
  const stack = await Stack.start({ time, ...options });
  const create = async (name: string, args: Properties, type = "TcpEdge") => {
    const resource = stack.resource(type, name);
    await resource.up(args);
    return resource;
  };
  /** Why a create fails, and after how many seconds. */
  const fail = async (...args: Parameters<typeof create>) => {
    const began = time.now();
    return { message: await errorOf(create(...args)), seconds: (time.now() - began) / 1_000 };
  };
  return { emulator: stack.emulator, create, fail };
}

function newEvent() {
  let happen = () => {};
  const promise = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { promise, happen };
}

describeBoth("the object of a lost create", () => {
  test("may be either of two, if two creates of the same were lost", async () => {
    const { emulator, fail } = await start();
    emulator.fail(executed);
    const { message, seconds } = await fail("e", { description: "a" });
    expect([message, seconds]).toEqual([expect.not.stringContaining(others), 0]);
    const { id } = emulator.account.tcpEdges[0]!;
    expect(message).toContain(`It may have been created anyway, as ${id} `);
    emulator.fail(lost);
    const second = await fail("f", { description: "a" });
    expect(second.seconds).toBe(9.5);
    expect(second.message).toContain(`as ${id} `);
    expect(second.message).toContain(others);
  });

  test.each<[string, Properties, string]>([
    ["of other content", { description: "b" }, "TcpEdge"],
    ["of another kind", { description: "a" }, "TlsEdge"],
  ])("is not taken for that of a lost create %s", async (_, args, type) => {
    const { emulator, fail } = await start();
    emulator.fail(lost);
    await fail("e", args, type);
    emulator.fail(executed);
    const { message, seconds } = await fail("f", { description: "a" });
    expect([message, seconds]).toEqual([expect.not.stringContaining(others), 0]);
  });

  test("is not that of another create, whose response comes later", async () => {
    const [sent, listed] = [newEvent(), newEvent()];
    const { emulator, create, fail } = await start({
      onRequest: async ({ method }) => {
        if (method !== "POST") return listed.happen();
        sent.happen();
        await listed.promise;
      },
    });
    emulator.fail({ ...lost, skip: 1 });
    const creating = create("e", { description: "a" });
    await sent.promise;
    const [{ id }, { message }] = await Promise.all([creating, fail("f", { description: "a" })]);
    expect(emulator.account.tcpEdges).toMatchObject([{ id }]);
    expect(message).toContain("No new TCP edge was found in the account");
  });
});

test("does not count a create that was not sent as lost", async () => {
  const creates = new PendingCreates();
  const create = { definition: tcpEdge, desired: { description: "a" }, sentAt: 0 };
  const unsent = withoutResponse("no connection", "unsent");
  await expect(creates.track({ ...create, key: "never" }, Promise.reject(unsent))).rejects.toBe(unsent);
  expect(creates.countLost({ ...create, key: "other" })).toBe(0);
});
