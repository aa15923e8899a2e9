/** A host that is killed, or whose CLI is killed. How the CLI handles it is in test/cli/killed.ts. */
import { startHost } from "../support/emulatorHost";
import { normalize, samples } from "../support/samples";
import { waitUntil } from "../support/waitUntil";

test("the host exits with its engine and does not retry", async () => {
  const { emulator, host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({ description: "old" });
  const silent = emulator.fail({ method: "PATCH", hang: "headers", processed: false, times: Number.POSITIVE_INFINITY });
  const updating = edge.up({ description: "new" }).catch((error: Error) => error);
  await waitUntil(() => silent.hits > 0);
  await host.disconnectEngine();
  expect(await updating).toBeInstanceOf(Error);
  expect(silent.hits).toBe(1);
  silent.cancel();
  expect(await edge.useProvider(await host.next()).up({ description: "new" })).toBe("update");
});

test.each(samples)(
  "$type: going back to the old program after a killed update needs a refresh first",
  async (sample) => {
    const { emulator, host } = await startHost();
    const parents = sample.parents?.(emulator) ?? {};
    const [old, next] = sample.programs("mine").map((program) => ({ ...parents, ...program }));
    const resource = host.resource(sample.type);
    await resource.up(old!);
    const lost = emulator.fail({ hang: "headers" });
    const updating = resource.up(next!).catch((error: Error) => error);
    await waitUntil(() => lost.hits > 0);
    host.kill();
    expect(await updating).toBeInstanceOf(Error);
    resource.useProvider(await host.next());
    expect(await resource.up(old!)).toBe("same");
    expect(await resource.refresh()).toBe("changed");
    expect(await resource.up(old!)).toBe("update");
    const objects = sample.findObjects(emulator.account, "mine", parents);
    expect(objects.map(({ object }) => normalize(object))).toEqual([normalize(old)]);
  },
);
