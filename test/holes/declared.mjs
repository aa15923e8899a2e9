const owners = "test/core/execute/removal.test.ts";
const protocol = "test/plugin/protocol.test.ts";
const boundary = "test/api/boundary.test.ts";
const admin = "test/emulator/admin.test.ts";

const simulated = "--declared --runs 300 --first";

export default {
  "src/dynamic/host/hostProvider.ts": [
    [
      "what a plugin's program declared is forgotten in the classes",
      "const declared = isFromPlugin(olds) ? parseNames(news[hiddenInputs.declared]) : [];",
      "const declared: string[] = [];",
      simulated,
    ],
    ["a state without its provider is unchanged", '    if (isFromPlugin(olds)) return "changed";\n', "", simulated],
  ],
  "src/core/plan/diff.ts": [
    [
      "what is ignored is not recorded",
      "const paths = [...new Set([...pathsInInputs, ...kept])];",
      "const paths: string[] = [];",
      simulated,
    ],
  ],
  "src/core/execute/removal.ts": [
    [
      "modules that leave the state with a kept edge are not named",
      'which no resource declares.` : "";',
      'which no resource declares.`.slice(0, 0) : "";',
      owners,
      "what nobody declares is named",
    ],
  ],
  "src/plugin/resource.ts": [
    [
      "a string that the engine takes for unknown is dropped",
      "    assertKnown(declared);\n",
      "",
      protocol,
      "takes for unknown",
    ],
  ],
  "src/base/settings.ts": [
    [
      "an invalid proxy is a riddle",
      "problems.push(...invalidProxies(environment));",
      ";",
      boundary,
      "messages name the proxy",
    ],
  ],
  "src/api/callError.ts": [
    [
      "a proxy that rejects is not named",
      "const [, proxyStatus] = /^Proxy response \\((\\d+)\\)/.exec(message) ?? [];",
      "const [, proxyStatus] = /^Proxy answer \\((\\d+)\\)/.exec(message) ?? [];",
      boundary,
      "messages name the proxy",
    ],
  ],
  "src/emulator/hosts.ts": [
    [
      "the emulator's API answers a foreign name",
      "!isLoopback(context.host) || isOwnName",
      "isLoopback(context.host) || isOwnName",
      admin,
      "DNS rebinding",
    ],
  ],
  "src/core/arguments.ts": [
    [
      "what ignoreChanges has kept among the inputs counts as declared",
      "...withoutNames(declared, topLevelNames(ignored))];",
      "...declared];",
      simulated,
    ],
  ],
};
