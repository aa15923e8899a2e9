/** Calls that messages show as a command to paste. */
import { startEmulator } from "pulumi-tunnel-edge/emulator";
import { formatCurl } from "../../src/api/routes";
import { runBash } from "../support/cli/example";
import { curlDelete } from "../support/curl";
import { testIf } from "../support/testIf";

const baseUrl = "https://api.example.com/v2";

test("shows the address in use, and no value of a header", () => {
  const deletion = formatCurl({ baseUrl, headers: {} }, "DELETE /api_keys/{id}", { id: "ak_1" });
  expect(`\`${deletion}\` (set TUNNEL_EDGE_API_KEY first)`).toBe(curlDelete(baseUrl, "/api_keys/ak_1"));
  const headers = { "X-Team's": "hush-1", "service-version": "hush-2" };
  const command = formatCurl({ baseUrl, headers }, "DELETE /edges/tcp/{id}", { id: "edgtcp_1" });
  expect(command).toBe(
    "curl -X DELETE https://api.example.com/v2/edges/tcp/edgtcp_1 " +
      `-H "Authorization: Bearer $TUNNEL_EDGE_API_KEY" -H 'X-Team'\\''s: …' -H 'service-version: …'`,
  );
});

test("quotes an id, so that a shell does not run it", () => {
  const command = formatCurl({ baseUrl, headers: {} }, "DELETE /api_keys/{id}", { id: "a; rm -rf $(x) '`" });
  expect(command).toMatch(/^curl -X DELETE 'https:[^' ]*(?:'\\''[^' ]*)*' -H "Auth/);
});

const testWithCurl = testIf(process.platform !== "win32", "the command is for a shell of Unix");

testWithCurl("deletes the object when it is pasted", async () => {
  const emulator = await startEmulator({ apiKey: "a key with 'quotes'".replaceAll(" ", "-") });
  emulator.seed({ apiKeys: [{ id: "ak_1" }] });
  const command = formatCurl({ baseUrl: emulator.url, headers: {} }, "DELETE /api_keys/{id}", { id: "ak_1" });
  expect(command).not.toContain(emulator.apiKey);
  const env = { PATH: process.env["PATH"], TUNNEL_EDGE_API_KEY: emulator.apiKey };
  expect(await runBash(`${command} --silent --fail`, "/", env)).toEqual({ code: 0, printed: "" });
  expect(emulator.account.apiKeys.map(({ id }) => id)).not.toContain("ak_1");
  await emulator.close();
});
