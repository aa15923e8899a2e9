/** The package schema of the plugin. `test/docs` compares it with the source, `test/cli/plugin.full` with the CLI. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnel from "pulumi-tunnel-edge";
import { check } from "pulumi-tunnel-edge/checks";
import { parse } from "yaml";
import { settingNames } from "../../src/base/settings";
import { agentCommands, definitions, readOnly } from "../../src/definitions";
import { publicKey as createKey } from "../support/data/publicKey";
import { root } from "../support/root";

interface Property {
  type?: string;
  $ref?: string;
  description?: string;
  default?: unknown;
  secret?: boolean;
  willReplaceOnChanges?: boolean;
  items?: Property;
  oneOf?: Property[];
  defaultInfo?: { environment: string[] };
}
interface ObjectType {
  description?: string;
  properties?: Record<string, Property>;
  required?: string[];
  enum?: { name: string; value: string }[];
}
interface Resource extends ObjectType {
  inputProperties: Record<string, Property>;
  requiredInputs?: string[];
}
interface Schema {
  version: string;
  config: { variables: Record<string, Property> };
  provider: Resource;
  types: Record<string, ObjectType>;
  resources: Record<string, Resource>;
  functions: Record<string, { description: string; inputs: ObjectType; outputs: ObjectType }>;
}

const text = readFileSync(join(root, "plugin/schema.json"), "utf8");
const schema: Schema = JSON.parse(text);
const token = (name: string) => `tunnel-edge:index:${name}`;
const all = [...definitions, ...agentCommands];

test("has every resource and function", () => {
  expect(Object.keys(schema.resources).sort()).toEqual(all.map(({ type }) => token(type)).sort());
  const read = [...definitions, ...readOnly].flatMap((definition) => [
    token(`get${definition.type}`),
    ...("plural" in definition ? [token(`get${definition.plural}`)] : []),
  ]);
  expect(Object.keys(schema.functions).sort()).toEqual(read.sort());
  const exported = Object.keys(tunnel).filter((name) => /^get.*(?<!Output)$/.test(name));
  expect(read).toEqual(exported.map(token).sort());
});

test.each(all)("$type has the inputs and outputs of its definition", ({ type, fields, computed }) => {
  const { inputProperties, requiredInputs = [], properties = {}, required } = schema.resources[token(type)]!;
  const pick = (trait: "required" | "replaces" | "secret", table: object = fields) =>
    Object.entries(table).flatMap(([name, field]) => (field[trait] ? [name] : []));
  const withTrait = (trait: "willReplaceOnChanges" | "secret", table = inputProperties) =>
    Object.keys(table).filter((name) => table[name]![trait]);
  const outputs = { ...fields, ...computed };
  expect(Object.keys(inputProperties)).toEqual(Object.keys(fields));
  expect(Object.keys(properties)).toEqual(Object.keys(outputs));
  expect(requiredInputs).toEqual(pick("required"));
  expect(required).toEqual(expect.arrayContaining(requiredInputs));
  expect(withTrait("willReplaceOnChanges")).toEqual(pick("replaces"));
  expect(withTrait("secret")).toEqual(pick("secret"));
  expect(withTrait("secret", properties)).toEqual(pick("secret", outputs));
});

test("requires the outputs that always have a value", () => {
  const listRequired = (type: string) => schema.resources[token(type)]!.required;
  expect(listRequired("TcpEdge")).toEqual(["hostports", "createdAt", "uri"]);
  expect(listRequired("ApiKey")).toEqual(["ownerId", "createdAt", "uri"]);
  expect(listRequired("HttpsEdgeRouteOidc")).toEqual(["edgeId", "routeId", "enabled", "scopes"]);
  expect(schema.functions[token("getTunnel")]!.outputs.required).toEqual([
    "id",
    "startedAt",
    "region",
    "tunnelSession",
    "backends",
  ]);
});

test("enums are closed where the checks are, and open where any string is accepted", () => {
  const { properties = {} } = schema.types[token("TlsTermination")]!;
  const versions = { $ref: `#/types/${token("TlsVersion")}` };
  expect(properties["terminateAt"]).toMatchObject({ $ref: `#/types/${token("TerminateAt")}` });
  expect(properties["minVersion"]).toMatchObject({ type: "string", oneOf: [{ type: "string" }, versions] });
  expect(schema.types[token("TlsVersion")]!.enum!.map(({ value }) => value)).toEqual(["1.0", "1.1", "1.2", "1.3"]);
  expect(properties["enabled"]).toMatchObject({ type: "boolean", default: true });
});

test("a function's secret is a secret", () => {
  const { properties = {} } = schema.functions[token("getHttpsEdgeRouteOidc")]!.outputs;
  expect(Object.keys(properties).filter((name) => properties[name]!.secret)).toEqual(["clientSecret"]);
});

test("only the plugin reads settings from the environment; SDKs would write them into the state", () => {
  const { variables } = schema.config;
  expect(Object.keys(variables).sort()).toEqual([...settingNames].sort());
  expect(variables["maxRetries"]).toMatchObject({
    default: 4,
    defaultInfo: { environment: ["TUNNEL_EDGE_MAX_RETRIES"] },
  });
  const { inputProperties, requiredInputs } = schema.provider;
  expect(Object.keys(inputProperties)).toEqual(Object.keys(variables));
  // `pulumi do` would not take the key from the environment. CheckConfig requires it of a provider in a program.
  expect(requiredInputs).toBeUndefined();
  for (const input of Object.values(inputProperties)) {
    expect(input).not.toHaveProperty("default");
    expect(input).not.toHaveProperty("defaultInfo");
  }
  expect(inputProperties["apiKey"]!.description).toMatch(/Required of a provider in a program\.$/);
  const secrets = (table: Record<string, Property>) => Object.keys(table).filter((name) => table[name]!.secret);
  expect([secrets(variables), secrets(inputProperties)]).toEqual([
    ["apiKey", "headers"],
    ["apiKey", "headers"],
  ]);
});

test("every property has a description, and every reference a target", () => {
  const undescribed: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (/^(properties|inputProperties|variables)$/.test(key)) {
        for (const [name, property] of Object.entries(inner as Record<string, Property>)) {
          if (!property.description) undescribed.push(`${path}.${name}`);
        }
      }
      visit(inner, `${path}.${key}`);
    }
  };
  visit(schema, "schema");
  expect(undescribed).toEqual([]);
  const targets = [...text.matchAll(/"\$ref": "#\/types\/(.+?)"/g)].map(([, target]) => target!);
  expect(new Set(targets)).toEqual(new Set(Object.keys(schema.types)));
});

/** What stands for a value that an example takes from elsewhere. */
const publicKey = createKey("example");
const given: Record<string, string> = {
  "${ssh.id}": "edgtcp_1",
  "${api.id}": "edgtls_1",
  "${found.tunnelSessions[0].id}": "ts_1",
  "${webKey}": publicKey,
};
const resolve = (_: string, value: unknown) => {
  if (typeof value === "object" && value !== null && "fn::readFile" in value) return publicKey;
  return typeof value === "string" ? (given[value] ?? value) : value;
};

describe("examples", () => {
  const described = { ...schema.resources, ...schema.functions, Provider: schema.provider };
  const examples = Object.entries(described).flatMap(([name, { description = "" }]) =>
    description
      .split("{{% example %}}")
      .slice(1)
      .map((example, index) => ({ name: `${name}, example ${index + 1}`, example })),
  );
  const codeOf = (example: string, language: string) =>
    new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(example)?.[1];

  test("every resource and function has one, in TypeScript, Python and YAML", () => {
    for (const { description = "" } of Object.values(described)) {
      for (const language of ["typescript", "python", "yaml"]) expect(description).toContain(`\`\`\`${language}\n`);
    }
    // YAML has no loops.
    const untranslated = examples.filter(({ example }) => !codeOf(example, "yaml") || !codeOf(example, "python"));
    expect(untranslated.map(({ name }) => name)).toEqual([`${token("TunnelSessionCommand")}, example 3`]);
  });

  test.each(examples.filter(({ example }) => codeOf(example, "yaml")))("the YAML of $name is valid", ({ example }) => {
    const { resources = {}, variables = {} } = parse(codeOf(example, "yaml")!);
    for (const { type, properties } of Object.values<{ type: string; properties: object }>(resources)) {
      if (type === "pulumi:providers:tunnel-edge") continue;
      const args = JSON.parse(JSON.stringify(properties), resolve);
      expect(check(type.replace("tunnel-edge:", ""), args)).toEqual([]);
    }
    for (const variable of Object.values<{ "fn::invoke": { function: string; arguments: object } }>(variables)) {
      const { function: name, arguments: args } = variable["fn::invoke"];
      const { inputs } = schema.functions[token(name.replace("tunnel-edge:", ""))]!;
      expect(Object.keys(inputs.properties!)).toEqual(expect.arrayContaining(Object.keys(args)));
      expect(Object.keys(args)).toEqual(expect.arrayContaining(inputs.required ?? []));
    }
  });

  test("names are Python's where they are the API's, and unchanged where they are the user's", () => {
    const python = examples.map(({ example }) => codeOf(example, "python")).join("\n");
    expect(python).toContain('ip_restriction={"ip_policy_ids": ["ipp_2QSC…"]}');
    expect(python).toContain('add={"X-Api-Key": config.require_secret("upstreamKey")}');
    expect(python).toContain('tls_termination={"terminate_at": tunnel.TerminateAt.EDGE, "min_version": "1.2"}');
    expect(python).toContain('found = tunnel.get_tunnels(labels={"app": "web"}, region="eu")');
  });
});
