/** What the command `inventory` says of the simulated account and states. */

import type { JsonObject } from "../../src/base/json";
import { takeInventory } from "../../src/commands/inventory";
import { listedKinds } from "../../src/commands/inventory/account";
import { parseExport } from "../../src/commands/inventory/state";
import { readItem } from "../../src/core/functions/query";
import type { Account } from "../../src/emulator/objects";
import { type Entry, engineType, type PendingCreate } from "./engine";

/** The next step that it prints for an interrupted create. */
interface NextStep {
  urn: string;
  id: string;
  isImport: boolean;
}

/** The ids of what no stack manages, and the steps. */
export async function listInventory(
  { apiKeys, sshCredentials, tcpEdges, tlsEdges }: Account,
  stacks: { state: Entry[]; pendingCreates: PendingCreate[] }[],
): Promise<{ unmanaged: Set<string>; steps: NextStep[] }> {
  const lists: Record<string, { id: string }[]> = {
    keys: apiKeys,
    ssh_credentials: sshCredentials,
    tcp_edges: tcpEdges,
    tls_edges: tlsEdges,
  };
  const objects = listedKinds.flatMap((definition) =>
    (lists[definition.list.key] ?? []).map((item) => ({
      definition,
      id: item.id,
      values: readItem(definition, item as unknown as JsonObject),
    })),
  );
  const states = stacks.map((stack) => ({ ...parseExport(exportState(stack))!, isConfigured: true }));
  const service = { baseUrl: "https://api.example.com", headers: {} };
  const lines = await takeInventory({ objects, gaps: [], time: 0 }, states, async () => undefined, service);
  return {
    unmanaged: new Set(lines.flatMap((line) => ("managedBy" in line && line.managedBy?.length === 0 ? [line.id] : []))),
    steps: lines.flatMap((line) => {
      if (line.kind !== "pending") return [];
      const [, id] = /^(\w+) was probably created for/.exec(line.message) ?? [];
      return id === undefined ? [] : [{ urn: line.id, id, isImport: line.message.includes(" add import: ") }];
    }),
  };
}

/** A state as `pulumi stack export` prints it. */
const exportState = ({ state, pendingCreates }: { state: Entry[]; pendingCreates: PendingCreate[] }) => ({
  deployment: {
    resources: state.map(({ urn, type, id, inputs, outputs, isPendingDelete, isPendingReplacement }) => ({
      urn,
      type: engineType(type),
      id,
      inputs,
      outputs,
      delete: isPendingDelete,
      pendingReplacement: isPendingReplacement,
    })),
    pending_operations: pendingCreates.map((create) => ({
      resource: { ...create, type: engineType(create.type) },
      type: "creating",
    })),
  },
});
