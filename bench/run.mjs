// npm run bench [-- --rounds 5 --sizes 100,400,1600]: measures requests, state size and time, and writes bench/RESULTS.md.
// With --quick, it measures only 100 edges, once, and prints the results instead. With --subject ours --subject floor
// it measures and prints only the operations of these programs. With --against ../other, it also measures our programs with the
// package and the plugin of another clone, which is built, such as that of an older commit.
import { fork } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { setup } from "../scripts/dev/setup.mjs";
import { log, main, root, run, work } from "../scripts/lib/index.mjs";
import { Stack } from "./stack.mjs";
import { addClone, preparePlugins, subjects } from "./subjects.mjs";

const operations = ["up", "preview", "refresh", "destroy"];
const figures = [];
const profile = [];
const report = (figure, measured) => {
  figures.push({ figure, measured });
  log(`${figure}: ${measured}`);
};

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((values.length - 1) / 2)] + sorted[Math.floor(values.length / 2)]) / 2;
}
const ratio = (a, b) => (a / b).toFixed(2);

await main(async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      against: { type: "string" },
      quick: { type: "boolean" },
      rounds: { type: "string" },
      sizes: { type: "string" },
      subject: { type: "string", multiple: true },
    },
  });
  const { quick } = values;
  if (values.against) addClone(path.resolve(values.against));
  const rounds = Number(values.rounds ?? (quick ? 1 : 5));
  const sizes = (values.sizes ?? (quick ? "100" : "100,400,1600")).split(",").map(Number);
  const names = values.subject ?? Object.keys(subjects);
  const directories = await setup({ needs: names.some((name) => /YAML/.test(name)) ? ["yaml"] : [] });
  await preparePlugins();
  const service = await startService();
  const measureSizes = async () => {
    const profiledSize = sizes.includes(400) ? 400 : sizes[0];
    for (const size of sizes)
      await measureOperations(names, size, size > 1000 ? 1 : rounds, size === profiledSize, service, directories);
  };
  try {
    if (values.subject) {
      await measureSizes();
      return;
    }
    await countRequests(service, directories);
    await measureState(service, directories);
    await measureLoading();
    await measureLibraries();
    await measureSizes();
    await measureSmallestPreview(quick ? 1 : 15, service, directories);
    await measureRateLimit(quick ? 200 : 1000, directories);
    await measureLimitedCreates(directories);
    await measurePlainRequests(service);
    await measureEmulator(service, quick ? 1_000 : 5_000);
  } finally {
    service.stop();
  }
  const results = formatResults(rounds);
  if (quick) process.stdout.write(results);
  else fs.writeFileSync(path.join(root, "bench/RESULTS.md"), results);
});

/** Starts the emulator in its own process. */
async function startService(options = {}) {
  const child = fork(path.join(root, "bench/service.mjs"), [JSON.stringify(options)]);
  const { url, apiKey } = await new Promise((done, fail) => {
    child.once("message", done);
    child.once("exit", () => fail(new Error("the emulator did not start")));
  });
  const callAdmin = (method, path) =>
    fetch(`${url}/_emulator/${path}`, { method }).then((response) => response.json().catch(() => undefined));
  return {
    url,
    apiKey,
    readRequests: () => callAdmin("GET", "requests"),
    requests: async () => {
      const requests = await callAdmin("GET", "requests");
      await callAdmin("DELETE", "requests");
      return requests.map(({ method, path }) => `${method} ${path}`);
    },
    reset: () => callAdmin("POST", "reset"),
    stop: () => child.kill(),
  };
}

async function countRequests(service, directories) {
  const edge = (args) => ({ index: `new (require("pulumi-tunnel-edge").TcpEdge)("edge", ${JSON.stringify(args)});` });
  const full = {
    description: "bench",
    hostports: ["1.tcp.example.com:20022"],
    backend: { backendId: "bkdtg_1" },
    ipRestriction: { ipPolicyIds: ["ipp_1"] },
    policy: { inbound: [{ name: "a", actions: [{ type: "deny" }] }] },
  };
  const stack = await new Stack(edge(full), service, directories).init();
  const count = async (figure, operation, program) => {
    if (program) stack.write(edge(program));
    await service.requests();
    await stack.time(operation);
    report(`requests: ${figure}`, (await service.requests()).length);
  };
  await count("create of an edge with all modules", "up");
  await count("unchanged program", "up");
  await count("preview", "preview");
  await count("one module changed", "up", { ...full, ipRestriction: { ipPolicyIds: ["ipp_2"] } });
  await count("five things changed", "up", {
    description: "other",
    metadata: "other",
    hostports: ["1.tcp.example.com:20023"],
    backend: { backendId: "bkdtg_2" },
    ipRestriction: { ipPolicyIds: ["ipp_1"] },
    policy: full.policy,
  });
  await count("refresh of one edge", "refresh");
  await count("destroy", "destroy");
  stack.remove();
  await service.reset();
}

async function measureState(service, directories) {
  const bytes = {};
  for (const [name, { program }] of Object.entries(subjects)) {
    const stack = await new Stack(program(1), service, directories).init();
    await stack.time("up");
    const resource = (await stack.resources()).find(({ type }) => !type.startsWith("pulumi:"));
    bytes[name] = JSON.stringify(resource).length;
    if (name === "ours") {
      const [inputs, outputs] = [resource.inputs, resource.outputs].map(
        ({ __provider }) => JSON.stringify({ __provider }).length - 2,
      );
      report("bytes of __provider in the state of one edge", inputs + outputs);
    }
    await stack.time("destroy");
    stack.remove();
  }
  for (const [name, other] of comparisons()) {
    const measured = `${ratio(bytes[name], bytes[other])} (${bytes[name]} ÷ ${bytes[other]} bytes)`;
    report(`state of one edge, ${name} ÷ ${other}`, measured);
  }
}

/** Each subject with each that it is compared with. */
function comparisons(names = Object.keys(subjects)) {
  return names
    .flatMap((name) => (subjects[name].over ?? []).map((other) => [name, other]))
    .filter(([, other]) => names.includes(other));
}

/** Runs a script in seven new processes; returns the JSON that each prints. */
async function runInNewProcesses(script) {
  const results = [];
  for (let i = 0; i < 7; i++) {
    const { stdout } = await run(process.execPath, ["-e", script], { cwd: root });
    results.push(JSON.parse(stdout));
  }
  return results;
}

/** Measures how long a program loads the package. */
async function measureLoading() {
  const createScript = (statement) => `
    require("@pulumi/pulumi");
    const startTime = performance.now();
    ${statement}
    console.log(JSON.stringify([startTime, performance.now() - startTime, Object.keys(require.cache).some((f) => /node_modules.(zod|undici)./.test(f))]));`;
  const loads = await runInNewProcesses(createScript('require("pulumi-tunnel-edge");'));
  const shares = loads.map(([sdk, ours]) => (ours / sdk) * 100);
  const hasLibraries = loads.some(([, , loaded]) => loaded);
  report("loading the package ÷ loading @pulumi/pulumi", `${median(shares).toFixed(1)} %`);
  report("zod or undici loaded in the program", hasLibraries ? "yes" : "no");
}

/** Measures what only our provider host loads, when it first needs it, and what it could load instead. */
async function measureLibraries() {
  const bundleUsed = async (name, contents) => {
    const outfile = path.join(work, "bench", `${name}.js`);
    const stdin = { contents, resolveDir: root, loader: "ts" };
    await build({ stdin, outfile, bundle: true, platform: "node", minifySyntax: true, minifyWhitespace: true });
    return outfile;
  };
  const libraries = {
    zod: "zod",
    "zod/mini": "zod/mini",
    "zod/v4/core": "zod/v4/core",
    "a bundle of what is used of zod": await bundleUsed("zod", 'export * from "./src/core/check/schemas"'),
    undici: "undici",
    "a bundle of undici": await bundleUsed("undici", 'export { Agent, EnvHttpProxyAgent } from "undici"'),
  };
  const createScript = (module) => `
    const before = process.memoryUsage().rss;
    const startTime = performance.now();
    require(${JSON.stringify(module)});
    console.log(JSON.stringify([performance.now() - startTime, (process.memoryUsage().rss - before) / 2 ** 20]));`;
  for (const [name, module] of Object.entries(libraries)) {
    const loads = await runInNewProcesses(createScript(module));
    const [milliseconds, megabytes] = [0, 1].map((index) => median(loads.map((load) => load[index])).toFixed(0));
    report(`loading ${name}, once`, `${milliseconds} ms, ${megabytes} MB`);
  }
}

/** Measures whole operations; in each round every program has a turn. */
async function measureOperations(names, size, rounds, isProfiled, service, directories) {
  /** What each round measured, by the subject and the operation. */
  const measured = Object.fromEntries(
    names.map((name) => [name, Object.fromEntries(operations.map((operation) => [operation, []]))]),
  );
  const requests = Object.fromEntries(names.map((name) => [name, {}]));
  for (let round = 0; round < rounds; round++) {
    const turns = [...names.slice(round % names.length), ...names.slice(0, round % names.length)];
    for (const name of turns) {
      const stack = await new Stack(subjects[name].program(size), service, directories).init();
      for (const operation of operations) {
        await service.requests();
        const times = await stack.time(operation);
        measured[name][operation].push(times);
        requests[name][operation] = (await service.requests()).length;
        const { processorSeconds, wallSeconds } = times;
        log(`  ${size} × ${name} ${operation}: ${processorSeconds.toFixed(1)} s (${wallSeconds.toFixed(1)} s of time)`);
      }
      stack.remove();
    }
  }
  for (const [name, other] of comparisons(names)) {
    for (const operation of operations) {
      const compared = compare(measured[name][operation], measured[other][operation]);
      report(`${size} edges, ${operation}, ${name} ÷ ${other}`, compared);
    }
  }
  for (const name of ["ours", "plugin, YAML"].filter((each) => names.includes(each))) {
    const counts = operations.map((operation) => requests[name][operation]).join(", ");
    report(`requests of ${operations.join(", ")} of ${size} edges, ${name}`, counts);
  }
  const medianOf = (name, operation, read) => median(measured[name][operation].map(read));
  for (const [name, other] of [
    ["ours", "floor"],
    ["plugin, YAML", "YAML floor"],
  ].filter((pair) => pair.every((each) => names.includes(each)))) {
    const [own, theirs] = [name, other].map((each) => medianOf(each, "up", ({ hostMegabytes }) => hostMegabytes));
    report(
      `memory of the provider with ${size} edges, ${name} − ${other}`,
      `${(own - theirs).toFixed(0)} MB (${own.toFixed(0)} MB)`,
    );
  }
  if (!isProfiled) return;
  for (const operation of operations) {
    const formatProfile = (name) =>
      ["engine", "program", "host"]
        .map((kind) => medianOf(name, operation, ({ processorSecondsOf }) => processorSecondsOf[kind]).toFixed(1))
        .join(" + ");
    profile.push({ operation, subjects: names.map(formatProfile) });
  }
}

/**
 * The median of what each round's processor times are to each other, with the lowest and the highest, because rounds
 * differ; the processor seconds; and the same of wall time, which says less where anything else runs.
 */
function compare(own, theirs) {
  const compareTimes = (read) => {
    const ratios = own.map((times, round) => read(times) / read(theirs[round]));
    const range = ratios.length > 1 ? `, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}` : "";
    const [a, b] = [own, theirs].map((rounds) => median(rounds.map(read)).toFixed(1));
    return `${median(ratios).toFixed(2)}${range} (${a} s ÷ ${b} s)`;
  };
  const [processor, wall] = [(times) => times.processorSeconds, (times) => times.wallSeconds].map(compareTimes);
  return `${processor}; wall time ${wall}`;
}

async function measureSmallestPreview(rounds, service, directories) {
  const durations = { ours: [], "documented way": [] };
  const stacks = {};
  for (const name of Object.keys(durations)) {
    stacks[name] = await new Stack(subjects[name].program(1), service, directories).init();
    await stacks[name].time("up");
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(durations)) durations[name].push((await stacks[name].time("preview")).wallSeconds);
  }
  report("preview of 1 edge ÷ documented way", ratio(median(durations.ours), median(durations["documented way"])));
  for (const stack of Object.values(stacks)) {
    await stack.time("destroy");
    stack.remove();
  }
}

/** Measures a refresh with the service's usual rate limit. */
async function measureRateLimit(size, directories) {
  const service = await startService({
    seedEdges: size,
    rateLimit: { requests: 120, windowMs: 60_000, retryAfter: false },
  });
  try {
    const program = (imports) => ({
      index: `
      const { TcpEdge } = require("pulumi-tunnel-edge");
      const ids = ${JSON.stringify(imports)};
      for (const [i, id] of ids.entries()) new TcpEdge("edge-" + i, {}, { import: id });`,
    });
    const account = await fetch(`${service.url}/_emulator/account`).then((response) => response.json());
    const ids = account.tcpEdges.map(({ id }) => id);
    const stack = await new Stack(program(ids), service, directories).init();
    await stack.time("up");
    await service.requests();
    const { wallSeconds } = await stack.time("refresh");
    report(`refresh of ${size} edges at 120 requests a minute`, `${wallSeconds.toFixed(1)} s`);
    report(`requests: refresh of ${size} edges`, (await service.requests()).length);
    stack.remove();
  } finally {
    service.stop();
  }
}

/** Measures the creation of 100 edges at a rate limit, with one stack and with two at once. */
async function measureLimitedCreates(directories) {
  // A single stack waits most of the time, so another one, with a service of its own, does not disturb it.
  const alone = await Promise.all([true, false].map((retryAfter) => createLimited(1, retryAfter, directories)));
  const together = [await createLimited(2, true, directories), await createLimited(2, false, directories)];
  for (const row of [...alone, ...together]) report(...row);
}

/** Creates 100 edges at 10 requests a second, for which 9 seconds are enough. */
async function createLimited(stackCount, retryAfter, directories) {
  const service = await startService({ rateLimit: { requests: 10, windowMs: 1_000, retryAfter } });
  const program = (stack) => ({
    index: `
    const { TcpEdge } = require("pulumi-tunnel-edge");
    for (let i = 1; i <= ${100 / stackCount}; i++) new TcpEdge("edge-" + i, { hostports: ["${stack}.example.com:" + i] });`,
  });
  const createStack = (_, index) => new Stack(program(index), service, directories).init();
  const stacks = await Promise.all(Array.from({ length: stackCount }, createStack));
  await Promise.all(stacks.map((stack) => stack.time("up")));
  const requests = await service.readRequests();
  const times = requests.filter(({ status }) => status !== 429).map(({ time }) => Date.parse(time));
  for (const stack of stacks) stack.remove();
  service.stop();
  return [
    `100 edges at 10 requests a second, ${stackCount} at once, Retry-After: ${retryAfter}`,
    `${ratio(times.at(-1) - times[0], 9_000)}, ${requests.length - times.length} × 429`,
  ];
}

/** Creates the same edges without Pulumi. */
async function measurePlainRequests(service) {
  const { request, Agent } = createRequire(path.join(root, "package.json"))("undici");
  const size = 400;
  const createEdge = (dispatcher, i) =>
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
        backend: { backend_id: "bkdtg_1" },
        ip_restriction: { ip_policy_ids: ["ipp_1"] },
      }),
    }).then(({ body }) => body.dump());
  for (const connections of [1, 8]) {
    await service.reset();
    const dispatcher = new Agent({ connections });
    const startTime = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < size) await createEdge(dispatcher, next++);
      }),
    );
    report(
      `${size} edges by plain calls, ${connections} at once`,
      `${((performance.now() - startTime) / 1000).toFixed(2)} s`,
    );
    await dispatcher.close();
  }
  await service.reset();
}

/** Measures the emulator without Pulumi. */
async function measureEmulator(service, milliseconds) {
  const { Agent, request } = createRequire(path.join(root, "package.json"))("undici");
  const dispatcher = new Agent({ connections: 64 });
  const headers = { authorization: `Bearer ${service.apiKey}`, "service-version": "2" };
  const times = [];
  const until = performance.now() + milliseconds;
  const startTime = performance.now();
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
  const seconds = (performance.now() - startTime) / 1000;
  times.sort((a, b) => a - b);
  report(
    "the emulator only, 64 connections",
    `${Math.round(times.length / seconds)} requests per second, p99 ${times[Math.floor(times.length * 0.99)].toFixed(0)} ms`,
  );
  await dispatcher.close();
}

function formatResults(rounds) {
  const [cpu] = os.cpus();
  const facts = `${os.cpus().length} × ${cpu?.model ?? "unknown"}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node ${process.version}`;
  const table = figures.map(({ figure, measured }) => `| ${figure} | ${measured} |`).join("\n");
  return `# Figures

Written by \`npm run bench\`. What is compared takes turns, in ${rounds} rounds (15 with a single edge, 1 above 1,000 edges).
Operations are compared by the processor time of all their processes: the median of the rounds' ratios, the lowest and the
highest of them, and the median times. Wall time stands beside it.

${Object.entries(subjects)
  .map(([name, { meaning }]) => `- **${name}**: ${meaning}`)
  .join("\n")}

${facts}

| figure | measured |
|---|---|
${table}

## Where the time goes

Processor seconds of the engine, the program and the provider, which overlap in time. Most time is spent by the engine, which with
a file backend writes the whole state before and after every step. In a refresh, which writes little, and in a preview of
one edge, it is spent by the provider, which loads libraries and reads and compares objects. The YAML host gives every
resource a stack trace of itself, about 2.5 kB, so its states are larger and are written more slowly.

| | ${Object.keys(subjects).join(" | ")} |
|---|${Object.keys(subjects)
    .map(() => "---|")
    .join("")}
${profile.map(({ operation, subjects }) => `| ${operation} | ${subjects.join(" | ")} |`).join("\n")}

## What the libraries cost

zod is loaded for the first arguments that are new or have changed, undici for the first request. The memory of each is
measured in a process of its own, so it is not exactly what the provider host would save. No other documented entry point
loads much less: those of zod also load its translations, and undici has only one. Bundles do, but the npm package
bundles no library: with the libraries as dependencies, \`npm update\` installs their security fixes without a new version
of this package.
`;
}
