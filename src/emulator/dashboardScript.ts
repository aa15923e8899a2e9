/** The page's script, which follows the constants `objectTypes` and `operations`. */
export const script = `const maxRequests = 500;
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

/** Changes the account like any other client of the API, whose own checks apply. */
async function send(method, path, body) {
  const content = body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch("/_emulator/objects" + path, { method, ...content }).catch(() => {
    throw new Error("The emulator does not respond.");
  });
  const result = response.status === 204 ? undefined : await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

async function attempt(action, problem = byId("problem")) {
  problem.textContent = "";
  try {
    await action();
  } catch (error) {
    problem.textContent = error.message;
  }
}

/** Returns the fields of an object that were changed. One that was left out is null. */
function findChanges(before, after) {
  const names = Object.keys({ ...before, ...after });
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

async function openEditor(method, path, title) {
  const { key } = document.activeElement.dataset;
  const before = await send("GET", path);
  const text = byId("editor-body");
  byId("editor-heading").textContent = title;
  byId("editor-request").textContent = method + " " + path;
  byId("editor-problem").textContent = "";
  text.value = JSON.stringify(before ?? { enabled: true }, null, 2);
  byId("editor-masks").hidden = !text.value.includes("********");
  byId("editor").querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    attempt(async () => {
      const after = JSON.parse(text.value);
      await send(method, path, method === "PATCH" ? findChanges(before, after) : after);
      byId("editor").close();
    }, byId("editor-problem"));
  };
  byId("editor").onclose = () => focusButton(key);
  byId("editor").showModal();
}
byId("editor-cancel").onclick = () => byId("editor").close();

/** Focuses a button that may have been created anew. */
function focusButton(key) {
  const buttons = [...byId("account").querySelectorAll("button")];
  (buttons.find((button) => button.dataset.key === key) ?? byId("account-heading")).focus({ preventScroll: true });
}

function createButton(label, title, key, action) {
  const button = createElement("button", { type: "button", "aria-label": label + " " + title, "data-key": label + key }, label);
  button.onclick = () => attempt(action);
  return button;
}

/** Creates the buttons of what the API can do with an object, or with a module of it. */
function createButtons(template, path, title, changeLabel, deleteLabel) {
  const method = ["PATCH", "PUT"].find((each) => operations.includes(each + " " + template));
  const label = changeLabel + " " + title;
  return [
    ...(changeLabel && method ? [createButton(changeLabel, title, path, () => openEditor(method, path, label))] : []),
    ...(deleteLabel && operations.includes("DELETE " + template)
      ? [createButton(deleteLabel, title, path, () => send("DELETE", path))]
      : []),
  ];
}

function createFields(object, names, style, getButtons = () => []) {
  const fields = createElement("dl", { class: style });
  for (const name of names) {
    const value = object[name];
    const isSet = value?.enabled !== undefined || format(value) !== "";
    const buttons = getButtons(name, isSet);
    if (!isSet && buttons.length === 0) continue;
    const isOff = value?.enabled === false;
    const text = isSet ? (isOff ? "off; " : "") + (format(value, !hasOneField(value)) || "on") : "not set";
    fields.append(
      createElement("dt", isOff || !isSet ? { class: isOff ? "off" : "unset" } : {}, name.replaceAll("_", " ")),
      createElement("dd", {}, text, " ", createElement("span", { class: "buttons" }, ...buttons)),
    );
  }
  return fields.childElementCount > 0 ? [fields] : [];
}

/** Whether anyone can connect to an edge, or might be able to: what a policy does besides denying is not documented. */
function describeOpen({ hostports, backend, ip_restriction, mutual_tls, policy, tls_termination }) {
  const isOn = (module) => Boolean(module) && module.enabled !== false;
  if ((hostports ?? []).length === 0 || !isOn(backend)) return "";
  const isPassed = tls_termination?.terminate_at === "upstream";
  const actions = isOn(policy) ? (policy.inbound ?? []).flatMap((rule) => rule.actions ?? []) : [];
  const has = (ids) => (ids ?? []).length > 0;
  const isRestricted =
    (isOn(ip_restriction) && has(ip_restriction.ip_policies)) ||
    (isOn(mutual_tls) && has(mutual_tls.certificate_authorities) && !isPassed) ||
    (has(actions) && actions.every(({ type }) => type === "deny"));
  if (isRestricted) return "";
  const mayRestrict = isOn(ip_restriction) || (isOn(mutual_tls) && !(isPassed && isOn(tls_termination))) || has(actions);
  return mayRestrict ? "might be open to anyone" : "open to anyone";
}

const cards = new Map();
let isFirstUpdate = true;

/** Keeps the element of an object that has not changed, so that the page does not scroll. */
function getCard(object, { path: template, fields, modules }) {
  const text = JSON.stringify(object);
  const existing = cards.get(object.id);
  if (existing?.text === text) return existing.card;
  const path = template.replace("{edge_id}", encodeURIComponent(object.edge)).replace("{id}", encodeURIComponent(object.id));
  const title = object.description || object.id;
  const canPatch = operations.includes("PATCH " + template);
  const getModuleButtons = (name, isSet) => {
    const labels = isSet ? ["Change", "Remove"] : [canPatch ? "" : "Set", ""];
    return createButtons(template + "/" + name, path + "/" + name, name.replaceAll("_", " ") + " of " + title, ...labels);
  };
  const card = createElement(
    "li",
    isFirstUpdate ? {} : { class: "new" },
    createElement("div", { class: "title" }, createElement("h4", {}, title),
      createElement("span", { class: "buttons" }, ...createButtons(template, path, title, "Change", "Delete"))),
    ...(describeOpen(object) ? [createElement("p", { class: "open" }, describeOpen(object))] : []),
    ...(object.description ? [createElement("p", { class: "mono" }, object.id)] : []),
    ...createFields(object, fields, "fields"),
    ...createFields(object, modules, "modules", getModuleButtons),
  );
  cards.set(object.id, { text, card });
  return card;
}

async function showAccount() {
  const account = await (await fetch("/_emulator/account")).json();
  account.routes = account.httpsEdges.flatMap((edge) => edge.routes.map((route) => ({ ...route, edge: edge.id })));
  const parts = objectTypes.filter(({ name }) => account[name].length > 0).flatMap((type) => [
    createElement("h3", {}, type.title + " (" + account[type.name].length + ")"),
    createElement("ul", {}, ...account[type.name].toReversed().map((object) => getCard(object, type))),
  ]);
  if (account.tcpEdges.length + account.tlsEdges.length + account.httpsEdges.length === 0)
    parts.unshift(createElement("p", { class: "soft" }, "No edges yet. Run pulumi up to create some."));
  const focused = byId("account").contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  byId("account").replaceChildren(...parts);
  if (focused !== undefined) focusButton(focused);
  const ids = new Set(objectTypes.flatMap(({ name }) => account[name].map(({ id }) => id)));
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

/** Hides the requests that do not contain all words of the filter: of method, path or status, also as 4xx. */
function applyFilter(changedRows = rows.values()) {
  const words = byId("filter").value.toLowerCase().split(/\\s+/);
  for (const row of changedRows) row.hidden = !words.every((word) => row.dataset.text.includes(word));
  const shown = [...rows.values()].filter((row) => !row.hidden).length;
  const total = rows.size < maxRequests ? String(rows.size) : "the last " + maxRequests;
  byId("count").textContent = shown === rows.size ? total : shown + " of " + total;
}
byId("filter").oninput = () => applyFilter();

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
  const text = [request.method, request.path, request.status, String(request.status)[0] + "xx"].join(" ").toLowerCase();
  const row = createElement("li", { class: isNew ? "new" : "", "data-text": text }, line);
  const existing = rows.get(request.seq);
  if (existing) existing.replaceWith(row);
  else byId("requests").prepend(row);
  rows.set(request.seq, row);
  if (rows.size > maxRequests) {
    const [oldest] = rows.keys();
    rows.get(oldest).remove();
    rows.delete(oldest);
  }
  applyFilter([row]);
  byId("no-requests").hidden = true;
}

function showStatus(text, isConnected) {
  byId("status").textContent = text;
  byId("status").className = isConnected ? "on" : "";
}

function connect() {
  const events = new EventSource("/_emulator/events");
  /** The requests that arrive while those before them are being fetched. */
  let arrived;
  events.onopen = async () => {
    arrived = [];
    const requests = await (await fetch("/_emulator/requests")).json();
    byId("requests").replaceChildren();
    rows.clear();
    for (const request of [...requests.slice(-maxRequests), ...arrived]) showRequest(request, false);
    arrived = undefined;
    showStatus("Connected", true);
    scheduleRefresh();
  };
  events.onerror = () => showStatus("The emulator does not respond. Reconnecting…", false);
  events.addEventListener("account", scheduleRefresh);
  events.addEventListener("request", (event) => {
    const request = JSON.parse(event.data);
    if (arrived) arrived.push(request);
    else showRequest(request, true);
    if (request.method !== "GET") scheduleRefresh();
  });
}
connect();
`;
