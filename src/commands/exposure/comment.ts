/** The comment of a pull request: who can connect after a change, and what the change is. */

import { joinWithAnd } from "../../base/quote";
import { plural } from "../io";
import { type AcceptedList, accepts, findUnused } from "./accepted";
import type { AddressChange } from "./addresses";
import { listDifferences } from "./diff";
import { type Drift, listDrift } from "./drift";
import { listLostModules } from "./lostModules";
import { details, fence, hidden, plain, takeFitting } from "./markdown";
import type { Answer } from "./model";
import { listChanges } from "./opened";
import { type Preview, readPreview, readPreviewFile, resolveSteps, stackOf } from "./preview";
import { writeTable } from "./table";

export interface CommentOptions {
  list?: AcceptedList;
  /** Further messages, such as what a policy pack printed. */
  messages?: string[];
  /** `project/stack`, for previews that failed before they named them. */
  stack?: string;
}

/** What the blocks may take of the 65,536 characters of a comment. The rest is enough for what stands around them. */
const most = { warnings: 4_000, errors: 12_000, table: 20_000, diff: 20_000 };

/** The Markdown of a comment on the previews of one change. Why a file is none is part of it. */
export function writeComment(files: string[], { list, messages = [], stack }: CommentOptions = {}): string {
  const previews = files.map(readFile);
  const good = previews.filter(({ errors }) => errors.length === 0);
  const steps = good.map((each) => resolveSteps(each.steps));
  const failed = previews.filter(({ errors }) => errors.length > 0).map(({ name }) => name);
  const changes = listChanges(steps);
  const drifts = findDrift(good);
  const blocks = [
    hidden(`pulumi-tunnel-edge exposure: ${stack ?? steps.map(stackOf).find(Boolean) ?? ""}`),
    writeVerdict(changes, drifts, failed, list),
    ...writeWarnings([...listLostModules(steps), ...(list && failed.length === 0 ? findUnused(list, steps) : [])]),
    ...writeErrors([...new Set(previews.flatMap(({ errors }) => errors)), ...messages]),
    ...writeTable(changes, drifts, list, most.table),
    ...writeDiff(good),
  ];
  return `${blocks.join("\n\n")}\n`;
}

interface PreviewFile extends Preview {
  name: string;
}

function readFile(name: string): PreviewFile {
  try {
    return { name, ...readPreviewFile(name, readPreview) };
  } catch (error) {
    return { name, steps: [], errors: [(error as Error).message], isRefreshed: false };
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

function writeVerdict(changes: AddressChange[], drifts: Drift[], failed: string[], list?: AcceptedList): string {
  const [opened, open] = [countOpen(changes), countOpen(drifts.map(({ drift }) => drift))];
  const sentences = [
    opened && `**After this change ${opened}, and could not before.**${list ? ` ${describeList(changes, list)}` : ""}`,
    open && `**Because of drift, ${open} now.**`,
  ];
  const verdict = () => {
    if (failed.length > 0)
      return `❓ Who can connect after this change is not known\n\nA preview failed: ${plain(joinWithAnd(failed))}.`;
    if (opened) return "⚠️ This change opens public addresses";
    return open ? "⚠️ Public addresses are open because of drift" : "✅ This change opens no public address";
  };
  return [`### ${verdict()}`, ...sentences.filter(Boolean)].join("\n\n");
}

/** How many of the openings a list accepts. */
function describeList(changes: AddressChange[], list: AcceptedList): string {
  const opened = changes.filter(({ opens }) => opens !== false);
  const accepted = opened.filter(({ address }) => accepts(list, address));
  const file = plain(list.file);
  if (accepted.length === opened.length) return `Accepted in ${file}.`;
  const [others, them] = opened.length - accepted.length > 1 ? ["the others", "them"] : ["the other", "it"];
  return accepted.length === 0
    ? `Not accepted in ${file}. Restrict ${them}, or list ${them} there.`
    : `${accepted.length} of ${opened.length} accepted in ${file}. Restrict ${others}, or list ${them} there.`;
}

/** Mistakes that open nothing. */
function writeWarnings(messages: string[]): string[] {
  const { shown, rest } = takeFitting(
    messages.map((message) => `⚠️ ${plain(message)}`),
    most.warnings,
  );
  return [...shown, ...(rest > 0 ? [`⚠️ ${rest} more are not shown.`] : [])];
}

/** Why previews failed, and further messages. */
function writeErrors(messages: string[]): string[] {
  const lines = messages.filter((each) => each.trim()).flatMap((each) => each.trimEnd().split(/\r\n|\n|\r/));
  return lines.length > 0 ? ["**Errors**", fence("text", lines, most.errors)] : [];
}

/** What changes: once, or as each preview shows it if they differ. The last one is what a deployment would do. */
function writeDiff(previews: PreviewFile[]): string[] {
  const diffs = new Map<string, string>();
  for (const { name, steps, isRefreshed } of previews) {
    const diff = listDifferences(resolveSteps(steps)).join("\n") || "# no changes";
    diffs.set(diff, `# ${name}${isRefreshed ? ", with --refresh" : ""}`);
  }
  const lines = [...diffs].flatMap(([diff, title]) => [...(diffs.size > 1 ? [title] : []), ...diff.split("\n")]);
  return lines.length > 0 ? [details("What changes", fence("diff", lines, most.diff))] : [];
}
