/** The resource options that the engine does not pass on, which the constructor carries as hidden inputs. */
import { emulated } from "../support/emulated";
import type { Life } from "../support/host";

const edge = {
  description: "ssh",
  ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  policy: { inbound: [{ name: "one" }, { name: "two" }] },
};

describe("replaceOnChanges", () => {
  let life: Life;
  beforeAll(async () => {
    const { host } = await emulated();
    life = host.resource("TcpEdge");
    await life.up(edge);
  });

  const described = { ...edge, description: "secure shell" };
  const other = { ...edge, ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_c"] } };
  const on = { ...edge, ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } };
  const { ipRestriction: _, ...open } = edge;
  const second = { ...edge, policy: { inbound: [{ name: "one" }, { name: "three" }] } };

  test.each([
    ["an argument", ["description"], described, "description"],
    ["anything", ["*"], described, "description"],
    ["another argument", ["metadata", "policy"], described, undefined],
    ["a module", ["ipRestriction"], other, "ipRestriction"],
    ["within a module", ["ipRestriction.ipPolicyIds"], other, "ipRestriction"],
    ["within a module, in brackets", ['["ipRestriction"]["ipPolicyIds"]'], other, "ipRestriction"],
    ["within any module", ["*.ipPolicyIds"], other, "ipRestriction"],
    ["elsewhere in the module", ["ipRestriction.enabled"], other, undefined],
    ["dropped, so that the default holds", ["ipRestriction.enabled"], on, "ipRestriction"],
    ["unchanged, where another was dropped", ["ipRestriction.ipPolicyIds"], on, undefined],
    ["dropped with its module", ["ipRestriction.ipPolicyIds"], open, "ipRestriction"],
    ["an item", ["policy.inbound[1].name"], second, "policy"],
    ["any item", ["policy.inbound[*].name"], second, "policy"],
    ["another item", ["policy.inbound[0]"], second, undefined],
    ["newly stated as it is", ["*"], { ...edge, metadata: "" }, undefined],
    [
      "in another order",
      ["*"],
      { ...edge, ipRestriction: { enabled: false, ipPolicyIds: ["ipp_b", "ipp_a"] } },
      undefined,
    ],
  ])("%s: %j", async (_name, replaceOnChanges, args, replaced) => {
    const { replaces } = await life.preview(args, { replaceOnChanges });
    expect(replaces).toEqual(replaced === undefined ? [] : [replaced]);
  });
});
