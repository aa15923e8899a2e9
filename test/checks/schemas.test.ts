/** The JSON Schemas for editors, with a validator that knows nothing of the package. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import fc from "fast-check";
import { check } from "pulumi-tunnel-edge/checks";
import { startEmulator } from "pulumi-tunnel-edge/emulator";
import { parse } from "yaml";
import { isObject } from "../../src/base/json";
import { agentCommands, definitions } from "../../src/definitions";
import type { Fields } from "../../src/definitions/fields/field";
import objectTypes from "../../src/emulator/objects";
import { invalidArgs, validArgs } from "../support/data/arguments";
import type { Properties } from "../support/engine/provider";
import { root } from "../support/root";

const seed = Number(process.env["SEED"] ?? 1115);
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
// What editors show in place of the pattern.
ajv.addKeyword("patternErrorMessage");
for (const file of readdirSync(join(root, "schemas"))) {
  ajv.addSchema(JSON.parse(readFileSync(join(root, "schemas", file), "utf8")), file);
}

/** What the validator finds wrong, as one line for each mistake. */
function findErrors(schema: string, value: unknown): string[] {
  const validate = ajv.getSchema(`${schema}.json`)!;
  return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Without what a preview ignores under a name that is no argument: null, and what begins with `__`. */
const withoutIgnored = (fields: Fields, args: object): Properties =>
  Object.fromEntries(
    Object.entries(args)
      .filter(([name, value]) => fields[name] || (value !== null && !name.startsWith("__")))
      .map(([name, value]) => {
        const inner = fields[name]?.module?.fields;
        return [name, inner && isObject(value) ? withoutIgnored(inner, value) : value];
      }),
  );

const all = [...definitions, ...agentCommands];
const runs = { seed, numRuns: 100 };

test("every file of the example is valid, and names the schema", () => {
  const folder = join(root, "examples/gitops/edges");
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) {
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+\/pulumi-tunnel-edge\/schemas\/resource\.json\ntype: /);
    expect(findErrors("resource", parse(text))).toEqual([]);
  }
});

describe.each(all.map(({ type, fields }) => [type, fields as Fields] as const))(`%s (SEED=${seed})`, (type, fields) => {
  test("accepts what is valid according to the document, with and without its type", () => {
    fc.assert(
      fc.property(validArgs[type]!, (args) => {
        expect(findErrors(type, args)).toEqual([]);
        expect(findErrors("resource", { type, ...args })).toEqual([]);
      }),
      runs,
    );
  });

  test("accepts everything that the checks accept, and rejects most of what they reject", () => {
    const tally = { accepted: 0, rejected: 0, both: 0 };
    fc.assert(
      fc.property(invalidArgs(type), ({ args: mutated }) => {
        const args = withoutIgnored(fields, mutated);
        const errors = findErrors(type, args);
        if (check(type, args).length > 0) {
          tally.rejected++;
          if (errors.length > 0) tally.both++;
        } else {
          tally.accepted++;
          expect(errors).toEqual([]);
        }
      }),
      runs,
    );
    expect(tally.accepted).toBeGreaterThan(0);
    expect(tally.both / tally.rejected).toBeGreaterThan(0.8);
  });

  test("null declares nothing", () => {
    const optional = Object.keys(fields).filter((name) => !fields[name]!.required);
    const [args] = fc.sample(validArgs[type]!, { seed, numRuns: 1 });
    const value = { ...args, ...Object.fromEntries(optional.map((name) => [name, null])) };
    expect([check(type, value), findErrors(type, value)]).toEqual([[], []]);
  });

  test("rejects misspelled names, wrong types and what is missing", () => {
    const [args] = fc.sample(validArgs[type]!, { seed, numRuns: 1 });
    expect(findErrors(type, { ...args, typo: 1 })).toEqual([" must NOT have additional properties"]);
    expect(findErrors(type, { ...args, type: "Other" })).toEqual(["/type must be equal to constant"]);
    for (const [name, { required }] of Object.entries(fields)) {
      const value = { ...args, [name]: Symbol.iterator };
      expect(findErrors(type, value)).toEqual(expect.arrayContaining([expect.stringMatching(`^/${name} must be `)]));
      const { [name]: _, ...others } = args!;
      const missing = required ? [` must have required property '${name}'`] : [];
      expect(findErrors(type, others)).toEqual(missing);
    }
  });

  test("has a description of every property, at any depth", () => {
    const undescribed: string[] = [];
    const visit = (schema: { [key: string]: never } | undefined, path: string) => {
      for (const [name, inner] of Object.entries<{ [key: string]: never }>(schema?.["properties"] ?? {})) {
        if (!inner["description"]) undescribed.push(`${path}${name}`);
        visit(inner, `${path}${name}.`);
        visit(inner["items"], `${path}${name}[].`);
      }
    };
    visit(JSON.parse(readFileSync(join(root, "schemas", `${type}.json`), "utf8")), "");
    expect(undescribed).toEqual([]);
  });
});

test("the type chooses the schema", () => {
  expect(findErrors("resource", { type: "ApiKey", hostports: [] })).toContain(" must NOT have additional properties");
  expect(findErrors("resource", { type: "TcpEgde" })).toEqual(["/type must be equal to one of the allowed values"]);
  expect(findErrors("resource", {})).toEqual([" must have required property 'type'"]);
  expect(findErrors("resource", { type: "TcpEdge", hostports: ["a.example:99999"] })).toEqual([
    expect.stringMatching(/^\/hostports\/0 must match pattern /),
    ' must match "then" schema',
  ]);
});

describe("Pulumi.yaml", () => {
  const errorsOf = (text: string) => findErrors("pulumi", parse(text));
  const argumentsOf = (text: string) =>
    errorsOf(`resources: { ssh: { type: "tunnel-edge:TcpEdge", properties: { ${text} } } }`);

  test.each(["yaml", "gitops-yaml"])("is valid in the example %s", (name) => {
    expect(errorsOf(readFileSync(join(root, "examples", name, "Pulumi.yaml"), "utf8"))).toEqual([]);
  });

  test("may have a reference or a function in place of any value", () => {
    expect(
      argumentsOf(
        `hostports: ["\${host}:1"], backend: "\${backend}", ipRestriction: { enabled: "\${on}", ipPolicyIds: { "fn::split": [",", a] } }`,
      ),
    ).toEqual([]);
  });

  test("has the arguments of the type, and accepts resources of other packages", () => {
    expect(argumentsOf("hostport: []")).toContain("/resources/ssh/properties must NOT have additional properties");
    expect(argumentsOf("backend: { backend_id: a }")).toContain(
      "/resources/ssh/properties/backend must have required property 'backendId'",
    );
    expect(
      errorsOf("name: a\nruntime: yaml\nresources: { pet: { type: 'random:RandomPet' } }\noutputs: { a: b }"),
    ).toEqual([]);
  });

  test.each(all)("has all arguments of $type", ({ type, fields }) => {
    const { properties } = ajv.getSchema("pulumi.json")!.schema as { properties: Properties };
    const { allOf } = properties["resources"].additionalProperties;
    const [{ then }] = allOf.filter((each: Properties) => each["if"].properties.type.pattern.endsWith(`${type}$`));
    expect(Object.keys(then.properties.properties.properties)).toEqual(Object.keys(fields));
  });
});

describe("the emulator's seed", () => {
  test.each(["quickstart", "languages", "yaml"])(
    "is valid in the example %s, names the schema, and is accepted",
    async (name) => {
      const account = JSON.parse(readFileSync(join(root, "examples", name, "account.json"), "utf8"));
      expect(account.$schema).toMatch(/\/pulumi-tunnel-edge\/schemas\/seed\.json$/);
      expect(findErrors("seed", account)).toEqual([]);
      const emulator = await startEmulator();
      emulator.seed(account);
      await emulator.close();
    },
  );

  test("has the fields of the emulator's own table", () => {
    const { properties } = ajv.getSchema("seed.json")!.schema as { properties: Properties };
    const { $schema: _, ...lists } = properties;
    const found = Object.entries(lists).map(([name, { items }]) => [name, Object.keys(items.properties).sort()]);
    const table = Object.entries(objectTypes).map(([name, { create }]) => [
      name,
      Object.keys({ id: 0, ...create.fields, ...create.seedOnly }).sort(),
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(table));
  });

  test("rejects misspelled names, wrong types and what is missing", () => {
    const errors = findErrors("seed", {
      edges: [],
      tcpEdges: [{ hostport: [] }, { ip_restriction: { ip_policy_ids: "ipp_a" } }],
      sshCredentials: [{}],
      tunnels: [{ proto: "udp" }],
    });
    expect(errors.sort()).toEqual([
      " must NOT have additional properties",
      "/sshCredentials/0 must have required property 'public_key'",
      "/tcpEdges/0 must NOT have additional properties",
      "/tcpEdges/1/ip_restriction/ip_policy_ids must be array,null",
      "/tunnels/0/proto must be equal to one of the allowed values",
    ]);
  });
});
