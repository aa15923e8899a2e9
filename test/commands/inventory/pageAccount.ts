/** The account that docs/inventory.md shows, three days after it was set up. */
import { emulator, stateFile } from "./support";

const now = Date.parse("2026-01-01T00:00:00Z");
const day = 86_400_000;

/**
 * The account, the id of the key in use, and the files with two states of a stack: one that manages all but the database,
 * and one whose last create was interrupted.
 */
export async function createPageAccount() {
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
  return { account, own, managed, killed };
}
