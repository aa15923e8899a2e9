import type { Properties } from "../../support/engine/provider";
import { describeDynamic, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import type { Fixture } from "./fixture";
import { fieldAt, getAt, removeAt, setAt } from "./table";

const limits = { description: 255, metadata: 4096 };

const ids: Record<string, [prefix: string, what: string]> = {
  "TcpEdgeIpRestriction.edgeId": ["edgtcp_", "a TCP edge"],
  "TlsEdgeTlsTermination.edgeId": ["edgtls_", "a TLS edge"],
  edgeId: ["edghts_", "an HTTPS edge"],
  routeId: ["edghtsrt_", "a route of an HTTPS edge"],
};

const hostportForm = 'must be "<host>:<port>", such as "1.tcp.example.com:20022"';
const hostports: Record<string, string> = {
  "example.com": ` ${hostportForm}, not "example.com"`,
  ":443": ` ${hostportForm}, not ":443"`,
  "example.com:": ` ${hostportForm}, not "example.com:"`,
  "a b:443": ` ${hostportForm}, not "a b:443"`,
  "": ` ${hostportForm}, not ""`,
  "example.com:0": ': "example.com:0" has an invalid port; use 1 to 65535',
  "example.com:65536": ': "example.com:65536" has an invalid port; use 1 to 65535',
  "tcp://example.com:443": ': "tcp://example.com:443" has a scheme; use "example.com:443"',
  "tcp://example.com:65536": ': "tcp://example.com:65536" has a scheme and has an invalid port; use 1 to 65535',
  "tcp://A.example:01": ': "tcp://A.example:01" has a scheme and is not normalized; use "a.example:1"',
  "tcp://example.com": `: "tcp://example.com" has a scheme and ${hostportForm}`,
  "A.example:01": ': "A.example:01" is not normalized; use "a.example:1"',
  "bücher.example:443": ': "bücher.example:443" is not normalized; use "xn--bcher-kva.example:443"',
  "a..example.com:443": ` ${hostportForm}, not "a..example.com:443"`,
  "[::g]:443": ` ${hostportForm}, not "[::g]:443"`,
  // Too long to be quoted: it may be a key.
  [`${"x".repeat(41)}`]: ` ${hostportForm}`,
};

export function testInvalidInput(fixture: Fixture): void {
  const { definition, parents, paths } = fixture;
  const { type, fields } = definition;

  /** The lines of a preview that fails before any request. */
  async function previewErrors(args: Properties): Promise<string[]> {
    const message = await errorOf(fixture.resource().preview(args));
    expect(fixture.takeRequests()).toEqual([]);
    expect(message).not.toMatch(/\[object|undefined|Error:|\n\s+at /);
    return message.split("\n");
  }

  test("an unknown argument fails in the preview, before any request, and the error lists all arguments", async () => {
    const names = Object.keys(fields).join(", ");
    expect(await previewErrors({ ...fixture.full, quantity: 1 })).toEqual([
      `quantity is not an argument: the arguments are ${names}`,
    ]);
  });

  // What is checked is the same with the plugin.
  describeDynamic("invalid input fails in the preview, before any request", () => {
    for (const path of [...parents, ...paths]) {
      test(`${path} with a wrong type`, async () => {
        for (const { value, words } of listWrongTypes(getAt(fixture.full, path))) {
          const [sentence, ...more] = await previewErrors(setAt(fixture.full, path, value));
          expect(more).toEqual([]);
          expect(sentence).toMatch(new RegExp(`^${path.replace(".", "\\.")}(\\S*|: a value) must be ${words}, not `));
        }
      });

      test(`${path} misspelled suggests the right name`, async () => {
        const args = setAt(removeAt(fixture.full, path), `${path}x`, getAt(fixture.full, path));
        const name = path.split(".").pop();
        expect(await previewErrors(args)).toEqual([`${path}x is not an argument: did you mean "${name}"?`]);
      });
    }

    for (const path of paths.filter((each) => parents.length > 0 || each.includes("."))) {
      if (typeof getAt(fixture.table.full, path) !== "string") continue;
      test(`${path} empty, which services interpret differently`, async () => {
        const { required, quotable, knownValues } = fieldAt(definition, path);
        const words = required
          ? "must not be empty"
          : quotable && !knownValues
            ? 'must be "\\w+" or "\\w+", not ""'
            : "must not be empty; leave it out instead";
        expect(await previewErrors(setAt(fixture.full, path, ""))).toEqual([
          expect.stringMatching(`^${path} ${words}$`),
        ]);
      });
    }

    for (const [name, most] of Object.entries(limits)) {
      if (!paths.includes(name)) continue;
      test(`${name} of more than ${most} bytes (not characters)`, async () => {
        const text = "é".repeat(most / 2) + "x".repeat(most % 2);
        expect(await fixture.resource().preview({ ...fixture.full, [name]: text })).toMatchObject({ step: "create" });
        expect(await previewErrors({ ...fixture.full, [name]: `${text}éé` })).toEqual([
          `${name} must be at most ${most} bytes, not ${most + 4}`,
        ]);
      });
    }

    for (const name of parents) {
      test(`${name} with the wrong prefix`, async () => {
        const [prefix, what] = (ids[`${type}.${name}`] ?? ids[name])!;
        const wrong = (id: string) => previewErrors({ ...fixture.full, [name]: id });
        const words = `${name} must be the id of ${what} ("${prefix}…")`;
        expect(await wrong("ak_1")).toEqual([`${words}, not "ak_1"`]);
        expect(await wrong("")).toEqual([`${words}, not ""`]);
        expect(await wrong("\u001b[31m\u202e")).toEqual([`${words}, not "\\u001b[31m\\u{202e}"`]);
        // It may be a key in the wrong place.
        expect(await wrong("x".repeat(41))).toEqual([words]);
        expect(await wrong(prefix)).toEqual([expect.stringContaining(words)]);
        expect(await wrong(`${prefix}1/../x`)).toEqual([expect.stringContaining(words)]);
      });
    }

    for (const path of paths.filter((each) => each.endsWith("ipPolicyIds"))) {
      test(`${path} empty, or with the wrong prefix`, async () => {
        expect(await previewErrors(setAt(fixture.full, path, []))).toEqual([`${path} must contain at least one id`]);
        expect(await previewErrors(setAt(fixture.full, path, ["ipp_1", "ip_2"]))).toEqual([
          `${path}[1] must be the id of an IP policy ("ipp_…"), not "ip_2"`,
        ]);
      });
    }

    if (paths.includes("hostports")) {
      for (const [hostport, words] of Object.entries(hostports)) {
        test(`the hostport ${JSON.stringify(hostport)}`, async () => {
          const args = { ...fixture.full, hostports: ["example.com:443", hostport] };
          expect(await previewErrors(args)).toEqual([`hostports[1]${words}`]);
        });
      }

      test("a hostport listed twice, in different case", async () => {
        const args = { ...fixture.full, hostports: ["example.com:443", "EXAMPLE.com:443"] };
        expect(await previewErrors(args)).toEqual(['hostports[1]: "EXAMPLE.com:443" is listed twice']);
      });
    }
  });
}

const kinds = {
  string: { sample: "odd", words: '(a string|"\\w+" or "\\w+")' },
  boolean: { sample: true, words: "a boolean" },
  number: { sample: 7, words: "a number" },
  list: { sample: ["odd"], words: "a list" },
  object: { sample: { odd: 1 }, words: "an object" },
};

/** Values of another type than this one, and what the message calls the right type. */
function listWrongTypes(value: unknown): { value: unknown; words: string }[] {
  const kind = Array.isArray(value) ? "list" : (typeof value as keyof typeof kinds);
  const strange: { value: unknown; words: string }[] = Object.entries(kinds)
    .filter(([name]) => name !== kind)
    .map(([, { sample }]) => ({ value: sample, words: kinds[kind].words }));
  const inside = typeof value === "object" ? Object.values(value as object) : [];
  const texts = inside.length > 0 && inside.every((item) => typeof item === "string");
  if (texts) strange.push({ value: kind === "list" ? [inside[0], 7] : { odd: 7 }, words: "a string" });
  return strange;
}
