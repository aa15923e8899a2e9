/** A host that is killed while it updates a resource. */

import { normalize, samples } from "../support/data/samples";
import { startHost } from "../support/engine/emulatorHost";
import { waitUntil } from "../support/waitUntil";

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
