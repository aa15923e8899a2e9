/** The comment of a pull request: who can connect after a change, and what the change is. */

import { isObject } from "../../base/json";
import { joinWithAnd } from "../../base/quote";
import { listChanges } from "../exposure";
import { type AddressChange, type Connection, severity } from "../exposure/addresses";
import { listLostModules } from "../exposure/lostModules";
import { describeReason, describeResource, describeWho } from "../exposure/messages";
import { type Preview, readPreview, resolveSteps } from "../exposure/preview";
import { listDifferences } from "./diff";
import { comment, type Limit, shorten, summary } from "./limit";
import { code, details, fence, hidden, plain, table } from "./markdown";
import { type Drawn, drawPicture } from "./picture";

/** A file with a preview: what it contains, or why that could not be read. */
export interface Source {
  name: string;
  content?: unknown;
  problem?: string;
  /** Whether the preview was made with `--refresh`. Its steps do not show that if the state is empty. */
  isRefreshed?: boolean;
}

export interface ReportOptions {
  /** What a change that opens an address needs: `the label opens-edges`. */
  needs?: string;
  /** Further messages, such as what a policy pack printed. */
  messages?: string[];
  commit?: string;
  /** `project/stack`, for previews that failed before they named them. */
  stack?: string;
  /** Where the whole report is. */
  details?: string;
  /** Whether it is for the summary of a job, which may be longer than a comment. */
  isSummary?: boolean;
}

/** What the errors, and the table, may take of the whole. */
const errorShare = 0.2;
const tableShare = 0.3;

/** The Markdown of a comment on these previews of one change. */
export function writeReport(sources: Source[], options: ReportOptions = {}): string {
  const previews = sources.map(readSource);
  const good = previews.flatMap(({ preview }) => (preview && preview.errors.length === 0 ? [preview] : []));
  const limit = options.isSummary ? summary : comment;
  const changes = listChanges(good.map(({ steps }) => resolveSteps(steps)));
  const isComplete = good.length === previews.length;
  const where = options.details ? `[the job's summary](${options.details})` : "the job's summary";
  const fixed = [
    hidden(`pulumi-tunnel-edge report: ${options.stack ?? findStack(good) ?? ""}`),
    writeVerdict(changes, isComplete, options.needs),
    writeCounts(previews),
    ...writeWarnings(listLostModules(good.map(({ steps }) => resolveSteps(steps)))),
    ...writeErrors(previews, options.messages ?? [], where, limit),
    ...writeAddresses(changes.filter(isShown), where, limit),
  ];
  const end = options.commit ? [`Commit ${code(options.commit)}.`] : [];
  const join = (blocks: string[]) => `${blocks.join("\n\n")}\n`;
  const hasRefreshed = [...sources, ...good].some(({ isRefreshed }) => isRefreshed);
  const rest = limit.most - limit.measure(join([...fixed, ...end]));
  return join([...fixed, ...writeDiffs(good, hasRefreshed, { ...limit, most: rest }, where), ...end]);
}

interface Read {
  name: string;
  preview?: Preview;
  problems: string[];
}

function readSource({ name, content, problem, isRefreshed }: Source): Read {
  if (problem !== undefined) return { name, problems: [problem] };
  try {
    const preview = readPreview(content);
    return { name, preview: isRefreshed ? { ...preview, isRefreshed } : preview, problems: preview.errors };
  } catch (error) {
    return { name, problems: [(error as Error).message] };
  }
}

/** `project/stack`, from a URN. */
function findStack(previews: Preview[]): string | undefined {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(previews[0]?.steps[0]?.urn ?? "") ?? [];
  return stack && `${project}/${stack}`;
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "es"}`;

function writeVerdict(changes: AddressChange[], isComplete: boolean, needs?: string): string {
  const certain = changes.filter(({ opens }) => opens === true).length;
  const possible = changes.filter(({ opens }) => opens === "unknown").length;
  const parts = [
    ...(certain > 0 ? [`anyone can connect to ${plural(certain, "public address")}`] : []),
    ...(possible > 0 ? [`anyone might be able to connect to ${plural(possible, "public address")}`] : []),
  ];
  const opening = parts.length > 0 ? `After this change ${joinWithAnd(parts)}, and could not before.` : undefined;
  const need = needs && parts.length > 0 ? ` Merging it needs ${needs}.` : "";
  if (!isComplete) {
    const known = opening ? ` ${opening}` : "";
    return `### ❓ Who can connect after this change is not known\n\nA preview failed.${known}${need}`;
  }
  if (!opening) return "### ✅ This change opens no public address";
  return `### ⚠️ This change opens public addresses\n\n**${opening}**${need}`;
}

const operations: Record<string, string> = {
  create: "to create",
  update: "to update",
  replace: "to replace",
  delete: "to delete",
  import: "to import",
  same: "unchanged",
};

/** How many resources the last preview changes: what a deployment would do. */
function writeCounts(previews: Read[]): string {
  const summary = previews.findLast(({ preview }) => preview)?.preview?.summary;
  const counts = Object.entries(operations).flatMap(([name, words]) =>
    summary?.[name] ? [`${Number(summary[name])} ${words}`] : [],
  );
  return counts.length > 0 ? `${counts.join(", ")}.` : "No counts, because no preview could be read.";
}

function writeErrors(previews: Read[], messages: string[], where: string, { most, measure }: Limit): string[] {
  const files = new Map<string, string[]>();
  for (const { name, problems } of previews) {
    const text = [...new Set(problems)].join("\n");
    if (text !== "") files.set(text, [...(files.get(text) ?? []), name]);
  }
  const errors = [...files].flatMap(([text, names]) => [`${names.join(", ")}:`, ...toLines(text)]);
  const lines = [...errors, ...messages.flatMap(toLines)];
  const write = (shown: string[], left: number) => fence("text", [...shown, ...describeRest(left, where)]);
  return lines.length > 0 ? ["**Errors**", shorten(lines, { most: most * errorShare, measure }, write)] : [];
}

const mostWarnings = 10;

/** What is a mistake, and opens nothing. */
function writeWarnings(messages: string[]): string[] {
  const more = messages.length - mostWarnings;
  const shown = messages.slice(0, mostWarnings).map((message) => `⚠️ ${plain(message)}`);
  return [...shown, ...(more > 0 ? [`⚠️ The same holds for ${more} more.`] : [])];
}

const toLines = (text: string) => text.trimEnd().split(/\r\n|\n|\r/);

/** How many lines of a block are left out. There are no links in it. */
const describeRest = (left: number, where: string): string[] =>
  left === 0 ? [] : [`… ${left} more lines are in ${where.replace(/^\[(.*)\]\(.*\)$/, "$1")}.`];

/** Whether it is worth a row: something of the address changes. */
function isShown({ before, after, opens }: AddressChange): boolean {
  const shown = (connection?: Connection) => connection && JSON.stringify(toDrawn(connection));
  return opens !== false || shown(before) !== shown(after);
}

const backendOf = ({ edge }: Connection): string => {
  const { backend } = edge;
  return isObject(backend) && typeof backend.backendId === "string" ? backend.backendId : "not known";
};

const toDrawn = (connection: Connection) => ({
  who: describeWho(connection.who, connection.edge),
  edge: describeResource(connection.change.resource),
  backend: backendOf(connection),
});

const unreadable =
  "The API does not show what IP policies and certificate authorities contain. Of a route of an HTTPS edge, only OIDC and the user agent filter are known.";

function writeAddresses(changes: AddressChange[], where: string, { most, measure }: Limit): string[] {
  if (changes.length === 0) return [];
  const sorted = [...changes].sort((a, b) => severity(b) - severity(a));
  const rows = sorted.map((change) => [
    code(change.address ?? "not known yet"),
    plain(whoBefore(change)),
    change.opens === false ? plain(whoAfter(change)) : `**${whoAfter(change)}**`,
    change.after ? code(describeResource(change.after.change.resource)) : "",
    change.opens === false ? "" : plain(describeReason(change)),
  ]);
  const header = ["Public address", "Before", "After", "Edge", "Why"];
  const write = (shown: string[][], left: number) =>
    table(header, shown) + (left > 0 ? `\n\n${left} more addresses are in ${where}.` : "");
  const picture = drawPicture(sorted.map(draw));
  return [
    shorten(rows, { most: most * tableShare, measure }, write),
    ...(picture ? [fence("mermaid", picture.split("\n"))] : []),
    unreadable,
  ];
}

const whoBefore = ({ before }: AddressChange) => (before ? describeWho(before.who, before.edge) : "nobody");

function whoAfter({ after, opens }: AddressChange): string {
  if (opens !== false) return opens === true ? "anyone" : "might be anyone";
  return after ? describeWho(after.who, after.edge) : "nobody";
}

const draw = (change: AddressChange): Drawn => ({
  ...toDrawn(change.after ?? change.before!),
  who: whoAfter(change),
  address: change.address ?? "not known yet",
  note: `before: ${whoBefore(change)}`,
  isOpen: change.opens !== false,
});

/** The diffs, each once, as far as they fit. */
function writeDiffs(previews: Preview[], hasRefreshed: boolean, { most, measure }: Limit, where: string): string[] {
  const seen = new Set<string>();
  const diffs = previews.flatMap(({ steps, isRefreshed }) => {
    const lines = listDifferences(resolveSteps(steps));
    const text = lines.join("\n");
    if (seen.has(text)) return [];
    seen.add(text);
    // Without a refresh step, how a preview was made is known only if another one was refreshed.
    const title = isRefreshed ? "Compared with the service" : hasRefreshed ? "Compared with the state" : "What changes";
    return [{ title, lines }];
  });
  const titles = diffs.length === 1 && previews.length > 1 ? ["What changes"] : diffs.map(({ title }) => title);
  return diffs.map(({ lines }, index) => {
    const title = titles[index]!;
    const write = (shown: string[], left: number) =>
      details(title, fence("diff", [...shown, ...describeRest(left, where)]));
    // Each is followed by an empty line.
    const share = { most: most / diffs.length - 2, measure };
    return lines.length === 0 ? `${title}: no changes.` : shorten(lines, share, write);
  });
}
