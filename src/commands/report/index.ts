/** The comment of a pull request: who can connect after a change, and what the change is. */

import { joinWithAnd } from "../../base/quote";
import { listChanges } from "../exposure";
import type { AddressChange } from "../exposure/addresses";
import { listLostModules } from "../exposure/lostModules";
import type { Answer } from "../exposure/model";
import { type Preview, readPreview, resolveSteps } from "../exposure/preview";
import { writeAddresses } from "./addresses";
import { listDifferences } from "./diff";
import { type Drift, listDrift } from "./drift";
import { comment, type Limit, shorten, summary } from "./limit";
import { code, details, fence, hidden, plain } from "./markdown";

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
  /** Whether there is no change, only drift, which a deployment reverts. */
  isDrift?: boolean;
  /** Whether it is for the summary of a job, which may be longer than a comment. */
  isSummary?: boolean;
}

const restore =
  "The service differs from the program. Deploy to restore what the program declares, or change the program.";

/** What the errors may take of the whole. */
const errorShare = 0.2;

/** The Markdown of a comment on these previews of one change. */
export function writeReport(sources: Source[], options: ReportOptions = {}): string {
  const previews = sources.map(readSource);
  const good = previews.flatMap(({ preview }) => (preview && preview.errors.length === 0 ? [preview] : []));
  const limit = options.isSummary ? summary : comment;
  const changes = listChanges(good.map(({ steps }) => resolveSteps(steps)));
  const isComplete = good.length === previews.length;
  const drifts = findDrift(good);
  const where = options.details ? `[the job's summary](${options.details})` : "the job's summary";
  const fixed = [
    hidden(`pulumi-tunnel-edge report: ${options.stack ?? findStack(good) ?? ""}`),
    writeVerdict(changes, drifts, isComplete, options),
    ...(options.isDrift ? [restore] : []),
    writeCounts(previews),
    ...writeWarnings(listLostModules(good.map(({ steps }) => resolveSteps(steps)))),
    ...writeErrors(previews, options.messages ?? [], where, limit),
    ...writeAddresses(changes, drifts, options.isDrift ? "a deployment" : "merging", where, limit),
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

/** What the service has that the state does not: one preview of each kind shows it. */
function findDrift(previews: Preview[]): Drift[] {
  const find = (isRefreshed: boolean) => previews.find((each) => each.isRefreshed === isRefreshed)?.steps;
  const [withoutRefresh, withRefresh] = [find(false), find(true)];
  return withoutRefresh && withRefresh ? listDrift(resolveSteps(withoutRefresh), resolveSteps(withRefresh)) : [];
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "es"}`;

/** To how many addresses anyone can connect, and might be able to. */
function countOpen(changes: { opens: Answer }[]): string | undefined {
  const count = (answer: Answer) => changes.filter(({ opens }) => opens === answer).length;
  const [certain, possible] = [count(true), count("unknown")];
  const parts = [
    ...(certain > 0 ? [`anyone can connect to ${plural(certain, "public address")}`] : []),
    ...(possible > 0 ? [`anyone might be able to connect to ${plural(possible, "public address")}`] : []),
  ];
  return parts.length > 0 ? joinWithAnd(parts) : undefined;
}

function writeVerdict(
  changes: AddressChange[],
  drifts: Drift[],
  isComplete: boolean,
  { needs, isDrift }: ReportOptions,
): string {
  const [opened, open] = [countOpen(changes), countOpen(drifts.map(({ drift }) => drift))];
  const subject = isDrift ? "a deployment" : "this change";
  const opening = opened && `After ${subject} ${opened}, and could not before.`;
  const now = open && `Because of drift, ${open} now.`;
  const need = needs && opening ? ` Merging it needs ${needs}.` : "";
  const sentences = [opening && `**${opening}**${need}`, now && `**${now}**`].filter(Boolean).join("\n\n");
  if (!isComplete) {
    const known = [opening, now].filter(Boolean).map((each) => ` ${each}`);
    return `### ❓ Who can connect after ${subject} is not known\n\nA preview failed.${known.join("")}${need}`;
  }
  if (opening) return `### ⚠️ ${isDrift ? "A deployment" : "This change"} opens public addresses\n\n${sentences}`;
  if (now) return `### ⚠️ Public addresses are open because of drift\n\n${sentences}`;
  return isDrift ? "### Drift has opened no public address" : "### ✅ This change opens no public address";
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
