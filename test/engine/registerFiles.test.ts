import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { RegisterFiles } from "../../src/engine/registerFiles";

let parent: string;
const warnings: string[] = [];
const open: RegisterFiles[] = [];

beforeEach(() => {
  parent = fs.mkdtempSync(path.join(os.tmpdir(), "register-"));
  warnings.length = 0;
});
afterEach(() => {
  for (const files of open.splice(0)) files.close();
  fs.rmSync(parent, { recursive: true });
});

const start = (address = "127.0.0.1:5000") => {
  const files = new RegisterFiles(address, (problem) => warnings.push(problem), homes());
  open.push(files);
  return files;
};
/** A process that has published an entry. */
const publish = (entry: object, address?: string) => {
  const files = start(address);
  files.publish(entry);
  return files;
};
const entriesOf = (files: RegisterFiles) => [...files.read().values()];
const homes = () => ["temporary", "pulumi"].map((name) => path.join(parent, name));
const home = () => homes()[0]!;
const folder = (address = "127.0.0.1-5000") => path.join(home(), address);
const secondFolder = () => path.join(homes()[1]!, "127.0.0.1-5000");
/** The only file of the deployment. */
const onlyFile = () => path.join(folder(), fs.readdirSync(folder())[0]!);
const age = (file: string, seconds: number) => {
  const time = Date.now() / 1000 - seconds;
  fs.utimesSync(file, time, time);
};

test("a process reads what the others with the same engine publish, each entry once", () => {
  const one = publish({ key: "a" });
  publish({ key: "elsewhere" }, "127.0.0.1:5001");
  const other = publish({ key: "b" });
  expect(entriesOf(other)).toEqual([{ entries: [{ format: 1 }, { key: "a" }], isDead: false }]);
  one.publish({ key: "c", name: "…" });
  expect(entriesOf(other)).toEqual([{ entries: [{ key: "c", name: "…" }], isDead: false }]);
  expect(entriesOf(other)).toEqual([{ entries: [], isDead: false }]);
  expect(entriesOf(one)).toEqual([{ entries: [{ format: 1 }, { key: "b" }], isDead: false }]);
});

test("something is said once in a deployment, and again in another one", () => {
  const first = start();
  const said = [first, start(), start("127.0.0.1:5001")].map((files) => files.isFirstToSay("node"));
  expect(said).toEqual([true, false, true]);
  expect(first.isFirstToSay("else")).toBe(true);
  // What says so is no process.
  expect(entriesOf(first)).toEqual([{ entries: [{ format: 1 }], isDead: false }]);
  for (const files of open) files.close();
  expect(fs.readdirSync(home())).toEqual([]);
  expect(start().isFirstToSay("node")).toBe(true);
});

test("a process that publishes nothing reads the others", () => {
  publish({ key: "a" });
  expect(entriesOf(start())).toMatchObject([{ entries: [{}, { key: "a" }] }]);
});

test("a line is read when it is complete", () => {
  publish({ key: "a" });
  const file = onlyFile();
  const reader = start();
  fs.appendFileSync(file, '{"key":"…');
  expect(entriesOf(reader)).toMatchObject([{ entries: [{}, { key: "a" }] }]);
  fs.appendFileSync(file, '"}\n');
  expect(entriesOf(reader)).toEqual([{ entries: [{ key: "…" }], isDead: false }]);
});

test("a process that has not shown for long that it runs is dead; one of an earlier deployment is ignored", () => {
  publish({ key: "a" });
  const file = onlyFile();
  const reader = start();
  age(file, 19);
  expect(entriesOf(reader)).toMatchObject([{ isDead: false }]);
  age(file, 21);
  expect(entriesOf(reader)).toMatchObject([{ isDead: true }]);
  age(file, 2 * 60 * 60);
  expect(entriesOf(reader)).toEqual([]);
});

test("what was left behind is swept after a day, and not before", () => {
  publish({ key: "a" });
  const file = onlyFile();
  for (const left of [file, folder()]) age(left, 23 * 60 * 60);
  publish({ key: "b" }, "127.0.0.1:5001");
  expect(fs.existsSync(file)).toBe(true);
  for (const left of [file, folder()]) age(left, 25 * 60 * 60);
  publish({ key: "c" }, "127.0.0.1:5002");
  expect(fs.readdirSync(home())).toEqual(["127.0.0.1-5001", "127.0.0.1-5002"]);
});

test("a process that has run for more than a day is not swept", () => {
  publish({ key: "a" });
  age(folder(), 25 * 60 * 60);
  publish({ key: "b" }, "127.0.0.1:5001");
  expect(fs.existsSync(onlyFile())).toBe(true);
});

test.each([
  ["ends", (other: RegisterFiles) => other.close()],
  [
    "sweeps",
    (other: RegisterFiles) => {
      other.close();
      fs.mkdirSync(folder());
      age(folder(), 25 * 60 * 60);
      publish({ key: "b" }, "127.0.0.1:5001");
    },
  ],
])("a process begins while another one %s, which removes its folder", (_, remove) => {
  const open = fs.openSync;
  const other = publish({ key: "b" });
  const opening = jest.spyOn(fs, "openSync").mockImplementationOnce((...values) => {
    remove(other);
    expect(fs.existsSync(folder())).toBe(false);
    return open(...values);
  });
  publish({ key: "a" });
  opening.mockRestore();
  expect(warnings).toEqual([]);
  expect(entriesOf(start())).toMatchObject([{ entries: [{}, { key: "a" }] }]);
});

test("nothing but the processes of the deployment is looked at for a resource", () => {
  for (const port of [5001, 5002, 5003]) publish({ key: "elsewhere" }, `127.0.0.1:${port}`);
  const files = publish({ key: "a" });
  const looks = ["readdirSync", "lstatSync", "openSync"].map((call) => jest.spyOn(fs, call as "lstatSync"));
  entriesOf(files);
  const looked = looks.map(({ mock }) => mock.calls.map(([file]) => file));
  for (const look of looks) look.mockRestore();
  expect(looked).toEqual([[folder()], [homes()[1]], []]);
});

test("what a process that crashed has published stays", () => {
  publish({ key: "a" });
  const file = onlyFile();
  const [onExit] = process.listeners("exit").slice(-1);
  onExit!(1);
  expect(fs.existsSync(file)).toBe(true);
  onExit!(0);
  expect(fs.existsSync(file)).toBe(false);
});

/** Fails a call of the file system as a full disk does, the given times. */
function failAsFull(call: "writeSync" | "mkdirSync", times = Number.POSITIVE_INFINITY) {
  const real = fs[call] as (...values: unknown[]) => unknown;
  let left = times;
  return jest.spyOn(fs, call).mockImplementation(((...values: unknown[]) => {
    if (left-- > 0) throw Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), { code: "ENOSPC" });
    return real(...values);
  }) as never);
}
const full = "ENOSPC: no space left on device";

describe("a process that can no longer write", () => {
  /** What the others know before and after its end. */
  test.each([
    ["has an error", () => failAsFull("writeSync", 1)],
    ["writes a part", () => jest.spyOn(fs, "writeSync").mockImplementationOnce(() => 3)],
  ])("and %s says so in the name of its file", (_, fail) => {
    const reader = publish({ key: "r" });
    const files = publish({ key: "a" });
    expect(entriesOf(reader)).toHaveLength(1);
    const failing = fail();
    files.publish({ key: "b" });
    failing.mockRestore();
    files.publish({ key: "c" });
    expect(warnings).toEqual([expect.stringContaining(home())]);
    expect(files.problem).toBe(warnings[0]);
    expect(reader.problem).toBeUndefined();
    // What it has written is known, and is not read twice.
    expect(entriesOf(reader)).toEqual([{ entries: [], isDead: false }]);
    expect(reader.problem).toMatch(/\.incomplete \(its process could no longer write\)$/);
    files.close();
    const later = start();
    entriesOf(later);
    expect(later.problem).toBe(reader.problem);
  });

  test("still reads what the others publish", () => {
    const files = publish({ key: "a" });
    const failing = failAsFull("writeSync", 1);
    files.publish({ key: "b" });
    failing.mockRestore();
    publish({ key: "c" });
    expect(entriesOf(files)).toMatchObject([{ entries: [{}, { key: "c" }] }]);
  });
});

test("a process that ends leaves nothing behind", () => {
  publish({ key: "a" }).close();
  expect(fs.readdirSync(home())).toEqual([]);
});

test.each([
  ["another format", '{"format":2}\n', "it has another format"],
  ["no JSON", "nonsense\n", "is not valid JSON"],
])("what cannot be read is a problem: %s", (_, text, problem) => {
  publish({ key: "a" });
  fs.appendFileSync(onlyFile(), text);
  const reader = start();
  expect(entriesOf(reader)).toEqual([]);
  expect(reader.problem).toContain(problem);
});

test("a link is not followed", () => {
  publish({ key: "a" });
  const secret = path.join(parent, "secret");
  fs.writeFileSync(secret, '{"key":"theirs"}\n');
  fs.symlinkSync(secret, path.join(folder(), "link"));
  const reader = start();
  entriesOf(reader);
  expect(reader.problem).toContain("link (ELOOP");
});

test("an own folder that is open to others is made private, and what others have put there is not read", () => {
  fs.mkdirSync(folder(), { recursive: true });
  fs.chmodSync(home(), 0o777);
  const file = path.join(folder(), "theirs");
  fs.writeFileSync(file, '{"key":"theirs"}\n');
  if (process.getuid!() === 0) fs.chownSync(file, 12345, 12345);
  else fs.rmSync(file);
  const files = publish({ key: "a" });
  expect(fs.statSync(home()).mode & 0o777).toBe(0o700);
  expect([entriesOf(files), files.problem, warnings]).toEqual([[], undefined, []]);
});

/** What makes a folder unusable. */
const obstacles: [name: string, obstruct: (home: string) => void, reason: string][] = [
  ["a file", (home) => fs.writeFileSync(home, ""), "EEXIST: file already exists"],
  ["a link", (home) => fs.symlinkSync(os.tmpdir(), home), "not a folder"],
];
// Only root can give a folder away.
if (process.getuid!() === 0) {
  const giveAway = (home: string) => {
    fs.mkdirSync(home);
    fs.chownSync(home, 12345, 12345);
  };
  obstacles.push(["another user's", giveAway, "belongs to another user"]);
}

describe.each(obstacles)("a folder that is %s", (_, obstruct, reason) => {
  test("is skipped for the next, which the others read", () => {
    obstruct(home());
    const files = publish({ key: "a" });
    expect(fs.readdirSync(secondFolder())).toHaveLength(1);
    expect(entriesOf(start())).toMatchObject([{ entries: [{}, { key: "a" }] }]);
    expect([files.problem, warnings]).toEqual([undefined, []]);
  });

  test("is a problem if no other works", () => {
    for (const each of homes()) obstruct(each);
    const files = publish({ key: "a" });
    files.publish({ key: "b" });
    expect(entriesOf(files)).toEqual([]);
    expect(warnings).toEqual([
      homes()
        .map((each) => `${each} (${reason})`)
        .join(", "),
    ]);
    expect(files.problem).toBe(warnings[0]);
  });
});

describe("a disk that is full when a process begins", () => {
  test("in one folder is no problem, and leaves nothing there", () => {
    const other = publish({ key: "a" });
    const failing = failAsFull("writeSync", 1);
    const files = publish({ key: "b" });
    failing.mockRestore();
    expect(entriesOf(files)).toMatchObject([{ entries: [{}, { key: "a" }] }]);
    expect(entriesOf(other)).toMatchObject([{ entries: [{}, { key: "b" }] }]);
    expect([files.problem, other.problem]).toEqual([undefined, undefined]);
  });

  test("in all folders is a problem, of which the others know", () => {
    const other = publish({ key: "a" });
    const failing = failAsFull("writeSync");
    const files = publish({ key: "b" });
    failing.mockRestore();
    expect(files.problem).toBe(
      homes()
        .map((each) => `${each} (${full})`)
        .join(", "),
    );
    entriesOf(other);
    expect(other.problem).toMatch(/\.incomplete \(its process could no longer write\)$/);
  });
});
