/** A stack moves from the classes to the plugin and back, by aliases, with every resource and two providers. */
import { createStack, declare, startService, urnOf } from "../support/cli/cliStack";
import { createYamlStack, listWrites, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { samples } from "../support/data/samples";

test("moving a stack to the plugin and back changes nothing and sends no writes", async () => {
  const emulator = await startService();
  emulator.seed({ sessions: [{ id: "ts_1", os: "linux" }] });
  const settings = { apiKey: emulator.apiKey, baseUrl: emulator.url };
  type Args = Record<string, unknown>;
  const first: Record<string, Args> = Object.fromEntries(
    samples.map(({ type, parents, programs }) => [type, { ...parents?.(emulator), ...programs("mine")[0] }]),
  );
  first["TunnelSessionCommand"] = { sessionId: "ts_1", commands: ["update"], triggers: ["1"] };
  const entries = (program: typeof first) =>
    Object.entries(program).map((entry, index) => [...entry, index % 2] as const);
  /** Every other resource has the explicit provider. */
  const classes = (program: typeof first, opts: (type: string) => object) =>
    [
      `const account = new tunnel.Provider("account", ${JSON.stringify(settings)});`,
      ...entries(program).map(([type, args, isExplicit]) =>
        declare(type, type.toLowerCase(), args, { ...opts(type), ...(isExplicit && { provider: "=account" }) }),
      ),
    ].join("\n");
  const yaml = (program: typeof first, opts: (type: string) => object) => ({
    resources: {
      account: { type: "pulumi:providers:tunnel-edge", properties: settings },
      ...Object.fromEntries(
        entries(program).map(([type, args, isExplicit]) => [
          type.toLowerCase(),
          yamlResource(type, args, { ...opts(type), ...(isExplicit && { provider: yamlExpression("account") }) }),
        ]),
      ),
    },
  });
  const { stack: dynamic } = await createStack(
    emulator,
    classes(first, () => ({})),
  );
  const { stack: plugin } = await createYamlStack(
    yaml(first, (type) => ({ aliases: [urnOf(type, type.toLowerCase())] })),
    { emulator, env: { PULUMI_BACKEND_URL: dynamic.env["PULUMI_BACKEND_URL"] } },
  );
  await dynamic.up();
  emulator.clearRequests();

  const preview = await plugin.preview();
  expect(preview.steps.filter(({ op }) => op !== "same")).toEqual([]);
  const moved = await plugin.up();
  expect(moved.steps.filter(({ op }) => op !== "same")).toEqual([]);
  expect(moved.steps).toHaveLength(samples.length + 1);
  expect(listWrites(emulator)).toEqual([]);

  dynamic.write(classes(first, (type) => ({ aliases: [{ type: `tunnel-edge:index:${type}` }] })));
  await dynamic.up();
  dynamic.write(classes(first, () => ({})));
  await dynamic.refresh({ args: ["--expect-no-changes"] });
  await dynamic.preview({ expectNoChanges: true });
  expect(listWrites(emulator)).toEqual([]);
});
