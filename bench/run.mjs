// npm run bench [-- --rounds 3 --sizes 100,400,1600]: how many calls, how much state and how much time beyond the
// engine's own. Every ratio is of medians taken in one run, the sides taking turns. Writes bench/RESULTS.md.
import { fork } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { main, root, run, say } from "../scripts/lib.mjs";
import { setup } from "../scripts/setup.mjs";
import { Stack } from "./stack.mjs";
import { subjects } from "./subjects.mjs";

const operations = ["up", "preview", "refresh", "destroy"];
const lines = [];
const profile = [];
const row = (figure, wanted, measured) => {
  lines.push({ figure, wanted, measured });
  say(`${figure}: ${measured}${wanted ? ` (wanted ${wanted})` : ""}`);
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ratio = (a, b) => (a / b).toFixed(2);

await main(async (args) => {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: "string", default: "3" }, sizes: { type: "string", default: "100,400,1600" } },
  });
  const rounds = Number(values.rounds);
  const sizes = values.sizes.split(",").map(Number);
  const directories = await setup();
  const service = await startService();
  try {
    await calls(service, directories);
    await state(service, directories);
    await loading();
    await libraries();
    for (const size of sizes) await times(size, size > 1000 ? 1 : rounds, service, directories);
    await one(15, service, directories);
    await limited(directories);
    await plainCalls(service);
    await emulatorAlone(service);
  } finally {
    service.stop();
  }
  fs.writeFileSync(path.join(root, "bench/RESULTS.md"), report(rounds));
});

/** The embedded service in a process of its own. */
async function startService(options = {}) {
  const child = fork(path.join(root, "bench/service.mjs"), [JSON.stringify(options)]);
  const { url, apiKey } = await new Promise((done, fail) => {
    child.once("message", done);
    child.once("exit", () => fail(new Error("the embedded service did not start")));
  });
  const admin = (method, what) =>
    fetch(`${url}/_emulator/${what}`, { method }).then((answer) => answer.json().catch(() => undefined));
  return {
    url,
    apiKey,
    requests: async () => {
      const requests = await admin("GET", "requests");
      await admin("DELETE", "requests");
      return requests.map(({ method, path: at }) => `${method} ${at}`);
    },
    reset: () => admin("POST", "reset"),
    stop: () => child.kill(),
  };
}

/** Requests by operation. */
async function calls(service, directories) {
  const edge = (args) => `new (require("pulumi-tunnel-edge").TcpEdge)("edge", ${JSON.stringify(args)});`;
  const full = {
    description: "bench",
    hostports: ["1.tcp.example.com:20022"],
    backend: { backendId: "bkdhr_1" },
    ipRestriction: { ipPolicyIds: ["ipp_1"] },
    policy: { inbound: [{ name: "a", actions: [{ type: "deny" }] }] },
  };
  const stack = await new Stack(edge(full), service, directories).init();
  const counted = async (figure, wanted, operation, program) => {
    if (program) stack.write(edge(program));
    await service.requests();
    await stack.time(operation);
    row(`requests: ${figure}`, wanted, (await service.requests()).length);
  };
  await counted("create of an edge with all modules", "1", "up");
  await counted("unchanged up", "0", "up");
  await counted("preview", "0", "preview");
  await counted("one module changed", "1", "up", { ...full, ipRestriction: { ipPolicyIds: ["ipp_2"] } });
  await counted("five things changed", "1", "up", {
    description: "other",
    metadata: "other",
    hostports: ["1.tcp.example.com:20023"],
    backend: { backendId: "bkdhr_2" },
    ipRestriction: { ipPolicyIds: ["ipp_1"] },
    policy: full.policy,
  });
  await counted("refresh of one edge", "1", "refresh");
  await counted("destroy", "1", "destroy");
  stack.remove();
  await service.reset();
}

/** Bytes in the state. */
async function state(service, directories) {
  const bytes = {};
  for (const [name, program] of Object.entries(subjects)) {
    const stack = await new Stack(program(1), service, directories).init();
    await stack.time("up");
    const resource = (await stack.resources()).find(({ type }) => type.includes("dynamic"));
    bytes[name] = JSON.stringify(resource).length;
    if (name === "ours") {
      const texts = [resource.inputs, resource.outputs].map(
        ({ __provider }) => JSON.stringify({ __provider }).length - 2,
      );
      row("bytes of __provider in the state of one edge", "≤ 300", texts[0] + texts[1]);
    }
    await stack.time("destroy");
    stack.remove();
  }
  row("state of one edge ÷ floor", "≤ 1.5", `${ratio(bytes.ours, bytes.floor)} (${bytes.ours} ÷ ${bytes.floor} bytes)`);
  row(
    "state of one edge ÷ documented way",
    "",
    `${ratio(bytes.ours, bytes.documented)} (${bytes.ours} ÷ ${bytes.documented} bytes)`,
  );
}

/** What a script prints in new processes, seven times. */
async function freshly(script) {
  const printed = [];
  for (let i = 0; i < 7; i++) {
    const { stdout } = await run(process.execPath, ["-e", script], { cwd: root });
    printed.push(JSON.parse(stdout));
  }
  return printed;
}

/** What the package adds to the start of a program. */
async function loading() {
  const script = (what) => `
    require("@pulumi/pulumi");
    const began = performance.now();
    ${what}
    console.log(JSON.stringify([began, performance.now() - began, Object.keys(require.cache).some((f) => /node_modules.(zod|undici)./.test(f))]));`;
  const loads = await freshly(script('require("pulumi-tunnel-edge");'));
  const shares = loads.map(([sdk, ours]) => (ours / sdk) * 100);
  const heavy = loads.some(([, , loaded]) => loaded);
  row("loading the package ÷ loading @pulumi/pulumi", "≤ 10 %", `${median(shares).toFixed(1)} %`);
  row("zod or undici loaded in the program", "no", heavy ? "yes" : "no");
}

/** What the host loads when it first checks or calls something, and a no-op host does not. */
async function libraries() {
  const script = (name) => `
    const before = process.memoryUsage().rss;
    const began = performance.now();
    require("${name}");
    console.log(JSON.stringify([performance.now() - began, (process.memoryUsage().rss - before) / 2 ** 20]));`;
  for (const name of ["zod", "undici"]) {
    const loads = await freshly(script(name));
    const [milliseconds, megabytes] = [0, 1].map((index) => median(loads.map((load) => load[index])).toFixed(0));
    row(`loading ${name} in the host, once`, "", `${milliseconds} ms, ${megabytes} MB`);
  }
}

/** Whole operations, the subjects taking turns. */
async function times(size, rounds, service, directories) {
  const names = Object.keys(subjects);
  const taken = Object.fromEntries(
    names.flatMap((name) => operations.map((operation) => [`${name} ${operation}`, []])),
  );
  const memory = Object.fromEntries(names.map((name) => [name, []]));
  const own = Object.fromEntries(names.flatMap((name) => operations.map((operation) => [`${name} ${operation}`, []])));
  let refreshRequests = 0;
  for (let round = 0; round < rounds; round++) {
    const turns = [...names.slice(round % names.length), ...names.slice(0, round % names.length)];
    const stacks = {};
    for (const name of turns) stacks[name] = await new Stack(subjects[name](size), service, directories).init();
    for (const operation of operations) {
      for (const name of turns) {
        await service.requests();
        const { seconds, ...processes } = await stacks[name].time(operation);
        taken[`${name} ${operation}`].push(seconds);
        own[`${name} ${operation}`].push(processes.own());
        if (operation === "up") memory[name].push(processes.hostMegabytes());
        if (name === "ours" && operation === "refresh") refreshRequests = (await service.requests()).length;
        say(`  ${size} × ${name} ${operation}: ${seconds.toFixed(1)} s`);
      }
    }
    for (const name of names) stacks[name].remove();
  }
  const wanted = { up: "≤ 0.9", preview: "≤ 1.0", refresh: "≤ 1.0", destroy: "≤ 0.8" };
  for (const operation of operations) {
    const [ours, documented, floor] = ["ours", "documented", "floor"].map((name) =>
      median(taken[`${name} ${operation}`]),
    );
    const seconds = `(${ours.toFixed(1)} s; ${documented.toFixed(1)} s; ${floor.toFixed(1)} s)`;
    row(
      `${size} edges, ${operation} ÷ documented way`,
      size === 400 ? wanted[operation] : "",
      `${ratio(ours, documented)} ${seconds}`,
    );
    row(`${size} edges, ${operation} ÷ floor`, size === 400 ? "≤ 1.15" : "no growth", ratio(ours, floor));
  }
  row(`requests: refresh of ${size} edges`, String(Math.ceil(size / 100)), refreshRequests);
  if (size === 400) {
    const more = median(memory.ours) - median(memory.floor);
    row("memory of the host with 400 edges over a no-op host", "≤ 40 MB", `${more.toFixed(0)} MB`);
    for (const operation of operations) {
      const of = (name) =>
        ["engine", "program", "host"]
          .map((kind) => median(own[`${name} ${operation}`].map((seconds) => seconds[kind])).toFixed(1))
          .join(" + ");
      profile.push({ operation, ours: of("ours"), documented: of("documented"), floor: of("floor") });
    }
  }
}

/** The smallest preview. */
async function one(rounds, service, directories) {
  const taken = { ours: [], documented: [] };
  const stacks = {};
  for (const name of Object.keys(taken)) {
    stacks[name] = await new Stack(subjects[name](1), service, directories).init();
    await stacks[name].time("up");
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(taken)) taken[name].push((await stacks[name].time("preview")).seconds);
  }
  row("preview of 1 edge ÷ documented way", "≤ 0.95", ratio(median(taken.ours), median(taken.documented)));
  for (const stack of Object.values(stacks)) {
    await stack.time("destroy");
    stack.remove();
  }
}

/** A refresh under the usual limit. */
async function limited(directories) {
  const size = 1000;
  const service = await startService({
    seedEdges: size,
    rateLimit: { requests: 120, windowMs: 60_000, retryAfter: false },
  });
  try {
    const program = (imports) => `
      const { TcpEdge } = require("pulumi-tunnel-edge");
      const ids = ${JSON.stringify(imports)};
      for (const [i, id] of ids.entries()) new TcpEdge("edge-" + i, {}, { import: id });`;
    const account = await fetch(`${service.url}/_emulator/account`).then((answer) => answer.json());
    const ids = account.tcpEdges.map(({ id }) => id);
    const stack = await new Stack(program(ids), service, directories).init();
    await stack.time("up");
    await service.requests();
    const { seconds } = await stack.time("refresh");
    row("refresh of 1,000 edges at 120 requests a minute", "seconds, not minutes", `${seconds.toFixed(1)} s`);
    row("requests: refresh of 1000 edges", "10", (await service.requests()).length);
    stack.remove();
  } finally {
    service.stop();
  }
}

/** The same edges without Pulumi. */
async function plainCalls(service) {
  const { request, Agent } = createRequire(path.join(root, "package.json"))("undici");
  const size = 400;
  const make = (dispatcher, i) =>
    request(`${service.url}/edges/tcp`, {
      dispatcher,
      method: "POST",
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        "service-version": "2",
        "content-type": "application/json",
      },
      body: JSON.stringify({
        hostports: [`${i}.tcp.example.com:20022`],
        backend: { backend_id: "bkdhr_1" },
        ip_restriction: { ip_policy_ids: ["ipp_1"] },
      }),
    }).then(({ body }) => body.dump());
  for (const wide of [1, 8]) {
    await service.reset();
    const dispatcher = new Agent({ connections: wide });
    const began = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: wide }, async () => {
        while (next < size) await make(dispatcher, next++);
      }),
    );
    row(`${size} edges by plain calls, ${wide} at once`, "", `${((performance.now() - began) / 1000).toFixed(2)} s`);
    await dispatcher.close();
  }
  await service.reset();
}

/** How fast the embedded service itself is. */
async function emulatorAlone(service) {
  const { Agent, request } = createRequire(path.join(root, "package.json"))("undici");
  const dispatcher = new Agent({ connections: 64 });
  const headers = { authorization: `Bearer ${service.apiKey}`, "service-version": "2" };
  const times = [];
  const until = performance.now() + 5_000;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (performance.now() < until) {
        const start = performance.now();
        const { body } = await request(`${service.url}/edges/tcp`, { dispatcher, headers });
        await body.dump();
        times.push(performance.now() - start);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  row(
    "the embedded service alone, 64 connections",
    "",
    `${Math.round(times.length / seconds)} requests a second, p99 ${times[Math.floor(times.length * 0.99)].toFixed(0)} ms`,
  );
  await dispatcher.close();
}

function report(rounds) {
  const [cpu] = os.cpus();
  const facts = `${os.cpus().length} × ${cpu?.model ?? "unknown"}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node ${process.version}`;
  const table = lines.map(({ figure, wanted, measured }) => `| ${figure} | ${wanted} | ${measured} |`).join("\n");
  return `# Figures

Written by \`npm run bench\`. Ratios are of medians of ${rounds} rounds (15 of a single edge, 1 above 1,000 edges), the sides taking
turns in one run; in brackets the seconds of ours, of the documented way and of the floor.

- **ours**: \`TcpEdge\` resources with hostports, backend and ipRestriction; the service runs in another process.
- **documented way**: no-op \`pulumi.dynamic.Resource\`s with the same inputs, which talk to nobody.
- **floor**: no-op resources with a provider text written by hand: the least that the engine itself takes.

${facts}

| figure | wanted | measured |
|---|---|---|
${table}

## Where the time goes

Processor seconds of the engine, the program and the provider's host, with 400 edges. They overlap: what decides is the
engine, which with a file backend writes the whole state before and after every step. In a refresh, which writes little, and in a
preview of one edge, it is the host: what it loads, and what it reads and compares beyond nothing.

| | ours | documented way | floor |
|---|---|---|---|
${profile.map(({ operation, ours, documented, floor }) => `| ${operation} | ${ours} | ${documented} | ${floor} |`).join("\n")}
`;
}
