/** Who writes to an edge next, or sends to an agent: one at a time, in the order in which they ask. */
import { Turns } from "../../../src/core/deployment/deployment";

/** Work that ends when the test ends it. */
const startWork = (log: string[], name: string) => {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  const work = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end };
};

test("work for one edge is done in the order in which it was asked for, also after a failure", async () => {
  const [turns, log] = [new Turns(), [] as string[]];
  const [first, second, third] = [startWork(log, "first"), startWork(log, "second"), startWork(log, "third")];
  const failing = turns.take("edge", first.work);
  const others = [turns.take("edge", second.work), turns.take("edge", third.work)];
  second.end();
  third.end();
  await turns.take("other edge", async () => log.push("other edge"));
  first.end(new Error("first fails"));
  await expect(failing).rejects.toThrow("first fails");
  expect(await Promise.all(others)).toEqual(["second", "third"]);
  expect(log).toEqual(["first begins", "other edge", "second begins", "second ends", "third begins", "third ends"]);
});
