/** The page that shows the account and the requests as they come. All data is inserted as text. */
export function page(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tunnel edge emulator</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
<h1>Tunnel edge emulator</h1>
<p id="status" role="status" aria-live="polite">Connecting…</p>
</header>
<main>
<section aria-labelledby="account-heading">
<h2 id="account-heading">Account</h2>
<div id="account"></div>
</section>
<section aria-labelledby="requests-heading">
<h2 id="requests-heading">Requests</h2>
<div class="scroll" role="region" aria-labelledby="requests-caption" tabindex="0">
<table>
<caption id="requests-caption">Requests, newest first</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Request</th><th scope="col">Status</th><th scope="col">Body</th></tr></thead>
<tbody id="requests"></tbody>
</table>
</div>
</section>
</main>
<noscript><p>This page needs JavaScript to follow the emulator.</p></noscript>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

const style = `
:root { --ink: #1d2329; --soft: #59636e; --paper: #fff; --line: #d5dbe1; --new: #d8f3dc; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa5b1; --paper: #14181c; --line: #333c45; --new: #1d4428; --bad: #ff8a7a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem 1.5rem 3rem; font: 15px/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; justify-content: space-between; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
#status, caption, .none { color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding: .75rem 0 .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line); }
th { font-weight: 600; }
td, tbody th { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
td p { margin: 0; }
.scroll { max-height: 32rem; overflow: auto; }
.bad { color: var(--bad); }
@media (prefers-reduced-motion: no-preference) {
  .new { animation: new 3s ease-out; }
  @keyframes new { from { background: var(--new); } }
}
`;

const script = `
"use strict";
const tables = [
  ["tcpEdges", "TCP edges", ["description", "hostports"], ["backend", "ip_restriction", "policy"]],
  ["tlsEdges", "TLS edges", ["description", "hostports"], ["backend", "ip_restriction", "mutual_tls", "tls_termination", "policy"]],
  ["httpsEdges", "HTTPS edges", [], ["tls_termination"]],
  ["routes", "HTTPS edge routes", ["edge"], ["oidc", "request_headers", "user_agent_filter"]],
  ["apiKeys", "API keys", ["description", "owner_id", "created_at"], []],
  ["sshCredentials", "SSH credentials", ["description", "acl", "owner_id", "created_at"], []],
  ["sessions", "Tunnel sessions", ["agent_version", "os", "ip", "region", "started_at"], []],
  ["tunnels", "Tunnels", ["public_url", "labels", "forwards_to", "tunnel_session"], []],
];
const known = new Set();
const byId = (id) => document.getElementById(id);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function words(value) {
  if (value === null || value === undefined || value === "") return "";
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (typeof value !== "object") return String(value);
  if (typeof value.id === "string" && typeof value.uri === "string") return value.id;
  return Object.entries(value)
    .filter(([name]) => name !== "enabled")
    .map(([name, held]) => [name, words(held)])
    .filter(([, text]) => text !== "")
    .map(([name, text]) => name + ": " + text)
    .join("; ");
}

function row(object, columns, modules) {
  const made = element("tr", undefined, known.has(object.id) ? {} : { class: "new" });
  known.add(object.id);
  made.append(element("th", object.id, { scope: "row" }));
  for (const name of columns) made.append(element("td", words(object[name])));
  if (modules.length > 0) {
    const cell = element("td");
    for (const name of modules.filter((each) => object[each]))
      cell.append(element("p", name + (object[name].enabled ? "" : " (off)") + " · " + words(object[name])));
    made.append(cell);
  }
  return made;
}

function table(title, objects, columns, modules) {
  const made = element("table");
  made.append(element("caption", title + " (" + objects.length + ")"));
  const head = element("tr");
  for (const name of ["id", ...columns, ...(modules.length > 0 ? ["modules"] : [])])
    head.append(element("th", name.replaceAll("_", " "), { scope: "col" }));
  made.append(element("thead"), element("tbody"));
  made.tHead.append(head);
  made.tBodies[0].append(...objects.toReversed().map((object) => row(object, columns, modules)));
  return made;
}

async function showAccount() {
  const account = await (await fetch("/_emulator/account")).json();
  account.routes = account.httpsEdges.flatMap((edge) => edge.routes.map((route) => ({ ...route, edge: edge.id })));
  const filled = tables.filter(([name]) => account[name].length > 0);
  byId("account").replaceChildren(
    ...filled.map(([name, title, columns, modules]) => table(title, account[name], columns, modules)),
  );
}

let asked = false;
function refresh() {
  if (asked) return;
  asked = true;
  setTimeout(() => {
    asked = false;
    showAccount().catch(() => {});
  }, 150);
}

const rows = new Map();
function showRequest(request, fresh) {
  const bad = typeof request.status !== "number" || request.status >= 400;
  const made = element("tr", undefined, fresh ? { class: "new" } : {});
  made.append(
    element("td", request.time.slice(11, 23)),
    element("td", request.method + " " + request.path),
    element("td", request.status, bad ? { class: "bad" } : {}),
    element("td", request.body === undefined ? "" : JSON.stringify(request.body)),
  );
  const earlier = rows.get(request.seq);
  if (earlier) earlier.replaceWith(made);
  else byId("requests").prepend(made);
  rows.set(request.seq, made);
  if (rows.size > 500) {
    const [oldest] = rows.keys();
    rows.get(oldest).remove();
    rows.delete(oldest);
  }
}

async function follow() {
  const events = new EventSource("/_emulator/events");
  events.onopen = async () => {
    byId("status").textContent = "Connected";
    const requests = await (await fetch("/_emulator/requests")).json();
    byId("requests").replaceChildren();
    rows.clear();
    for (const request of requests.slice(-500)) showRequest(request, false);
    refresh();
  };
  events.onerror = () => {
    byId("status").textContent = "The emulator does not answer; trying again…";
  };
  events.addEventListener("account", refresh);
  events.addEventListener("request", (event) => {
    const request = JSON.parse(event.data);
    showRequest(request, true);
    byId("status").textContent = request.method + " " + request.path + ": " + request.status;
    if (request.method !== "GET") refresh();
  });
}
follow();
`;
