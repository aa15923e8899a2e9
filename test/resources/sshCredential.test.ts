import { sshCredential } from "../../src/definitions/sshCredential";
import { publicKey as createKey } from "../support/data/publicKey";
import { expected } from "../support/engine/differences";
import { unknown } from "../support/engine/provider";
import { describe, test, testDynamic } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { argumentRows, replaces, same, suite, updates } from "./suite";

const patch = (body: object) => updates(["PATCH /ssh_credentials/{id}", body]);

const keys = ["one", "two", "three"].map(createKey);
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

const fixture = suite(sshCredential, {
  full,
  wire,
  needsDeleteBeforeReplace: true,
  everything: {
    add: replaces(["DELETE /ssh_credentials/{id}"], ["POST /ssh_credentials", wire]),
    clear: patch({ acl: [], description: "", metadata: "" }),
  },
  rows: {
    publicKey: {
      other: otherKey,
      change: replaces(["POST /ssh_credentials", { ...wire, public_key: otherKey }], ["DELETE /ssh_credentials/{id}"]),
    },
    ...argumentRows(full, patch, {
      acl: {
        other: ["bind:app=*", "bind:*.example.com"],
        outsideValue: ["bind:theirs.example.com"],
        ordered: true,
      },
      description: { other: "agents", outsideValue: "theirs" },
      metadata: { other: "team=web", outsideValue: "theirs" },
    }),
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

describe("acl", () => {
  const [domain, label, kind] = [
    'has a misplaced wildcard; a domain may begin with "*.", as in "bind:*.example.com"',
    'must be "bind:<key>=<value>", where "*" can stand for the whole key or the whole value',
    'must be "bind:<target>", or "*" as the only rule',
  ];

  for (const rule of [
    "bind:example.com",
    "bind:*.example.com",
    "bind:1.tcp.example.com:20022",
    "bind:192.0.2.1",
    "bind:app=web",
    "bind:app=*",
    "bind:*=web",
    "bind:*=*",
    "bind:app=a=b",
    "*",
  ]) {
    testDynamic(`${rule} is a rule, also for the service`, async () => {
      const credential = await fixture.createResource({ publicKey, acl: [rule] });
      await fixture.expectSettled(credential, { publicKey, acl: [rule] });
    });
  }

  for (const [rule, words] of [
    ["", kind],
    ["example.com", kind],
    ["bind:", kind],
    ["Bind:example.com", kind],
    ["bind:a b", kind],
    ["allow:example.com", kind],
    ["bind:*", domain],
    ["bind:a.*.example.com", domain],
    ["bind:*example.com", domain],
    ["bind:*.", domain],
    ["bind:=web", label],
    ["bind:app=", label],
    ["bind:app=we*", label],
    ["bind:a..example.com", 'must name a domain, an address or a label, as in "bind:example.com" or "bind:app=web"'],
  ] as const) {
    testDynamic(`${JSON.stringify(rule)} is not a rule`, async () => {
      const error = errorOf(fixture.resource().preview({ publicKey, acl: ["bind:example.com", rule] }));
      expect(await error).toBe(`acl[1] ${words}`);
      expect(fixture.takeRequests()).toEqual([]);
    });
  }

  test("* must be the only rule", async () => {
    const error = errorOf(fixture.resource().preview({ publicKey, acl: ["*", "bind:example.com"] }));
    expect(await error).toBe('acl must not combine "*" with other rules');
    expect(await fixture.resource().preview({ publicKey, acl: [unknown, "bind:example.com"] })).toMatchObject({
      step: "create",
    });
  });

  test("* is the same as no acl: for the program, the state and the service", async () => {
    const open = { publicKey, acl: ["*"] };
    const credential = await fixture.createResource({ publicKey });
    expect(await credential.up(open)).toBe(expected("stepWithoutCall"));
    expect(fixture.takeRequests()).toEqual([]);
    expect(await credential.refresh()).toBe(expected("refreshAfterNoCall"));
    await fixture.expectSettled(credential, open);
    fixture.emulator.api("PATCH", `/ssh_credentials/${credential.state!.id}`, { acl: ["*"] });
    expect(await credential.refresh()).toBe("same");
    fixture.takeRequests();
    expect(await credential.up({ publicKey })).toBe(expected("stepWithoutCall"));
    expect(fixture.takeRequests()).toEqual([]);
    await fixture.expectSettled(credential, { publicKey });
    expect(await fixture.resource().up(open, { import: credential.state!.id })).toBe(expected("importStep"));
  });

  test("an empty list is declared, and different from no acl", async () => {
    const credential = await fixture.createResource({ publicKey, acl: [] });
    await fixture.expectSettled(credential, { publicKey, acl: [] });
    fixture.emulator.api("PATCH", `/ssh_credentials/${credential.state!.id}`, { acl: ["bind:example.com"] });
    expect(await credential.refresh()).toBe("changed");
    fixture.takeRequests();
    expect(await credential.up({ publicKey, acl: [] })).toBe("update");
    expect(fixture.takeRequests()).toEqual([["PATCH /ssh_credentials/{id}", { acl: [] }]]);
  });
});

describe("the public key", () => {
  test("may end in line breaks, or not, without a change", async () => {
    const read = { ...full, publicKey: `${publicKey}\n` };
    const credential = await fixture.createResource(read);
    await fixture.expectSettled(credential, read);
    for (const ending of ["", "\r\n", "\n\n"]) {
      const args = { ...full, publicKey: publicKey + ending };
      expect(await credential.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
    }
    const { id } = credential.state!;
    const trimmed = { ...fixture.emulator.api("GET", `/ssh_credentials/${id}`), public_key: publicKey };
    fixture.emulator.fail({ method: "GET", status: 200, body: trimmed, times: 3 });
    expect(await credential.refresh()).toBe("same");
    expect(await fixture.resource().up(read, { import: id })).toBe(expected("importStep"));
  });

  test("that the service returns in another form is no change, and keeps the declared form", async () => {
    const [type, blob] = publicKey.split(" ");
    const args = { ...full, publicKey: `${publicKey}\n` };
    const credential = await fixture.createResource(args);
    const { id } = credential.state!;
    const der = Buffer.concat([
      Buffer.from("302a300506032b6570032100", "hex"),
      Buffer.from(blob!, "base64").subarray(-32),
    ]);
    const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
    for (const form of [`${type} ${blob}`, `${publicKey}\r\n`, `${type} ${blob} service`, pem]) {
      const body = { ...fixture.emulator.api("GET", `/ssh_credentials/${id}`), public_key: form };
      const faults = [
        fixture.emulator.fail({ method: "GET", status: 200, body, times: Number.POSITIVE_INFINITY }),
        fixture.emulator.fail({ method: "PATCH", status: 200, body, times: Number.POSITIVE_INFINITY }),
      ];
      expect(await credential.refresh()).toBe("same");
      expect(credential.outputs.publicKey).toBe(args.publicKey);
      expect(await credential.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
      expect(await fixture.resource().up(args, { import: id })).toBe(expected("importStep"));
      for (const fault of faults) fault.cancel();
      expect(await credential.preview({ ...full, publicKey: form })).toEqual({
        step: "same",
        replaces: [],
        changed: [],
      });
    }
  });

  test("must be complete, unless the service has already accepted it", async () => {
    const incomplete = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample someone";
    const message = "publicKey is not a complete ssh-ed25519 key; copy the whole .pub file";
    expect(await errorOf(fixture.resource().preview({ publicKey: incomplete }))).toBe(message);
    const credential = await fixture.createResource({ publicKey });
    for (const properties of [credential.state!.inputs, credential.state!.outputs]) properties.publicKey = incomplete;
    expect(await credential.preview({ publicKey: incomplete })).toMatchObject({ step: "same" });
    expect(await credential.preview({ publicKey: incomplete, description: "new" })).toMatchObject({ step: "update" });
    expect(await errorOf(credential.preview({ publicKey: `${incomplete}!` }))).toBe(message);
  });

  test("must not be empty", async () => {
    expect(await errorOf(fixture.resource().preview({ publicKey: " \n" }))).toBe("publicKey must not be empty");
  });

  test("must look like a public key, not like a private one", async () => {
    const said = (key: string) => errorOf(fixture.resource().preview({ publicKey: key }));
    for (const kind of ["PRIVATE KEY", "OPENSSH PRIVATE KEY", "RSA PRIVATE KEY"]) {
      expect(await said(`-----BEGIN ${kind}-----\nhush\n-----END ${kind}-----\n`)).toBe(
        "publicKey is a private key, which must be kept secret; use the public key (.pub)",
      );
    }
    for (const key of ["build.pub", "AAAAC3NzaC1lZDI1NTE5", "ssh-ed25519", "-----BEGIN CERTIFICATE-----", "no AAAA"]) {
      expect(await said(key)).toBe(
        'publicKey must be a public key, such as "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…"',
      );
    }
    expect(fixture.takeRequests()).toEqual([]);
  });

  test("of another credential is rejected in the service's words, and the other one is named", async () => {
    const other = await fixture.createResource();
    const message = await errorOf(fixture.resource().up({ publicKey }));
    expect(message).toMatch(
      /^SSH credential could not be created: POST \/ssh_credentials returned 400 ERR_TUNNEL_PUBLIC_KEY_TAKEN: The public key is already that of an SSH credential/,
    );
    expect(message).toMatch(
      new RegExp(
        ` publicKey is already used by SSH credential ${other.state!.id}. If this is a forced replacement, set `,
      ),
    );
  });

  test("changed together with the owner is created before the old one is deleted", async () => {
    const credential = await fixture.createResource();
    fixture.stack.next();
    expect(await credential.up({ ...full, publicKey: otherKey, ownerId: "usr_2" })).toBe("replace");
    expect(fixture.takeRequests().map(([call]) => call)).toEqual([
      "POST /ssh_credentials",
      "DELETE /ssh_credentials/{id}",
    ]);
  });
});

testDynamic("an imported credential cannot be replaced before the option import is removed", async () => {
  const [there, here] = [fixture.resource(), fixture.resource()];
  await there.up({ publicKey });
  const { id } = there.state!;
  await here.up({ publicKey }, { import: id });
  expect(await errorOf(here.up({ publicKey: otherKey }, { import: id }))).toBe(
    `publicKey differs from that of SSH credential ${id}; declare the existing value, or remove the option import`,
  );
  expect(await here.up({ publicKey: otherKey })).toBe("replace");
});

test("after a lost response, the created credential is imported by its public key", async () => {
  const credential = fixture.resource();
  fixture.emulator.fail({ method: "POST", resetAfter: true });
  expect(await credential.up(full)).toBe("create");
  expect(fixture.takeRequests()).toEqual([["POST /ssh_credentials", wire], ["GET /ssh_credentials"]]);
  expect(fixture.emulator.account.sshCredentials).toHaveLength(1);
  await fixture.expectSettled(credential, full);
});
