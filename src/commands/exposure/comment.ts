/** The comment of a pull request: who can connect after a change, and what the change is. */

import { joinWithAnd } from "../../base/quote";
import { plural } from "../io";
import { type AcceptedList, accepts, findUnused } from "./accepted";
import type { AddressChange } from "./addresses";
import { listDifferences } from "./diff";
import { type Drift, listDrift } from "./drift";
import { listChanges } from "./index";
import { listLostModules } from "./lostModules";
import { details, fence, hidden, plain, takeFitting } from "./markdown";
import type { Answer } from "./model";
import { type Preview, readPreview, resolveSteps, stackOf } from "./preview";
import { writeTable } from "./table";

/** A file with a preview: what it contains, or why that could not be read. */
export interface PreviewFile {
  name: string;
  content?: unknown;
  problem?: string;
}

export interface CommentOptions {
  list?: AcceptedList;
  /** Further messages, such as what a policy pack printed. */
  messages?: string[];
  /** `project/stack`, for previews that failed before they named them. */
  stack?: string;
}

/** What the blocks may take of the 65,536 characters of a comment. The rest is enough for what stands around them. */
const most = { warnings: 4_000, errors: 12_000, table: 20_000, diff: 20_000 };

/** The Markdown of a comment on the previews of one change. */
export function writeComment(files: PreviewFile[], { list, messages = [], stack }: CommentOptions = {}): string {
  const previews = files.map(readFile);
  const good = previews.filter((each): each is GoodPreview => each.errors.length === 0);
  const steps = good.map((each) => resolveSteps(each.steps));
  const isComplete = good.length === previews.length;
  const changes = listChanges(steps);
  const drifts = findDrift(good);
  const blocks = [
    hidden(`pulumi-tunnel-edge exposure: ${stack ?? steps.map(stackOf).find(Boolean) ?? ""}`),
    writeVerdict(changes, drifts, isComplete, list),
    ...writeWarnings([...listLostModules(steps), ...(list && isComplete ? findUnused(list, steps) : [])]),
    ...writeErrors(previews, messages),
    ...writeTable(changes, drifts, list, most.table),
    ...writeDiff(good),
  ];
  return `${blocks.join("\n\n")}\n`;
}

type ReadPreview = { name: string; errors: string[] } & Partial<Preview>;
type GoodPreview = { name: string } & Preview;

function readFile({ name, content, problem }: PreviewFile): ReadPreview {
  if (problem !== undefined) return { name, errors: [problem] };
  try {
    return { name, ...readPreview(content) };
  } catch (error) {
    return { name, errors: [(error as Error).message] };
  }
}

/** What the service has that the state does not: one preview of each kind shows it. */
function findDrift(previews: Preview[]): Drift[] {
  const find = (isRefreshed: boolean) => previews.find((each) => each.isRefreshed === isRefreshed)?.steps;
  const [withoutRefresh, withRefresh] = [find(false), find(true)];
  return withoutRefresh && withRefresh ? listDrift(resolveSteps(withoutRefresh), resolveSteps(withRefresh)) : [];
}

/** To how many addresses anyone can connect, and might be able to. */
function countOpen(changes: { opens: Answer }[]): string | undefined {
  const count = (answer: Answer) => changes.filter(({ opens }) => opens === answer).length;
  const [certain, possible] = [count(true), count("unknown")];
  const parts = [
    ...(certain > 0 ? [`anyone can connect to ${plural(certain, "public address", "es")}`] : []),
    ...(possible > 0 ? [`anyone might be able to connect to ${plural(possible, "public address", "es")}`] : []),
  ];
  return parts.length > 0 ? joinWithAnd(parts) : undefined;
}

function writeVerdict(changes: AddressChange[], drifts: Drift[], isComplete: boolean, list?: AcceptedList): string {
  const [opened, open] = [countOpen(changes), countOpen(drifts.map(({ drift }) => drift))];
  const sentences = [
    opened && `**After this change ${opened}, and could not before.**${list ? ` ${describeList(changes, list)}` : ""}`,
    open && `**Because of drift, ${open} now.**`,
  ];
  return [writeTitle(opened, open, isComplete), !isComplete && "A preview failed.", ...sentences]
    .filter(Boolean)
    .join("\n\n");
}

function writeTitle(opened: string | undefined, open: string | undefined, isComplete: boolean): string {
  if (!isComplete) return "### ❓ Who can connect after this change is not known";
  if (opened) return "### ⚠️ This change opens public addresses";
  return open ? "### ⚠️ Public addresses are open because of drift" : "### ✅ This change opens no public address";
}

/** How many of the openings a list accepts. */
function describeList(changes: AddressChange[], list: AcceptedList): string {
  const opened = changes.filter(({ opens }) => opens !== false);
  const accepted = opened.filter(({ address }) => accepts(list, address));
  const file = plain(list.file);
  if (accepted.length === opened.length) return `Accepted in ${file}.`;
  return `${accepted.length} of ${opened.length} accepted in ${file}. Restrict the others, or list them there.`;
}

/** What is a mistake, and opens nothing. */
function writeWarnings(messages: string[]): string[] {
  const { shown, left } = takeFitting(
    messages.map((message) => `⚠️ ${plain(message)}`),
    most.warnings,
  );
  return [...shown, ...(left > 0 ? [`⚠️ ${left} more are not shown.`] : [])];
}

/** Why previews failed, each reason once, and further messages. */
function writeErrors(previews: ReadPreview[], messages: string[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const { name, errors } of previews) {
    const reason = [...new Set(errors)].join("\n");
    if (reason !== "") reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  }
  const all = [...[...reasons].map(([reason, names]) => `${names.join(", ")}:\n${reason}`), ...messages];
  const lines = all.flatMap((each) => each.trimEnd().split(/\r\n|\n|\r/));
  return lines.length > 0 ? ["**Errors**", fence("text", lines, most.errors)] : [];
}

const operations = {
  create: "to create",
  update: "to update",
  replace: "to replace",
  delete: "to delete",
  import: "to import",
  same: "unchanged",
};

/** What changes: once, or as each preview shows it if they differ. The last one is what a deployment would do. */
function writeDiff(previews: GoodPreview[]): string[] {
  const summary = previews.at(-1)?.summary;
  if (!summary) return [];
  const diffs = new Map<string, string>();
  for (const { name, steps, isRefreshed } of previews) {
    const diff = listDifferences(resolveSteps(steps)).join("\n") || "# no changes";
    diffs.set(diff, `# ${name}${isRefreshed ? ", with --refresh" : ""}`);
  }
  const lines = [...diffs].flatMap(([diff, title]) => [...(diffs.size > 1 ? [title] : []), ...diff.split("\n")]);
  const counts = Object.entries(operations).flatMap(([name, words]) =>
    summary[name] ? [`${Number(summary[name])} ${words}`] : [],
  );
  const title = ["What changes", counts.join(", ")].filter(Boolean).join(": ");
  return [details(title, fence("diff", lines, most.diff))];
}
