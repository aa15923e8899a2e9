/** The clock that everything waits by. */
import { Cancelled, Clock, systemTime } from "../../src/base/clock";

test("a wait that is too long for a timer does not end at once", async () => {
  const ended: string[] = [];
  const clock = new Clock();
  const long = clock.sleep(2 ** 31).then(
    () => ended.push("long"),
    () => ended.push("cancelled"),
  );
  await clock.sleep(10).then(() => ended.push("short"));
  await clock.cancel();
  await long;
  expect(ended).toEqual(["short", "cancelled"]);
});

test("cancelling waits for work that has begun", async () => {
  const ended: string[] = [];
  const clock = new Clock();
  let finish = () => {};
  const write = clock.limit(60_000, 60_000, () => new Promise<void>((done) => (finish = done)));
  const cancelled = clock.cancel().then(() => ended.push("cancelled"));
  await new Promise((done) => setImmediate(done));
  void write.then(() => ended.push("written"));
  finish();
  await cancelled;
  expect(ended).toEqual(["written", "cancelled"]);
});

test("a cancelled clock begins nothing", async () => {
  const clock = new Clock();
  await clock.cancel();
  await expect(clock.sleep(0)).rejects.toThrow(Cancelled);
  const begun = jest.fn();
  await expect(clock.limit(60_000, 60_000, begun)).rejects.toThrow(Cancelled);
  expect(begun).not.toHaveBeenCalled();
});

test("a stopped timer does not run its work", async () => {
  const happened: string[] = [];
  const stop = systemTime.after(1, () => happened.push("stopped"));
  stop();
  await new Promise<void>((done) => systemTime.after(10, done));
  expect(happened).toEqual([]);
});
