/** The lines as tables, and what is said of the whole account. */

import { joinWithAnd, quote } from "../../base/quote";
import type { Who } from "../exposure/model";
import { plural } from "../io";
import { type AddressLine, type CredentialLine, hasNoTunnel, type Line, type Manager } from "./lines";

/** What was found, and what is shown of it. */
export interface Inventory {
  /** The address of the service. */
  baseUrl: string;
  /** By the service's clock, in milliseconds since the epoch. */
  time: number;
  /** How many objects of each kind the account has. */
  counts: { name: string; count: number }[];
  /** Every line of the account, and those that are shown. */
  all: Line[];
  shown: Line[];
  /** How many lines a file leaves out. */
  ignored: number;
  /** How many stacks were compared. */
  stacks: number;
}

interface Column<L> {
  title: string;
  cell(line: L, inventory: Inventory): string;
  /** Whether it is used as it is: an id, an address. */
  isCode?: true;
}

const addressColumns: Column<AddressLine>[] = [
  { title: "Public address", cell: ({ address = "none" }) => address, isCode: true },
  { title: "Who can connect", cell: ({ connects }) => connects },
  { title: "Edge", cell: ({ id, type }) => (type === "Tunnel" ? "" : id), isCode: true },
  {
    title: "Backend",
    cell: ({ backend }) => (backend ? `${backend.id}${backend.isEnabled ? "" : " (disabled)"}` : ""),
  },
  { title: "Tunnels", cell: describeTunnels },
  { title: "Managed by", cell: describeManagedBy },
  { title: "Age", cell: describeAge },
  { title: "Description", cell: describeText },
];

const credentialColumns: Column<CredentialLine>[] = [
  { title: "Id", cell: ({ id }) => id, isCode: true },
  { title: "Owner", cell: ({ ownerId = "" }) => ownerId, isCode: true },
  { title: "Sessions", cell: ({ sessions }) => (sessions === undefined ? "" : String(sessions)) },
  { title: "Managed by", cell: describeManagedBy },
  { title: "Age", cell: describeAge },
  { title: "Description", cell: describeText },
];

/** A table of strings. */
export interface Table {
  title: string;
  header: string[];
  rows: string[][];
  /** The columns that are used as they are. */
  codes: boolean[];
  /** Who can connect to the address of each row. */
  levels: (Who | undefined)[];
}

const levels = ["anyone", "unknown", "restricted", "nobody"];

/** The tables of the shown lines, without empty columns. Open addresses come first. */
export function toTables(inventory: Inventory): Table[] {
  const { shown } = inventory;
  const addresses = listAddresses(shown);
  const credentials = shown.filter((line): line is CredentialLine => line.kind === "credential");
  return [
    toTable("Public addresses", addressColumns, addresses, inventory),
    toTable("API keys and SSH credentials", credentialColumns, credentials, inventory),
  ].filter(({ rows }) => rows.length > 0);
}

/** The public addresses, the most open first. */
const listAddresses = (lines: Line[]): AddressLine[] =>
  lines
    .filter((line): line is AddressLine => line.kind === "address")
    .sort(
      (a, b) => levels.indexOf(a.who) - levels.indexOf(b.who) || compare(a.address, b.address) || compare(a.id, b.id),
    );

const compare = (a = "~", b = "~") => (a < b ? -1 : a > b ? 1 : 0);

function toTable<L extends AddressLine | CredentialLine>(
  title: string,
  columns: Column<L>[],
  lines: L[],
  inventory: Inventory,
): Table {
  const rows = lines.map((line) => columns.map(({ cell }) => cell(line, inventory)));
  const used = columns.map((_, index) => rows.some((row) => row[index] !== ""));
  const keep = <T>(items: T[]) => items.filter((_, index) => used[index]);
  return {
    title,
    header: keep(columns.map((column) => column.title)),
    rows: rows.map(keep),
    codes: keep(columns.map(({ isCode }) => isCode === true)),
    levels: lines.map((line) => ("who" in line ? line.who : undefined)),
  };
}

/** What is wrong, and what to do about it. */
export const listFindings = ({ shown }: Inventory): string[] =>
  shown.flatMap((line) => ("message" in line ? [line.message] : []));

const maxTunnels = 3;

function describeTunnels(line: AddressLine): string {
  const { tunnels = [], backend } = line;
  if (hasNoTunnel(line)) return backend ? "no tunnel" : "";
  const shown = tunnels.slice(0, maxTunnels).map(({ id, session }) => {
    if (!session) return id;
    const { os, region, agentVersion } = session;
    return `${id} (${[os, region, `agent ${agentVersion}`].join(", ")})`;
  });
  const more = tunnels.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function describeManagedBy(line: AddressLine | CredentialLine): string {
  const { managedBy, type } = line;
  const modules = "modulesManagedBy" in line ? (line.modulesManagedBy ?? []) : [];
  const names = (managers: Manager[]) => managers.map(({ name }) => name);
  // No stack can manage a tunnel.
  if (!managedBy || type === "Tunnel") return "";
  return [...(managedBy.length > 0 ? names(managedBy) : ["no stack"]), ...names(modules)].join(", ");
}

const units: [ms: number, name: string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

function describeAge({ createdAt }: { createdAt?: string }, { time }: Inventory): string {
  const ms = time - Date.parse(createdAt ?? "");
  if (Number.isNaN(ms)) return "";
  const [unit, name] = units.find(([length]) => ms >= length) ?? units.at(-1)!;
  return `${Math.max(0, Math.floor(ms / unit))} ${name}`;
}

function describeText({ description }: { description?: string }): string {
  return description === undefined ? "" : quote(description);
}

const whoNames: Record<string, string> = {
  anyone: "open to anyone",
  unknown: "not known",
  restricted: "restricted",
  nobody: "closed",
};

/** What is in the whole account, also if lines are left out. */
export function describeTotals({ counts, all, shown, ignored, stacks }: Inventory): string[] {
  const addresses = listAddresses(all).filter(({ address }) => address !== undefined);
  const counted = levels.flatMap((who) => {
    const number = addresses.filter((line) => line.who === who).length;
    return number > 0 ? [`${number} ${whoNames[who]}`] : [];
  });
  const objects = new Map(
    all.flatMap((line) => ("managedBy" in line && line.type !== "Tunnel" ? [[line.id, line.managedBy!]] : [])),
  );
  const managed = [...objects.values()].filter(({ length }) => length > 0).length;
  return [
    `${plural(addresses.length, "public address", "es")}${counted.length > 0 ? `: ${counted.join(", ")}` : ""}.`,
    `${joinWithAnd(counts.map(({ name, count }) => plural(count, name)))}.`,
    stacks > 0
      ? `${plural(stacks, "stack")} ${stacks === 1 ? "manages" : "manage"} ${managed} of ${plural(objects.size, "object")}.`
      : "To see what is managed, name stacks with --stack, or files from `pulumi stack export` with --state.",
    ...(shown.length < all.length
      ? [`Shown: ${shown.length} of ${plural(all.length, "line")}${ignored > 0 ? `; ${ignored} ignored` : ""}.`]
      : []),
  ];
}

/** What no line can say. */
export const unlisted =
  "The API does not list HTTPS edges and their routes, IP policies, certificate authorities, backends and tunnel credentials, and does not show the contents of IP policies and certificate authorities.";
