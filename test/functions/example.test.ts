import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as tunnel from "pulumi-tunnel-edge";

const root = resolve(__dirname, "../..");

jest.setTimeout(120_000); // the example's own jest loads everything once more

test("the unit tests of the example pass, without settings and without a service", async () => {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TUNNEL_EDGE|PULUMI|JEST)_/.test(name)),
  );
  const child = spawn(process.execPath, [resolve(root, "node_modules/jest/bin/jest.js"), "--ci"], {
    cwd: resolve(root, "examples/unit-tests"),
    env,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      printed += text;
    });
  }
  const code = await new Promise((done) => child.on("close", done));
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/Tests: +\d+ passed, \d+ total/) });
});

test("the example uses every class, and every function in one of its forms", () => {
  const text = ["edges.ts", "audit.ts"]
    .map((file) => readFileSync(resolve(root, "examples/unit-tests", file), "utf8"))
    .join();
  const names = Object.keys(tunnel).filter((name) => !name.endsWith("Output"));
  expect(names.filter((name) => !new RegExp(`tunnel\\.${name}(Output)?\\(`).test(text))).toEqual([]);
});
