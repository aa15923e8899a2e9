/** The projects that the import command writes, and its messages. Promise: "Existing objects can be imported". */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "pulumi-tunnel-edge/emulator";
import { importables } from "../../../src/commands/importer/account";
import { reservedNames, UniqueNames } from "../../../src/commands/importer/names";
import { commandsIn, hasComment } from "../../docs/pages";
import { transpile } from "../../support/compile";
import { createSampleObject } from "../../support/data/bodies";
import { manifest } from "../../support/data/manifest";
import { publicKey } from "../../support/data/publicKey";
import { definitionOf, normalize, sampleOf } from "../../support/data/samples";
import type { Properties } from "../../support/engine/provider";
import { compilerErrors, emulator, folder, type Imported, importFrom as runImport } from "./support";

jest.setTimeout(60_000);

const written: Imported[] = [];
const importFrom: typeof runImport = async (...args) => {
  const imported = await runImport(...args);
  if (imported.code === 0 && imported.files.length > 0) written.push(imported);
  return imported;
};

const https: Seed["httpsEdges"] = [
  {
    id: "edghts_1",
    tls_termination: { min_version: "1.3" },
    routes: [
      {
        id: "edghtsrt_login",
        oidc: { issuer: "https://id.example.com", client_id: "edge", client_secret: "hush-hush", scopes: ["email"] },
        request_headers: { add: { "X-Api_Key": "very-secret", "x-plain": "1" }, remove: ["Cookie"] },
        user_agent_filter: { enabled: false, deny: ["(?i)bot"] },
      },
      { id: "edghtsrt_bare" },
    ],
  },
];
const routes = ["--https-edge", "edghts_1", "--route", "edghts_1/edghtsrt_login", "--route", "edghts_1/edghtsrt_bare"];

/** Joins the lines of a wrapped text or comment. */
const unwrap = (text: string) => text.replace(/\s+(?:\/\/ )?/g, " ");

/** An emulator with these objects. */
async function serviceWith(seed: Seed, options?: Parameters<typeof emulator>[0]) {
  const service = await emulator(options);
  service.seed(seed);
  return service;
}
const tcpEdges = (...descriptions: string[]) =>
  descriptions.map((description, index) => ({ id: `edgtcp_${index + 1}`, description }));

/** Finds the resources that a program declares. */
const findResources = (source: string) =>
  [...source.matchAll(/new tunnel\.(\w+)\(\s*("[^"]*"|'[^']*')/g)].map(
    ([, type, name]) => `${type} ${name!.slice(1, -1)}`,
  );

test("declares the arguments of each object, except defaults", async () => {
  const policy = { inbound: [{ name: "no", actions: [{ type: "deny", config: { status_Code: 403 } }] }] };
  const service = await serviceWith({
    tcpEdges: [
      {
        id: "edgtcp_1",
        description: "SSH to the builders",
        metadata: "team=edge",
        hostports: ["1.tcp.example.com:20022"],
        backend: { backend_id: "bkdhr_1" },
        ip_restriction: { enabled: false, ip_policy_ids: ["ipp_b", "ipp_a"] },
        policy,
      },
    ],
    tlsEdges: [
      {
        id: "edgtls_1",
        hostports: ["api.example.com:443"],
        mutual_tls: { certificate_authority_ids: ["ca_1"] },
        tls_termination: { terminate_at: "edge", min_version: "1.2" },
        policy: {},
      },
    ],
  });
  const { code, text } = await importFrom(service);
  expect(code).toBe(0);
  expect(text()).toContain(`
const sshToTheBuilders = new tunnel.TcpEdge(
  "ssh-to-the-builders",
  {
    description: "SSH to the builders",
    metadata: "team=edge",
    hostports: ["1.tcp.example.com:20022"],
    backend: { backendId: "bkdhr_1" },
    ipRestriction: { enabled: false, ipPolicyIds: ["ipp_b", "ipp_a"] },
    policy: {
      inbound: [
        {
          name: "no",
          actions: [{ type: "deny", config: { status_Code: 403 } }],
        },
      ],
    },
  },
  {
    import: "edgtcp_1",
    protect: true,
  },
);
`);
  expect(text()).toContain(`
  {
    hostports: ["api.example.com:443"],
    mutualTls: { certificateAuthorityIds: ["ca_1"] },
    tlsTermination: {},
    policy: {},
  },
`);
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

test("declares every resource as its sample does", async () => {
  const service = await emulator();
  const samples = importables.map(({ definition }) => sampleOf(definition.type));
  const ids = samples.map((sample) => Object.values(createSampleObject(service, sample, "sample")).join("/"));
  const modules = ids.filter((_, index) => samples[index]!.parents);
  const options = modules.flatMap((id) => [id.includes("/") ? "--route" : "--https-edge", id]);
  const { code, files, text } = await importFrom(service, [...options, "--include-api-keys", "--header-values"]);
  expect(code).toBe(0);
  const resources = recordResources(files.map(text));
  for (const [index, { type, programs }] of samples.entries()) {
    const imported = resources.find((each) => each.type === type && each.options["import"] === ids[index]);
    const [args, wanted] = [imported?.args ?? {}, programs("sample")[0]].map((each) => comparable(type, each));
    expect({ type, args }).toEqual({ type, args: wanted });
  }
});

/** The arguments without secrets, which a program gets from the config, and without defaults. */
function comparable(type: string, args: Properties): unknown {
  const { fields } = definitionOf({ type });
  const known = Object.entries(args).filter(([name]) => !fields[name]?.secret);
  const isDefault = (name: string, value: unknown) => name === "minVersion" && value === "1.2";
  const text = JSON.stringify(Object.fromEntries(known), (name, value) => (isDefault(name, value) ? undefined : value));
  return normalize(JSON.parse(text));
}

test("protects every resource unless --no-protect is given", async () => {
  const service = await serviceWith({ tcpEdges: [{}, {}], httpsEdges: https });
  const count = (text: string, part: string) => text.split(part).length - 1;
  const imported = await importFrom(service, [...routes, "--include-api-keys"]);
  expect(count(imported.text(), "protect: true,")).toBe(findResources(imported.text()).length);
  expect(imported.out).toContain("Every resource has `protect: true`");
  expect(imported.text("README.md")).toContain("`pulumi destroy` fails and deletes nothing");
  expect(imported.text("README.md")).toContain("Pulumi displays each import as `create`");

  const unprotected = await importFrom(service, [...routes, "--no-protect"]);
  expect(unprotected.text()).not.toContain("protect");
  expect(unwrap(unprotected.out)).toContain("`pulumi destroy` deletes the imported objects from the account.");
  expect(unprotected.text("README.md")).toMatch(/^> \[!WARNING\]\n> `pulumi destroy` deletes the imported objects/m);
});

describe("API keys", () => {
  const risk = "The API does not say which key is in use.";
  const edges = { tcpEdges: [{ id: "edgtcp_1" }], tlsEdges: [{ id: "edgtls_1" }] };

  test.each([
    [[], ["TcpEdge", "TlsEdge"]],
    [["--include-api-keys"], ["ApiKey", "TcpEdge", "TlsEdge"]],
    [["--only", "tcp-edges"], ["TcpEdge"]],
    [
      ["--only", "tcp-edges,keys"],
      ["ApiKey", "TcpEdge"],
    ],
    [
      ["--only", "tcp-edges", "--include-api-keys"],
      ["ApiKey", "TcpEdge"],
    ],
  ])("are imported only if selected: %j imports %j", async (args, types) => {
    const service = await serviceWith(edges);
    const imported = await importFrom(service, args);
    expect(findResources(imported.text()).map((each) => each.split(" ")[0])).toEqual(types);
    const hasKeys = types.includes("ApiKey");
    expect(service.calls().includes("GET /api_keys")).toBe(hasKeys);
    expect(unwrap(imported.text()).includes(risk)).toBe(hasKeys);
    expect(imported.text("README.md").includes("API keys are not in this project.")).toBe(!hasKeys);
    expect(unwrap(imported.out).includes(`API keys are included. ${risk}`)).toBe(hasKeys);
  });

  test("are left out, which the output, the help and the README explain", async () => {
    const service = await serviceWith(edges);
    const { out, text } = await importFrom(service);
    const help = (await importFrom(service, ["--help"])).out;
    const readme = text("README.md");
    for (const page of [out, help, readme]) {
      expect(unwrap(page)).toContain(risk);
      expect(page).toContain("--include-api-keys");
    }
    expect((await importFrom(service, ["--only", "tcp-edges"])).out).not.toContain("API keys");
  });

  test("are mentioned if the account has nothing else", async () => {
    const imported = await importFrom(await emulator());
    expect(imported).toMatchObject({ code: 0, files: [], err: "" });
    const names = importables.map(({ name }) => name).filter((name) => name !== "keys");
    expect(names).toEqual(expect.arrayContaining(["ssh-credentials", "tcp-edges", "tls-edges"]));
    expect(unwrap(imported.out)).toMatch(`Nothing to import: the account has no ${names.join(", ")}`);
    expect(imported.out).toMatch(/Import\s+them\s+with\s+--include-api-keys\./);
  });
});

describe("--import-file", () => {
  test("writes only what `pulumi import --file` reads", async () => {
    const service = await serviceWith({ tcpEdges: tcpEdges("ssh", "ssh"), httpsEdges: https }, { clock: () => 0 });
    const dir = folder();
    const file = join(dir, "import.json");
    const { code, err, out, text } = await importFrom(service, [...routes, "--import-file", file], { dir });
    expect({ code, err, written: readdirSync(dir) }).toEqual({
      code: 0,
      err: noModules("edghts_1/edghtsrt_bare"),
      written: ["import.json"],
    });
    const resource = (type: string, name: string, id: string) => ({ type: `tunnel-edge:index:${type}`, name, id });
    expect(JSON.parse(text("import.json"))).toEqual({
      resources: [
        resource("TcpEdge", "ssh", "edgtcp_1"),
        resource("TcpEdge", "ssh-2", "edgtcp_2"),
        resource("HttpsEdgeRouteOidc", "oidc-login", "edghts_1/edghtsrt_login"),
        resource("HttpsEdgeRouteRequestHeaders", "request-headers-login", "edghts_1/edghtsrt_login"),
        resource("HttpsEdgeRouteUserAgentFilter", "user-agent-filter-login", "edghts_1/edghtsrt_login"),
        resource("HttpsEdgeTlsTermination", "tls-termination-1", "edghts_1"),
      ],
    });
    expect(out).toContain(`Wrote ${file}, for the import of 6 existing objects:\n\n  TCP edge `);
    expect(unwrap(out)).toContain(
      `in a project that uses the plugin, whose program then needs the declarations that it prints: pulumi import --file ${file} `,
    );
    expect(unwrap(out)).toContain("`pulumi import` protects every resource");
    expect(unwrap(out)).toContain("Keep only objects that no stack manages: the command `inventory --stack <stack> ");

    const again = await importFrom(service, ["--import-file", file], { dir });
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining("overwrite it with --force.") });
    const args = ["--import-file", file, "--force", "--no-protect"];
    expect((await importFrom(service, args, { dir })).out).toContain(`pulumi import --file ${file} --protect=false\n`);
  });

  test.each(["--yaml", "--out=x", "--header-values"])("is rejected with %s", async (other) => {
    const service = await emulator();
    const rejected = await importFrom(service, ["--import-file", "x.json", other]);
    expect(rejected).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/^--import-file and --\S+ exclude/),
    });
    expect(service.requests).toEqual([]);
  });
});

describe("--yaml", () => {
  const pluginLines = `plugins:
  providers:
    - name: tunnel-edge
      path: node_modules/pulumi-tunnel-edge/plugin
`;
  test("writes a project without the plugin's path, and a README with the lines for it", async () => {
    const metadata = "costs $" + "{5}";
    const seed: Seed = {
      tcpEdges: [{ id: "edgtcp_1", description: "ssh", hostports: ["a.example:1"], metadata }],
      tlsEdges: [{ id: "edgtls_1", description: "ssh" }],
      httpsEdges: https,
    };
    const only = ["--only", "tcp-edges,tls-edges,https-edge-route-oidc", "--route", "edghts_1/edghtsrt_login"];
    const service = await serviceWith(seed, { clock: () => 0 });
    const { code, out, err, dir, text } = await importFrom(service, ["--yaml", ...only]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(dir).sort()).toEqual(["Pulumi.yaml", "README.md", "imported.json"]);
    expect(text("Pulumi.yaml")).toBe(`name: project
description: Imported from an existing account of the tunnelling service
runtime: yaml
# Written by \`pulumi-tunnel-edge import\` for existing objects.
config:
  oidcLoginClientSecret:
    type: string
    secret: true
resources:
  ssh:
    type: tunnel-edge:TcpEdge
    properties:
      description: ssh
      metadata: costs $$\{5}
      hostports:
        - a.example:1
    options:
      import: edgtcp_1
      protect: true
  tls-edge-ssh:
    type: tunnel-edge:TlsEdge
    name: ssh
    properties:
      description: ssh
    options:
      import: edgtls_1
      protect: true
  oidc-login:
    type: tunnel-edge:HttpsEdgeRouteOidc
    properties:
      edgeId: edghts_1
      routeId: edghtsrt_login
      issuer: https://id.example.com
      clientId: edge
      clientSecret:
        fn::secret: \${oidcLoginClientSecret}
      scopes:
        - email
    options:
      import: edghts_1/edghtsrt_login
      protect: true
`);
    expect(text("README.md")).toContain(
      `\`\`\`yaml\n${pluginLines}\`\`\`\n\nThen:\n\n\`\`\`sh\npulumi stack init dev\n`,
    );
    expect(text("README.md")).toContain(
      `\npulumi plugin install resource tunnel-edge ${manifest.version} --file pulumi-resource-`,
    );
    expect(out).toContain("\nInstall the plugin first, as its README.md says. Then:\n\n  cd ");
    expect(out).toContain("  pulumi stack init dev\n  pulumi config set --secret oidcLoginClientSecret\n  pulumi up\n");
  });

  test("writes a character beyond 16 bits as one escape, and does not import half of one", async () => {
    const service = await serviceWith(
      { tcpEdges: tcpEdges("tag \u{e0067} end", "half \ud800 end") },
      { clock: () => 0 },
    );
    const { code, err, text } = await importFrom(service, ["--yaml", "--only", "tcp-edges"]);
    expect(code).toBe(0);
    expect(text("Pulumi.yaml")).toContain('description: "tag \\U000e0067 end"');
    expect(text("Pulumi.yaml")).not.toContain("edgtcp_2");
    expect(err).toContain("half of a surrogate pair");
  });

  test("leaves out an object that YAML would read as a function call", async () => {
    const actions = [{ type: "log", config: { "fn::readFile": "/etc/passwd" } }];
    const edges = [{ id: "edgtcp_1", policy: { inbound: [{ actions }] } }, { id: "edgtcp_2" }];
    const service = await serviceWith({ tcpEdges: edges }, { clock: () => 0 });
    const { code, err, text } = await importFrom(service, ["--yaml"]);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^TCP edge edgtcp_1 cannot be imported: .*"fn::"/),
    });
    expect(text("Pulumi.yaml")).not.toContain("fn::");
    expect(text("Pulumi.yaml")).toContain("edgtcp_2");
  });
});

test("writes placeholders for secrets, and names them in the next steps and in the README", async () => {
  const service = await serviceWith({ httpsEdges: https });
  const only = ["--only", "https-edge-route-oidc,https-edge-route-request-headers"];
  const imported = await importFrom(service, [...routes, ...only]);
  const everything = readdirSync(imported.dir)
    .map((file) => readFileSync(join(imported.dir, file), "utf8"))
    .concat(imported.out, imported.err)
    .join("\n");
  expect(everything).not.toMatch(/hush-hush|very-secret/);
  expect(imported.text()).toContain('clientSecret: config.requireSecret("oidcLoginClientSecret"),');
  expect(imported.text()).toContain('"X-Api_Key": config.requireSecret("requestHeadersLoginXApiKey"),');
  for (const key of ["oidcLoginClientSecret", "requestHeadersLoginXApiKey", "requestHeadersLoginXPlain"]) {
    const command = `pulumi config set --secret ${key}\n`;
    expect(imported.out).toContain(command);
    expect(imported.text("README.md")).toContain(command);
  }
  expect(imported.text("README.md")).not.toContain("does not return");

  const plain = await importFrom(service, [...routes, "--header-values"]);
  expect(plain.text()).toContain('"X-Api_Key": "very-secret",');
  expect(plain.text()).toContain("clientSecret: config.requireSecret(");
  expect(plain.text()).not.toContain("hush-hush");
});

test.each(["masked", "absent"] as const)(
  "writes a placeholder for a secret that the service returns as %s",
  async (oidcSecrets) => {
    const service = await serviceWith({ httpsEdges: https }, { oidcSecrets });
    const imported = await importFrom(service, routes);
    expect(imported.text()).toContain('clientSecret: config.requireSecret("oidcLoginClientSecret"),');
    expect(imported.text("README.md")).toContain("The service masks or does not return `oidcLoginClientSecret`");
  },
);

const noModules = (route: string) => `No modules were found for ${route}. Check the id.\n`;

test.each(["404", "null", "empty"] as const)(
  "leaves out a module that the service returns as %s",
  async (emptyModule) => {
    const service = await serviceWith({ httpsEdges: https }, { emptyModule });
    const imported = await importFrom(service, [...routes, "--route", "edghts_1/edghtsrt_gone"]);
    expect(findResources(imported.text()).filter((each) => each.startsWith("Https"))).toEqual([
      "HttpsEdgeRouteOidc oidc-login",
      "HttpsEdgeRouteRequestHeaders request-headers-login",
      "HttpsEdgeRouteUserAgentFilter user-agent-filter-login",
      "HttpsEdgeTlsTermination tls-termination-1",
    ]);
    expect(imported.err).toBe(noModules("edghts_1/edghtsrt_bare") + noModules("edghts_1/edghtsrt_gone"));
  },
);

test("derives unique names from descriptions, hostports or ids", async () => {
  const ids = ["edgtcp_00ABCDEF", "edgtcp_01ABCDEF", "edgtcp_02ABCDEF", "edgtcp_03ABCDEF"];
  const descriptions = [
    "  Zürich:  SSH #2 ",
    undefined,
    "!?",
    "",
    "db",
    "db-2",
    "DB",
    "Bob's",
    "東京 ビルド",
    "x".repeat(200),
  ];
  const edges = descriptions.map((description, index) => ({
    id: ids[index] ?? `edgtcp_${index}`,
    ...(description !== undefined && { description }),
    hostports: index < 2 ? [`a.example.com:${index + 1}`] : [],
  }));
  let seconds = 0;
  const service = await serviceWith(
    { tcpEdges: edges, tlsEdges: [{ description: "db" }] },
    { clock: () => seconds++ * 1000 },
  );
  const text = (await importFrom(service, ["--only", "tcp-edges,tls-edges"])).text();
  const tcp = ["zürich-ssh-2", "a-example-com-2", "tcp-edge-abcdef", "tcp-edge-abcdef-2", "db", "db-2", "db-3", "bobs"];
  const names = [...tcp, "東京-ビルド", "x".repeat(40)].map((name) => `TcpEdge ${name}`);
  expect(findResources(text)).toEqual([...names, "TlsEdge db"]);
  expect(text).toContain("const tlsEdgeDb = new tunnel.TlsEdge(");
});

test("writes the same program in whatever order the service lists objects", async () => {
  const edges = ["a", "a", "b", "a", "", "b"].map((description, index) => ({ id: `edgtcp_${index}`, description }));
  const programs = [];
  for (const tcpEdges of [edges, edges.toReversed()]) {
    const service = await serviceWith({ tcpEdges }, { clock: () => 0 });
    programs.push((await importFrom(service, ["--only", "tcp-edges"])).text());
  }
  expect(programs[0]).toBe(programs[1]);
});

test("writes any description as a string", async () => {
  const words = [
    ...reservedNames,
    "global this",
    "name",
    "type",
    "process",
    "async",
    "constructor",
    "__proto__",
    "1",
    "º",
  ];
  const hostile = [
    '"); process.exit(1); ("',
    "'); process.exit(1); ('",
    "*/ process.exit(1) /*",
    "\n}); process.exit(1);",
    "\u2028process.exit(1)//",
    "`$" + "{process.exit(1)}`",
    '{ import: "edgtcp_other" },',
    "config.requireSecret(",
    "</script>\u202e",
  ];
  const edges = [...words, ...hostile].map((description) => ({ description, metadata: description }));
  const service = await serviceWith({ tcpEdges: edges });
  const imported = await importFrom(service, ["--only", "tcp-edges"]);
  expect(imported.files).toEqual(["index.ts", "tcpEdges1.ts", "tcpEdges2.ts"]);
  const text = imported.text("tcpEdges1.ts") + imported.text("tcpEdges2.ts");
  expect(text).not.toContain("new pulumi.Config");
  // The program, when run, declares every edge with its description.
  const resources = recordResources([imported.text("tcpEdges1.ts"), imported.text("tcpEdges2.ts")]);
  const declaredEdges = resources.map(({ args, options }) => ({ id: options["import"], ...args }));
  expect(declaredEdges).toEqual(
    service.account.tcpEdges
      .toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))
      .map(({ id, description, metadata }) => ({ id, description, metadata })),
  );
});

/** Runs the program with a package that records the resources, and with a config that has every secret. */
function recordResources(sources: string[]) {
  const resources: { type: string; name: string; args: object; options: Record<string, unknown> }[] = [];
  const createClass = (type: string) =>
    class Resource {
      constructor(name: string, args: object, options: Record<string, unknown>) {
        resources.push({ type, name, args, options });
      }
    };
  const packages: Record<string, object> = {
    "pulumi-tunnel-edge": new Proxy({}, { get: (_, type: string) => createClass(type) }),
    "@pulumi/pulumi": {
      Config: class {
        requireSecret = (key: string) => key;
      },
    },
  };
  for (const source of sources) {
    new Function("exports", "require", "module", transpile(source))({}, (name: string) => packages[name] ?? {}, {});
  }
  return resources;
}

test("leaves out values that a program cannot declare, and names them", async () => {
  const sshCredentials = [{ id: "sshcr_1", public_key: publicKey("alice") }];
  const service = await serviceWith({ tcpEdges: [{ id: "edgtcp_1" }], sshCredentials });
  const broken = {
    id: "edgtcp_1",
    description: 7,
    hostports: ["http://a.example.com\u2028:1"],
    ip_restriction: { enabled: true, ip_policies: [] },
    backend: { enabled: true, backend: { id: "bkdhr_1" } },
  };
  service.fail({ path: "/edges/tcp", status: 200, body: { tcp_edges: [broken] } });
  service.fail({ path: "/ssh_credentials", status: 200, body: { ssh_credentials: [{ id: "sshcr_1\u001b[2J" }] } });
  const imported = await importFrom(service, ["--only", "tcp-edges,ssh-credentials"]);
  expect(imported.text()).toContain(`
// Left out: description must be a string, not a number
// Left out: hostports[0]: "http://a.example.com\\u{2028}:1" has a scheme and
// must be "<host>:<port>", such as "1.tcp.example.com:20022"
// Left out: ipRestriction.ipPolicyIds is required
const tcpEdge1 = new tunnel.TcpEdge(
  "tcp-edge-1",
  {
    backend: { backendId: "bkdhr_1" },
  },
  {
    import: "edgtcp_1",
    protect: true,
  },
);
`);
  expect(imported.out).toContain("Values that no program can declare were left out (3); comments say why.");
  expect(imported.err).toBe("SSH credential sshcr_1\\u{1b}[2J cannot be imported: publicKey is required\n");
});

test("splits a program with 300 edges into several files", async () => {
  const edges = Array.from({ length: 300 }, (_, index) => ({
    description: `edge ${index}`,
    hostports: [`1.tcp.example.com:${20_000 + index}`],
    backend: { backend_id: "bkdhr_1" },
  }));
  const service = await serviceWith({ tcpEdges: edges, sshCredentials: [{ public_key: publicKey("alice") }] });
  const { files, text, out } = await importFrom(service);
  expect(files).toEqual(["index.ts", "sshCredentials.ts", ...[1, 2, 3, 4, 5, 6].map((each) => `tcpEdges${each}.ts`)]);
  for (const file of files) expect(text(file).split("\n").length).toBeLessThan(700);
  expect(text().match(/^import/gm)).toHaveLength(7);
  expect(out).toContain(
    "\n  SSH credential    1  sshCredentials.ts\n  TCP edge        300  tcpEdges1.ts … tcpEdges6.ts\n",
  );
});

test("shows the progress of long lists", async () => {
  const edges = Array.from({ length: 25 }, (_, index) => ({ description: `${index}` }));
  const service = await serviceWith({ tcpEdges: edges }, { pageSize: 1 });
  const lines = await importFrom(service);
  const pages = (count: number) => `Reading TCP edge: GET /edges/tcp: ${count} pages read so far…\n`;
  expect(lines.err).toBe(pages(10) + pages(20));
  const line = await importFrom(service, [], { terminal: true });
  expect(line.err).toContain("\r\x1b[KReading TCP edge: 25 requests");
  expect(line.err).toMatch(/\r\x1b\[K$/);
});

test("waits for a rate limit, and informs about it", async () => {
  const service = await emulator({ rateLimit: { requests: 3, windowMs: 1500 } });
  const imported = await importFrom(service, ["--include-api-keys"]);
  expect(imported.code).toBe(0);
  expect(imported.err).toContain("The service's rate limit was reached");
});

test("overwrites existing files only with --force", async () => {
  const service = await emulator();
  const dir = folder();
  writeFileSync(join(dir, "index.ts"), "mine");
  const rejected = await importFrom(service, [], { dir });
  expect(rejected.code).toBe(1);
  expect(rejected.err).toBe(
    `${dir}/index.ts already exists. Choose another place with --out, or overwrite it with --force.\n`,
  );
  expect(service.requests).toEqual([]);
  expect(readdirSync(dir)).toEqual(["index.ts"]);
  expect(rejected.text()).toBe("mine");
  const forced = await importFrom(service, ["--force", "--include-api-keys"], { dir });
  expect(forced.text()).toContain("new tunnel.ApiKey(");
});

test("gives no object the name that another one had in an earlier import", async () => {
  const service = await serviceWith({ tcpEdges: tcpEdges("ssh", "ssh") });
  const names = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/TcpEdge\(\s*"([\w-]+)".*?import:\s*"(\w+)"/gs)].map(([, name, id]) => [id, name]),
    );
  const first = await importFrom(service);
  expect(names(first.text())).toEqual({ edgtcp_1: "ssh", edgtcp_2: "ssh-2" });
  service.api("DELETE", "/edges/tcp/edgtcp_1");
  service.seed({ tcpEdges: [{ id: "edgtcp_3", description: "ssh" }] });
  const again = () => importFrom(service, ["--force"], { dir: first.dir });
  expect(names((await again()).text())).toEqual({ edgtcp_2: "ssh-2", edgtcp_3: "ssh-3" });
  // Neither a new description nor an import of other kinds changes a name.
  service.api("PATCH", "/edges/tcp/edgtcp_2", { description: "web" });
  await importFrom(service, ["--force", "--only", "keys"], { dir: first.dir });
  const last = await again();
  expect(names(last.text())).toEqual({ edgtcp_2: "ssh-2", edgtcp_3: "ssh-3" });
  const recorded = { edgtcp_1: "ssh", edgtcp_2: "ssh-2", edgtcp_3: "ssh-3" };
  expect(JSON.parse(last.text("imported.json")).TcpEdge).toEqual(recorded);
  writeFileSync(join(first.dir, "imported.json"), "[]");
  expect((await again()).err).toMatch(/imported\.json is broken\. Restore it, or import into another directory/);
});

test("leaves no files that block the next run if it cannot write", async () => {
  const service = await serviceWith({ tcpEdges: [{}] });
  const dir = folder();
  // A directory in the place of a file that is being written.
  mkdirSync(join(dir, "README.md.part"));
  expect((await importFrom(service, [], { dir })).err).toMatch(/^Cannot write to .* \(EISDIR\)/);
  expect(readdirSync(dir)).toEqual(["README.md.part"]);
  rmdirSync(join(dir, "README.md.part"));
  expect((await importFrom(service, [], { dir })).code).toBe(0);
});

/** With a number of tries that grows with the square of the number of names, this would take hours. */
test("names objects with equal descriptions without trying all names", () => {
  const names = new UniqueNames();
  const claimed = Array.from({ length: 100_000 }, () => names.claim(["ssh"]));
  expect(new Set(claimed).size).toBe(100_000);
  expect(claimed.at(-1)).toBe("ssh100000");
});

test("does not overwrite an existing file of a split program", async () => {
  const service = await serviceWith({ tcpEdges: Array.from({ length: 60 }, () => ({})) });
  const dir = folder();
  writeFileSync(join(dir, "tcpEdges2.ts"), "mine");
  expect((await importFrom(service, [], { dir })).err).toMatch(/tcpEdges2\.ts already exists\. /);
  expect(readdirSync(dir)).toEqual(["tcpEdges2.ts"]);
});

test("names the project after its directory, without invalid characters", async () => {
  const service = await emulator();
  for (const [name, project] of [
    ["Edges of Zürich", "Edges-of-Z-rich"],
    ["tunnel-edge", "tunnel-edge-import"],
    ["_123", "123"],
  ] as const) {
    const imported = await importFrom(service, ["--include-api-keys"], { dir: join(folder(), name) });
    expect(imported.text("Pulumi.yaml")).toMatch(new RegExp(`^name: ["']?${project}["']?\n`));
    expect(JSON.parse(imported.text("package.json")).name).toBe(project.toLowerCase());
    expect(imported.out).toContain(`  cd ${/ /.test(name) ? `'${imported.dir}'` : imported.dir}\n`);
  }
});

test("writes a project that depends on this version of the package and on Pulumi's SDK", async () => {
  const imported = await importFrom(await emulator(), ["--include-api-keys"]);
  const { dependencies } = JSON.parse(imported.text("package.json"));
  const { version, peerDependencies } = manifest;
  expect(dependencies).toEqual({
    "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"],
    "pulumi-tunnel-edge": `^${version}`,
  });
});

test("prints that there is nothing to import, and writes nothing", async () => {
  const imported = await importFrom(await emulator(), ["--only", "tcp-edges"]);
  expect(imported).toMatchObject({ code: 0, files: [], err: "" });
  expect(imported.out).toBe("Nothing to import: the account has no tcp-edges. No files were written.\n");
});

test.each([
  [["--wrong"], "Unknown option '--wrong'; see --help.\n"],
  [["stray"], "Unexpected argument 'stray'"],
  [["--only", "edges"], `--only: unknown kind "edges"; use any of ${importables.map(({ name }) => name).join(", ")}`],
  [["--route", "edghts_1"], '--route must be <edge-id>/<route-id>, not "edghts_1".\n'],
  [["--https-edge", "edgtcp_1"], '--https-edge must be the id of an HTTPS edge ("edghts_…"), not "edgtcp_1"'],
])("rejects %j with a message of one line", async (args, message) => {
  const service = await emulator();
  const imported = await importFrom(service, args);
  expect(imported).toMatchObject({ code: 2, out: "", files: [] });
  expect(imported.err).toContain(message);
  expect(imported.err.split("\n")).toHaveLength(2);
  expect(service.requests).toEqual([]);
});

test.each([
  [{ TUNNEL_EDGE_API_KEY: "" }, "TUNNEL_EDGE_API_KEY is not set. It selects the account.\n"],
  [{ TUNNEL_EDGE_BASE_URL: "http://example.com" }, 'TUNNEL_EDGE_BASE_URL must start with "https://"'],
  [
    { TUNNEL_EDGE_BASE_URL: "https://example.com", HTTPS_PROXY: "proxy:3128" },
    "HTTPS_PROXY is not the address of a proxy; use one such as http://proxy.example.com:3128.",
  ],
  [{ TUNNEL_EDGE_TIMEOUT_SECONDS: "0" }, "TUNNEL_EDGE_TIMEOUT_SECONDS must be a whole number from 1 to 3600.\n"],
  [{ TUNNEL_EDGE_API_KEY: "wrong-key" }, "Check the API key (TUNNEL_EDGE_API_KEY).\n"],
])("rejects invalid settings: %j", async (env, message) => {
  const imported = await importFrom(await emulator(), [], { env });
  expect(imported).toMatchObject({ code: 1, out: "", files: [] });
  expect(imported.err).toContain(message);
  expect(imported.err).not.toContain("wrong-key");
});

test("logs requests with the setting logRequests", async () => {
  const env = { TUNNEL_EDGE_LOG_REQUESTS: "true" };
  const imported = await importFrom(await emulator(), ["--only", "keys"], { env });
  expect(imported.err).toMatch(/^GET \/api_keys → 200 in \d+ ms\n$/);
});

describe("all projects written above", () => {
  test("have a README whose commands have no comments", () => {
    const commands = written.flatMap(({ text }) => commandsIn(text("README.md")));
    expect(commands).toContain("npm install");
    expect(commands.filter(hasComment)).toEqual([]);
  });

  test("have a program that compiles", () => {
    expect(written.length).toBeGreaterThan(15);
    expect(compilerErrors(written.map(({ dir }) => dir))).toEqual([]);
  });
});
