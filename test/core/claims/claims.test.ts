/** What the processes of a deployment tell each other, and what becomes of it when one cannot, ends or is killed. */
import { Claims } from "../../../src/core/claims/claims";
import { optionsOf } from "../../support/engine/coreOptions";
import { SharedLines } from "../../support/engine/sharedLines";

const address = "https://api.example";

/** The file of a deployment, whose processes are numbered as they start. */
function createFile() {
  const file = new SharedLines();
  const start = (at = address) => new Claims(at, (text) => `#${text}`, file.join());
  return { file, start };
}

const [ssh, web] = [optionsOf("ssh"), optionsOf("web")];

const known = (claims: Claims, place: string) => {
  claims.read();
  return claims.at(place).map(({ resource, isDone, file }) => ({ resource, isDone, file }));
};

test("a check replaces the claims of its resource, and later steps add to them", () => {
  const claims = new Claims(address, (text) => text);
  claims.claim(ssh, ["/a", "/b"]);
  claims.extend(ssh, { places: ["/c"], isDone: true, ignores: ["/d"] });
  const claim = { key: "ssh", resource: ssh.resource, address };
  expect(claims.at("/a")).toEqual([{ ...claim, places: ["/a", "/b", "/c"], isDone: true, ignores: ["/d"] }]);
  claims.claim(ssh, ["/b"]);
  expect(
    ["/a", "/b", "/c"].map((place) => claims.at(place).map(({ isDone, ignores }) => ({ isDone, ignores }))),
  ).toEqual([[], [{ isDone: false, ignores: [] }], []]);
});

test("lists done claims first, and those of other resources only if asked for these", () => {
  const claims = new Claims(address, (text) => text);
  claims.claim(ssh, ["/a"]);
  claims.claim(web, ["/a"]);
  claims.settle(web, { isDone: true });
  expect(claims.at("/a").map(({ key }) => key)).toEqual(["web", "ssh"]);
  expect(claims.others("/a", "web").map(({ key }) => key)).toEqual(["ssh"]);
});

test("other processes read a claim, and the file that has it", () => {
  const { start } = createFile();
  const [one, other] = [start(), start()];
  one.claim(ssh, ["/a"]);
  one.settle(ssh, { isDone: true });
  expect(known(other, "/a")).toEqual([{ resource: ssh.resource, isDone: true, file: "/tmp/claims" }]);
  expect(known(one, "/a")).toEqual([{ resource: ssh.resource, isDone: true, file: undefined }]);
  other.claim(ssh, ["/b"]);
  expect(known(other, "/a")).toHaveLength(1);
});

test("resources at two addresses may claim the same place", () => {
  const { start } = createFile();
  const [one, copy] = [start(), start("https://copy.example")];
  one.claim(ssh, ["/a"]);
  copy.claim(web, ["/a"]);
  copy.read();
  expect(copy.double("/a", web.key)).toBeUndefined();
  expect(copy.others("/a", web.key)).toHaveLength(1);
});

test("drops the claims of a process that ended normally, and keeps those of a killed one", () => {
  const { file, start } = createFile();
  const [ended, killed, other] = [start(), start(), start()];
  ended.claim(ssh, ["/a"]);
  killed.claim(web, ["/b"]);
  ended.planRemoval("/m", { by: "TcpEdge", module: "ipRestriction", step: "planned" });
  other.read();
  expect(other.removalOf("/m")).toBeDefined();
  file.end("1");
  expect(known(other, "/a")).toEqual([]);
  expect(other.removalOf("/m")).toBeUndefined();
  expect(known(other, "/b")).toMatchObject([{ isDone: false }]);
});

test("a check, a diff and a planned removal fail if the file cannot be written", () => {
  const { file, start } = createFile();
  const claims = start();
  file.unwritable = "ENOSPC: no space left on device, write";
  const message =
    "The other provider processes of this deployment cannot read the declarations of this resource: /tmp/claims cannot be " +
    "written (ENOSPC: no space left on device). To fix this, set TMPDIR to a folder that only you can write to, then run " +
    "the command again.";
  expect(() => claims.claim(ssh, ["/a"])).toThrow(message);
  expect(() => claims.extend(ssh, { isDone: true })).toThrow(message);
  expect(() => claims.planRemoval("/a", { by: "TcpEdge", module: "ipRestriction", step: "planned" })).toThrow(message);
});

test("records a finished write or removal even if the file cannot be written", () => {
  const { file, start } = createFile();
  const claims = start();
  claims.claim(ssh, ["/a"]);
  file.unwritable = "ENOSPC: no space left on device, write";
  claims.settle(ssh, { isDone: true });
  claims.moveRemoval("/m", { by: "TcpEdge", module: "ipRestriction", step: "removed" });
  expect([claims.at("/a")[0]!.isDone, claims.removalOf("/m")!.step]).toEqual([true, "removed"]);
});

test("fails with the file and the fix if the file cannot be read", () => {
  const { file, start } = createFile();
  file.unreadable = "EACCES: permission denied, open '/tmp/claims'";
  expect(() => start().read()).toThrow(
    "The declarations of other provider processes of this deployment are not known, because /tmp/claims cannot be read " +
      "(EACCES: permission denied). If no other deployment is running, remove that file, or set TMPDIR to a folder that " +
      "only you can write to, then run the command again.",
  );
});

test("other processes read the last step of a removal", () => {
  const { start } = createFile();
  const [one, other] = [start(), start()];
  const removal = { by: "TcpEdge", module: "ipRestriction", step: "planned" as const };
  one.planRemoval("/m", removal);
  one.moveRemoval("/m", { ...removal, step: "removed" });
  other.read();
  expect(other.removalOf("/m")).toEqual({ ...removal, step: "removed", file: "/tmp/claims", process: "1" });
});
