import { sshCredential } from "../../src/resources/sshCredential";
import { replaces, same, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /ssh_credentials/{id}", body]);

const keys = ["one", "two", "three"].map((name) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8${name} ${name}`);
const [publicKey, otherKey] = keys as [string, string];
const full = {
  publicKey,
  acl: ["bind:*.example.com", "bind:app=*"],
  description: "builds",
  metadata: "team=edge",
  ownerId: "usr_1",
};
const wire = {
  public_key: publicKey,
  acl: ["bind:*.example.com", "bind:app=*"],
  description: "builds",
  metadata: "team=edge",
  owner_id: "usr_1",
};

const stage = suite(sshCredential, {
  full,
  wire,
  collides: true,
  everything: {
    add: replaces(["DELETE /ssh_credentials/{id}"], ["POST /ssh_credentials", wire]),
    clear: patch({ acl: [], description: "", metadata: "" }),
  },
  rows: {
    publicKey: {
      other: otherKey,
      change: replaces(["POST /ssh_credentials", { ...wire, public_key: otherKey }], ["DELETE /ssh_credentials/{id}"]),
    },
    acl: {
      other: ["bind:app=*", "bind:*.example.com"],
      add: patch({ acl: wire.acl }),
      change: patch({ acl: ["bind:app=*", "bind:*.example.com"] }),
      clear: patch({ acl: [] }),
      theirs: ["bind:theirs.example.com"],
      ordered: true,
    },
    description: {
      other: "agents",
      add: patch({ description: "builds" }),
      change: patch({ description: "agents" }),
      clear: patch({ description: "" }),
      theirs: "theirs",
    },
    metadata: {
      other: "team=web",
      add: patch({ metadata: "team=edge" }),
      change: patch({ metadata: "team=web" }),
      clear: patch({ metadata: "" }),
      theirs: "theirs",
    },
    ownerId: {
      other: "usr_2",
      add: replaces(
        ["DELETE /ssh_credentials/{id}"],
        ["POST /ssh_credentials", { public_key: publicKey, owner_id: "usr_1" }],
      ),
      change: replaces(["DELETE /ssh_credentials/{id}"], ["POST /ssh_credentials", { ...wire, owner_id: "usr_2" }]),
      clear: same,
    },
  },
});

test("placeholder", () => expect(stage).toBeDefined());
