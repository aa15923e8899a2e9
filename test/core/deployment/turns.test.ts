/** Who writes to an edge next, or sends to an agent: one at a time, in the order in which they ask. */
import { Turns } from "../../../src/core/deployment/turns";

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

test("work in a turn has it already, also in the turn of another edge", async () => {
  const turns = new Turns();
  const inner = () => turns.take("edge", async () => "done");
  expect(await turns.take("edge", inner)).toBe("done");
  expect(await turns.take("edge", () => turns.take("other edge", inner))).toBe("done");
});

test("and not that of another edge, or of another deployment", async () => {
  const [turns, otherTurns, log] = [new Turns(), new Turns(), [] as string[]];
  const [one, other] = [startWork(log, "one"), startWork(log, "other")];
  const earlier = [turns.take("other edge", one.work), otherTurns.take("edge", other.work)];
  const inTurn = turns.take("edge", () =>
    Promise.all([
      turns.take("other edge", async () => log.push("after one")),
      otherTurns.take("edge", async () => log.push("after other")),
    ]),
  );
  await new Promise(setImmediate);
  expect(log).toEqual(["one begins", "other begins"]);
  one.end();
  other.end();
  await Promise.all([...earlier, inTurn]);
  expect(log.slice(2).sort()).toEqual(["after one", "after other", "one ends", "other ends"]);
});
