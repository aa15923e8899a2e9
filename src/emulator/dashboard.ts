import kinds from "./kinds";
import { httpsEdgeRoutes } from "./kinds/httpsEdges";

/** Renders the page that shows the account and live requests. Its script inserts all data as text, never as HTML. */
export function renderDashboard(nonce: string): string {
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
<p id="status" role="status">Connecting…</p>
</header>
<noscript><p>This page needs JavaScript.</p></noscript>
<main>
<section aria-labelledby="account-heading">
<h2 id="account-heading">Account</h2>
<div id="account"></div>
</section>
<section aria-labelledby="requests-heading">
<h2 id="requests-heading">Requests <span id="count" class="count">0</span></h2>
<p id="no-requests" class="soft">None yet.</p>
<ol id="requests" tabindex="0" aria-label="Requests, newest first"></ol>
</section>
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

const style = `
:root { --ink: #1b2129; --soft: #57616c; --paper: #f4f6f8; --card: #fff; --line: #dce2e8; --accent: #1a5fb4;
  --new: #cdeed5; --good: #14703a; --bad: #b42318; --chip: #e8eef5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7ebef; --soft: #9ba7b4; --paper: #12161a; --card: #1a2026; --line: #2e3842; --accent: #8ab8f5;
    --new: #1e4a2c; --good: #6fd08c; --bad: #ff8f80; --chip: #26303a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1rem 1.25rem 3rem; font: 15px/1.45 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; justify-content: space-between; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 1.25rem 0 .5rem; }
h3 { font-size: .85rem; font-weight: 600; margin: 1.1rem 0 .4rem; color: var(--soft); }
#status { margin: 0; color: var(--soft); }
#status::before { content: "●"; margin-right: .4rem; color: var(--bad); }
#status.on::before { color: var(--good); }
.soft { color: var(--soft); margin: .2rem 0; }
.count { font-weight: 400; color: var(--soft); }
.mono, dd, ol, pre { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
ul, ol { list-style: none; margin: 0; padding: 0; }
ul > li, ol { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
#account { columns: 2 20rem; column-gap: .8rem; }
#account > :first-child { margin-top: 0; }
ul > li { padding: .6rem .8rem; margin-bottom: .6rem; break-inside: avoid; }
h3 { break-after: avoid; }
h4 { font-size: .95rem; margin: 0; overflow-wrap: anywhere; }
li > .mono { color: var(--soft); margin: 0; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem .7rem; margin: .4rem 0 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; }
dl.modules { border-top: 1px solid var(--line); padding-top: .4rem; }
.modules dt { color: var(--accent); }
.modules dt.off { color: var(--soft); text-decoration: line-through; }
ol:empty { display: none; }
ol { max-height: 42rem; overflow: auto; }
ol > li { border-bottom: 1px solid var(--line); }
ol > li:last-child { border-bottom: 0; }
.line { display: grid; grid-template-columns: 4.2rem minmax(0, 1fr) max-content 3.5rem; gap: .6rem; padding: .3rem .7rem; }
summary.line { cursor: pointer; }
summary.line:hover { background: var(--chip); }
.method { font-weight: 600; }
.method::before { display: inline-block; width: 1em; content: ""; color: var(--soft); font-weight: 400; }
summary .method::before { content: "▸"; }
[open] > summary .method::before { content: "▾"; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.time { color: var(--soft); text-align: right; }
pre { margin: 0; padding: .2rem .7rem .6rem 1.6rem; white-space: pre-wrap; color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
@media (min-width: 64rem) {
  main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 1.5rem; align-items: start; }
}
@media (prefers-reduced-motion: no-preference) {
  .new { animation: new 2.5s ease-out; }
  @keyframes new { from { background: var(--new); } }
}
`;

/** Routes are shown like objects of their own, after their edges. */
const pageKinds = Object.entries(kinds).flatMap(([name, kind]) => [
  ...(kind.page ? [{ name, ...kind.page }] : []),
  ...(kind === kinds.httpsEdges ? [{ name: "routes", ...httpsEdgeRoutes.page }] : []),
]);

const script = `
"use strict";
const kinds = ${JSON.stringify(pageKinds)};
const maxRequests = 500;
const byId = (id) => document.getElementById(id);

function createElement(name, attributes, ...content) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...content);
  return created;
}

/** Formats the parts of a value that are set, with or without their names. */
function format(value, hasNames = true) {
  if (!value) return "";
  if (Array.isArray(value)) return value.map((item) => format(item)).join(", ");
  if (typeof value !== "object") return String(value);
  if (typeof value.id === "string" && typeof value.uri === "string") return value.id;
  const parts = Object.entries(value)
    .filter(([name]) => name !== "enabled")
    .map(([name, inner]) => [name, format(inner)])
    .filter(([, text]) => text !== "");
  return parts.map(([name, text]) => (hasNames ? name.replaceAll("_", " ") + ": " : "") + text).join("; ");
}

/** Whether a module has only one field besides \`enabled\`, which then needs no name. */
const hasOneField = (value) => value.enabled !== undefined && Object.keys(value).length === 2;

function createFields(object, names, style) {
  const shown = names.filter((name) => object[name]?.enabled !== undefined || format(object[name]) !== "");
  if (shown.length === 0) return [];
  const fields = createElement("dl", { class: style });
  for (const name of shown) {
    const isOff = object[name].enabled === false;
    fields.append(
      createElement("dt", isOff ? { class: "off" } : {}, name.replaceAll("_", " ")),
      createElement("dd", {}, (isOff ? "off; " : "") + (format(object[name], !hasOneField(object[name])) || "on")),
    );
  }
  return [fields];
}

const cards = new Map();
let isFirstUpdate = true;

/** Keeps the element of an object that has not changed, so that the page does not scroll. */
function getCard(object, fields, modules) {
  const text = JSON.stringify(object);
  const existing = cards.get(object.id);
  if (existing?.text === text) return existing.card;
  const card = createElement(
    "li",
    isFirstUpdate ? {} : { class: "new" },
    createElement("h4", {}, object.description || object.id),
    ...(object.description ? [createElement("p", { class: "mono" }, object.id)] : []),
    ...createFields(object, fields, "fields"),
    ...createFields(object, modules, "modules"),
  );
  cards.set(object.id, { text, card });
  return card;
}

async function showAccount() {
  const account = await (await fetch("/_emulator/account")).json();
  account.routes = account.httpsEdges.flatMap((edge) => edge.routes.map((route) => ({ ...route, edge: edge.id })));
  const parts = kinds.filter(({ name }) => account[name].length > 0).flatMap(({ name, title, fields, modules }) => [
    createElement("h3", {}, title + " (" + account[name].length + ")"),
    createElement("ul", {}, ...account[name].toReversed().map((object) => getCard(object, fields, modules))),
  ]);
  if (account.tcpEdges.length + account.tlsEdges.length + account.httpsEdges.length === 0)
    parts.unshift(createElement("p", { class: "soft" }, "No edges yet. Run pulumi up to create some."));
  byId("account").replaceChildren(...parts);
  const ids = new Set(kinds.flatMap(({ name }) => account[name].map(({ id }) => id)));
  for (const id of cards.keys()) if (!ids.has(id)) cards.delete(id);
  isFirstUpdate = false;
}

let isScheduled = false;
function scheduleRefresh() {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    showAccount().catch(() => {});
  }, 100);
}

const rows = new Map();
function showRequest(request, isNew) {
  const isError = typeof request.status !== "number" || request.status >= 400;
  const cells = [
    createElement("span", { class: "method" }, request.method),
    createElement("span", {}, request.path),
    createElement("span", { class: isError ? "bad" : "good" }, String(request.status)),
    createElement("span", { class: "time", title: request.time }, request.ms === undefined ? "" : Math.round(request.ms) + " ms"),
  ];
  const line = request.body === undefined
    ? createElement("div", { class: "line" }, ...cells)
    : createElement("details", {}, createElement("summary", { class: "line" }, ...cells), createElement("pre", {}, JSON.stringify(request.body, null, 2)));
  const row = createElement("li", isNew ? { class: "new" } : {}, line);
  const existing = rows.get(request.seq);
  if (existing) existing.replaceWith(row);
  else byId("requests").prepend(row);
  rows.set(request.seq, row);
  if (rows.size > maxRequests) {
    const [oldest] = rows.keys();
    rows.get(oldest).remove();
    rows.delete(oldest);
  }
  byId("count").textContent = rows.size < maxRequests ? String(rows.size) : "the last " + maxRequests;
  byId("no-requests").hidden = true;
}

function showStatus(text, isConnected) {
  byId("status").textContent = text;
  byId("status").className = isConnected ? "on" : "";
}

function connect() {
  const events = new EventSource("/_emulator/events");
  events.onopen = async () => {
    const requests = await (await fetch("/_emulator/requests")).json();
    byId("requests").replaceChildren();
    rows.clear();
    for (const request of requests.slice(-maxRequests)) showRequest(request, false);
    showStatus("Connected", true);
    scheduleRefresh();
  };
  events.onerror = () => showStatus("The emulator does not respond. Reconnecting…", false);
  events.addEventListener("account", scheduleRefresh);
  events.addEventListener("request", (event) => {
    const request = JSON.parse(event.data);
    showRequest(request, true);
    if (request.method !== "GET") scheduleRefresh();
  });
}
connect();
`;
