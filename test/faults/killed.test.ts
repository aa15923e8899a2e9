/** A provider whose process or CLI is killed. How the CLI handles it is in test/cli/killed.full.test.ts. */
import { fastClock } from "../support/clock";
import { normalize, samples } from "../support/data/samples";
import { configOf, startService } from "../support/emulators";
import type { ProviderKind } from "../support/engine/provider";
import { RemoteProvider } from "../support/engine/remote";
import { Stack } from "../support/engine/stack";
import { test } from "../support/engine/testedProvider";
import { waitUntil } from "../support/waitUntil";

globalThis.test.each<ProviderKind>(["dynamic", "plugin"])(
  "the process of the %s provider ends with its engine: it awaits the writes that it has sent, and retries none",
  async (kind) => {
    const emulator = await startService();
    const config = configOf(emulator);
    const provider = await RemoteProvider.start(kind, { config, env: fastClock(20) });
    const [slow, silent] = ["slow", "silent"].map((name) => provider.tested.resource("TcpEdge", name));
    for (const edge of [slow, silent])
      await edge!.up({ description: "old", ipRestriction: { ipPolicyIds: ["ipp_a"] } });
    emulator.clearRequests();
    const [slowPath, path] = [slow, silent].map((edge) => `/edges/tcp/${edge!.id}`);
    const hanging = emulator.fail({ method: "PATCH", path, hang: "headers", processed: false, times: 100 });
    const delayed = emulator.fail({ method: "PATCH", path: slowPath, delayMs: 400 });
    const updating = silent!.up({ description: "new" }).catch((error: Error) => error);
    await waitUntil(() => hanging.hits > 0);
    slow!.up({ description: "new" }).catch(() => {});
    await waitUntil(() => delayed.hits > 0);
    const statusOfSlow = () => emulator.requests.find((request) => request.path === slowPath)!.status;
    expect(statusOfSlow()).toBe("pending");
    await provider.disconnectEngine();
    expect(await updating).toBeInstanceOf(Error);
    expect(emulator.calls()).toEqual(Array(2).fill("PATCH /edges/tcp/{id}"));
    expect(statusOfSlow()).toBe(200);
    hanging.cancel();
    expect(await silent!.useProvider(provider.tested.next()).up({ description: "new" })).toBe("update");
  },
);

test.each(samples)(
  "$type: going back to the old program after a killed update needs a refresh first",
  async (sample) => {
    let onRequest = () => {};
    const { emulator, provider } = await Stack.start({ onRequest: () => onRequest() });
    const parents = sample.parents?.(emulator) ?? {};
    const [old, next] = sample.programs("mine").map((program) => ({ ...parents, ...program }));
    const resource = provider.resource(sample.type);
    await resource.up(old!);
    onRequest = provider.kill;
    await expect(resource.up(next!)).rejects.toThrow();
    onRequest = () => {};
    resource.useProvider(provider.next());
    expect(await resource.up(old!)).toBe("same");
    expect(await resource.refresh()).toBe("changed");
    expect(await resource.up(old!)).toBe("update");
    const objects = sample.findObjects(emulator.account, "mine", parents);
    expect(objects.map(({ object }) => normalize(object))).toEqual([normalize(old)]);
  },
);
