/** The file in which the processes of a deployment share their claims: who can read what, and when nobody can. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ClaimsFile } from "../../src/engine/claimsFile";
import { testIf } from "../support/testIf";

let temporary: string;
const open: ClaimsFile[] = [];

beforeEach(() => {
  temporary = fs.mkdtempSync(path.join(os.tmpdir(), "claims-"));
});
afterEach(() => {
  for (const file of open.splice(0)) file.end();
  fs.rmSync(temporary, { recursive: true });
});

/** What one process has of the file. */
const start = (address = "127.0.0.1:5000", folder = temporary) => {
  const file = new ClaimsFile(address, folder);
  open.push(file);
  return file;
};
const linesOf = (file: ClaimsFile) => file.read().map(({ line }) => line);
const homeOf = ({ path: name }: ClaimsFile) => path.dirname(name);

test("a process reads what the others with the same engine append, each line once, and not its own", () => {
  const [one, other] = [start(), start()];
  one.append({ key: "a" });
  start("127.0.0.1:5001").append({ key: "elsewhere" });
  other.append({ key: "b" });
  expect([linesOf(one), linesOf(other)]).toEqual([[{ key: "b" }], [{ key: "a" }]]);
  one.append({ key: "…" });
  expect([linesOf(other), linesOf(other)]).toEqual([[{ key: "…" }], []]);
  expect(linesOf(start())).toEqual([{ key: "a" }, { key: "b" }, { key: "…" }]);
});

test("each line names its process, which appends that it has ended, and then nothing", () => {
  const [one, other] = [start(), start()];
  one.append({ key: "a" });
  const [first] = other.read();
  one.end();
  one.append({ key: "b" });
  one.end();
  expect(other.read()).toEqual([{ process: first!.process }]);
});

test.each([
  [0, true],
  [1, false],
])("a process that exits with the code %i appends that it has ended: %s", (code, hasEnded) => {
  const before = process.listeners("exit");
  const [one, other] = [start(), start()];
  one.append({ key: "a" });
  other.read();
  const [exit] = process.listeners("exit").filter((each) => !before.includes(each));
  exit!(code);
  expect(other.read()).toHaveLength(hasEnded ? 1 : 0);
});

test("only the user can open the folder and the file", () => {
  const file = start();
  const home = homeOf(file);
  fs.mkdirSync(home);
  fs.chmodSync(home, 0o755);
  file.append({ key: "a" });
  expect([home, file.path].map((each) => fs.statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(path.basename(file.path)).toBe(`${os.hostname()}-127.0.0.1-5000`.replace(/[^\w.-]/g, "-"));
});

test.each<[string, (home: string) => void]>([
  ["no folder", () => {}],
  ["a file in place of the folder", (home) => fs.writeFileSync(home, "")],
  ["no file", (home) => fs.mkdirSync(home)],
])("%s means that nobody has claimed anything", (_, prepare) => {
  const file = start();
  prepare(homeOf(file));
  expect(file.read()).toEqual([]);
});

test.each<[string, (home: string, file: string) => void, RegExp]>([
  ["a file in place of the folder", (home) => fs.writeFileSync(home, ""), /EEXIST/],
  ["a link in place of the folder", (home) => fs.symlinkSync(os.tmpdir(), home), /is a link$/],
  ["a link in place of the file", linkFile, /ELOOP/],
])("appending fails with %s", (_, prepare, reason) => {
  const file = start();
  prepare(homeOf(file), file.path);
  expect(() => file.append({ key: "a" })).toThrow(reason);
});

function linkFile(home: string, file: string) {
  fs.mkdirSync(home);
  fs.symlinkSync(path.join(os.tmpdir(), "elsewhere"), file);
}

testIf(process.getuid?.() === 0, "only root can give a folder to another user")(
  "a folder of another user is neither written to nor read",
  () => {
    const file = start();
    fs.mkdirSync(homeOf(file));
    fs.chownSync(homeOf(file), 12345, 12345);
    expect(() => file.append({ key: "a" })).toThrow(/belongs to another user$/);
    expect(() => file.read()).toThrow(/belongs to another user$/);
  },
);

test("a relative temporary folder, which is another one for each process, is neither written to nor read", () => {
  const file = start(undefined, "tmp");
  expect(() => file.append({ key: "a" })).toThrow('the temporary folder is "tmp"');
  expect(file.read()).toEqual([]);
});

test.each<[string, (file: string) => void, string]>([
  ["a line that is not complete", (file) => fs.appendFileSync(file, '{"format":1'), "its last line is not complete"],
  [
    "one to which another was appended",
    (file) => fs.appendFileSync(file, '{"fo{"format":1}\n'),
    "a line is not complete",
  ],
  ["another format", (file) => fs.appendFileSync(file, '{"format":2,"process":"p"}\n'), "it has another format"],
  ["a line that names no process", (file) => fs.appendFileSync(file, '{"format":1}\n'), "it has another format"],
  ["lines that are gone", (file) => fs.truncateSync(file, 3), "it was truncated"],
  ["a file that was removed", (file) => fs.rmSync(file), "it was removed"],
  ["a folder that was removed", (file) => fs.rmSync(path.dirname(file), { recursive: true }), "it was removed"],
  ["another file in its place", replaceFile, "another file is in its place"],
])("reading fails after %s, also the second time", (_, damage, reason) => {
  const [file, other] = [start(), start()];
  file.append({ key: "a" });
  other.append({ key: "b" });
  file.read();
  damage(file.path);
  expect(() => file.read()).toThrow(reason);
  // What could not be read once is not taken for nothing the next time.
  expect(() => file.read()).toThrow(reason);
});

function replaceFile(file: string) {
  fs.renameSync(file, `${file}.old`);
  fs.copyFileSync(`${file}.old`, file);
}

test("a disk that takes only a part of a line fails the process, and the others cannot read the file", () => {
  const [file, other] = [start(), start()];
  other.append({ key: "b" });
  const write = jest.spyOn(fs, "writeSync");
  write.mockImplementationOnce((descriptor, bytes) => {
    write.mockRestore();
    return fs.writeSync(descriptor, bytes as unknown as Buffer, 0, 10);
  });
  expect(() => file.append({ key: "a" })).toThrow("no space left");
  expect(() => other.read()).toThrow("its last line is not complete");
});

test("a file that nobody has touched for a day is removed by the next process, and no other", () => {
  const [old, recent] = [start("127.0.0.1:1"), start("127.0.0.1:2")];
  for (const [file, hours] of [
    [old, 25],
    [recent, 23],
  ] as const) {
    file.append({ key: "a" });
    const time = Date.now() / 1000 - hours * 3600;
    fs.utimesSync(file.path, time, time);
  }
  start().append({ key: "b" });
  expect([old, recent].map(({ path: name }) => fs.existsSync(name))).toEqual([false, true]);
});
