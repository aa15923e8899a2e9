import { script } from "./dashboardScript";
import { style } from "./dashboardStyle";
import objectTypes from "./objects";
import { httpsEdgeRoutes } from "./objects/httpsEdges";

/** Routes are shown like objects of their own, after their edges. */
const pageTypes = Object.entries(objectTypes).flatMap(([name, type]) => [
  ...(type.page ? [{ name, path: `${type.path}/{id}`, ...type.page }] : []),
  ...(type === objectTypes.httpsEdges
    ? [{ name: "routes", path: `${type.path}/{edge_id}/routes/{id}`, ...httpsEdgeRoutes.page }]
    : []),
]);

/**
 * Renders the page that shows the account and live requests, and changes objects. It has no data: its script fetches
 * them, and inserts them as text, never as HTML. `operations` are those that the service has, such as
 * `DELETE /edges/tls/{id}`.
 */
export function renderDashboard(nonce: string, operations: readonly string[]): string {
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
<h2 id="account-heading" tabindex="-1">Account</h2>
<p id="problem" class="bad" role="alert"></p>
<div id="account"></div>
</section>
<section aria-labelledby="requests-heading">
<h2 id="requests-heading">Requests <span id="count" class="count">0</span></h2>
<input id="filter" type="search" aria-label="Filter requests" placeholder="Filter, such as: patch /edges/tcp 4xx">
<p id="no-requests" class="soft">None yet.</p>
<ol id="requests" tabindex="0" aria-label="Requests, newest first"></ol>
</section>
</main>
<dialog id="editor" aria-labelledby="editor-heading">
<form method="dialog">
<h2 id="editor-heading"></h2>
<p id="editor-request" class="mono"></p>
<textarea id="editor-body" aria-labelledby="editor-request" rows="16" spellcheck="false"></textarea>
<p id="editor-masks" class="soft">A secret that stays ******** is not changed.</p>
<p id="editor-problem" class="bad" role="alert"></p>
<button type="submit">Save</button> <button type="button" id="editor-cancel">Cancel</button>
</form>
</dialog>
<script nonce="${nonce}">
"use strict";
const objectTypes = ${JSON.stringify(pageTypes)};
const operations = ${JSON.stringify(operations)};
${script}</script>
</body>
</html>
`;
}
