/** The audit, with an npm and a list of Node's releases that say what is vulnerable. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { runProcess } from "../support/cli/example";
import { root } from "../support/root";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const advisory = (title: string) => ({ title, url: "https://example.com/advisory" });
const found = (name: string, via: (object | string)[], nodes = [`node_modules/${name}`]) => ({ name, via, nodes });

/** Runs the audit, and returns its exit code and what it prints. */
async function audit(vulnerabilities: object[], releases: { version: string; security: boolean }[]) {
  const report = JSON.stringify({ vulnerabilities: { ...vulnerabilities } });
  // npm's audit fails if it finds something, even where nobody is concerned.
  const script = `#!/bin/sh\ncat <<'END'\n${report}\nEND\nexit ${vulnerabilities.length > 0 ? 1 : 0}\n`;
  writeFileSync(join(folder, "npm"), script, { mode: 0o755 });
  const server = createServer((_, response) => response.end(JSON.stringify(releases))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { code, printed } = await runProcess(process.execPath, [join(root, "scripts/release/audit.mjs")], root, {
    ...process.env,
    PATH: [folder, process.env["PATH"]].join(delimiter),
    NODE_RELEASES: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  server.close();
  return { code, lines: printed.trim().split("\n") };
}

test("warns about the package's dependencies, the plugin's bundle and its Node", async () => {
  const [major] = readFileSync(join(root, ".nvmrc"), "utf8").split(".");
  expect(
    await audit(
      [
        found("undici", [advisory("Smuggling")]),
        found("@grpc/grpc-js", [advisory("Exhaustion")]),
        found("jest", [advisory("Not shipped")]),
        found("@pulumi/pulumi", ["@npmcli/arborist"]),
      ],
      [
        { version: `v${major}.99.0`, security: true },
        { version: `v${major}.98.0`, security: false },
        { version: `v${major}.0.0`, security: true },
        { version: "v22.99.0", security: true },
      ],
    ),
  ).toEqual({
    code: 1,
    lines: [
      "undici: Smuggling (https://example.com/advisory)",
      "@grpc/grpc-js: Exhaustion (https://example.com/advisory)",
      expect.stringMatching(`^Node ${major}\\.\\S+: v${major}\\.99\\.0 is a security release\\.`),
    ],
  });
});

test("does not fail for packages that only develop this one", async () => {
  expect(await audit([found("jest", [advisory("Not shipped")])], [])).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^No known vulnerability in \d+ packages and Node\.$/)],
  });
});
