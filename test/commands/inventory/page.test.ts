/** The output on docs/inventory.md is what the command prints. `RECORD_PAGE=1` records it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/root";
import { emulator, run, stateFile } from "./support";

const file = join(root, "docs/inventory.md");
const now = Date.parse("2026-01-01T00:00:00Z");
const day = 86_400_000;

async function print(): Promise<Record<string, string>> {
  let time = now;
  const account = await emulator({ clock: () => time });
  const restricted = { ip_restriction: { ip_policy_ids: ["ipp_2QSC"] } };
  account.seed({
    tcpEdges: [
      {
        id: "edgtcp_2QSD",
        description: "SSH to the build machines",
        hostports: ["1.tcp.example.com:20022"],
        backend: { backend_id: "bkdtg_2QSB" },
        ...restricted,
      },
      { id: "edgtcp_2QSE", hostports: ["1.tcp.example.com:25432"], backend: { backend_id: "bkdtg_2QSF" } },
    ],
    apiKeys: [{ id: "ak_2QSG", description: "CI", owner_id: "usr_2QSH" }],
    sessions: [{ id: "ts_2QSJ", os: "linux", region: "us", agent_version: "3.5.0" }],
    tunnels: [
      { id: "tn_2QSK", labels: { app: "build" }, backend_ids: ["bkdtg_2QSB"] },
      { id: "tn_2QSL", proto: "https", public_url: "https://demo.example.com" },
    ],
  });
  time += 3 * day - 120_000;
  account.seed({
    tlsEdges: [
      { id: "edgtls_2QSM", hostports: ["api.example.com:443"], backend: { backend_id: "bkdtg_2QSN" }, ...restricted },
    ],
  });
  account.fail({ headers: { Date: new Date(now + 3 * day).toUTCString() }, times: Number.POSITIVE_INFINITY });
  const created = new Date(now).toISOString();
  const ssh: Parameters<typeof stateFile>[0] = [["TcpEdge", "ssh", "edgtcp_2QSD"]];
  const killed = stateFile(ssh, { created, pending: [["TlsEdge", "api", { hostports: ["api.example.com:443"] }]] });
  const own = account.account.apiKeys.find(({ id }) => id !== "ak_2QSG")!.id;
  const managed = stateFile([...ssh, ["TlsEdge", "api", "edgtls_2QSM"], ["ApiKey", "own", own]]);
  const withoutOwn = (text: string) =>
    text
      .split("\n")
      .filter((line) => !line.includes(own))
      .join("\n");
  const left = await run(account, "--state", killed, "--unmanaged", "--since", "10m");
  const all = await run(account, "--state", managed);
  const markdown = await run(account, "--state", managed, "--markdown");
  return {
    killed: `\`\`\`text\n${withoutOwn(left.out).split("\n\n").slice(0, 4).join("\n\n").trimEnd()}\n\`\`\``,
    table: `\`\`\`text\n${withoutOwn(all.out).split("\n\n").slice(0, 2).join("\n\n").trimEnd()}\n\`\`\``,
    picture: /^```mermaid\n.*?^```$/ms.exec(markdown.out)![0],
  };
}

test("docs/inventory.md shows what the command prints", async () => {
  let page = readFileSync(file, "utf8");
  for (const [name, block] of Object.entries(await print())) {
    const start = `<!-- ${name} -->\n`;
    const recorded = new RegExp(`${start}(?:\n\`\`\`.*?\n\`\`\`\n)?`, "s");
    expect(page).toMatch(recorded);
    if (process.env["RECORD_PAGE"]) page = page.replace(recorded, () => `${start}\n${block}\n`);
    else expect(page).toContain(`${start}\n${block}\n`);
  }
  if (process.env["RECORD_PAGE"]) writeFileSync(file, page);
});
