/**
 * Hostports that move between edges in one deployment, at a limited parallelism. The engine diffs one resource after
 * another, and the next only when the last has a slot: an update that waits for one that has no slot waits in vain.
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import type { TestedProvider } from "../../support/engine/provider";
import type { ResourceDriver } from "../../support/engine/resourceDriver";

/** The hostports of an edge, before and after. */
interface Move {
  before: string[];
  after: string[];
}

const port = (number: number) => `a.example.com:${number + 1}`;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

export const shapes: Record<string, Move[]> = {
  "a chain": range(6).map((at) => ({ before: [port(at)], after: [port(at + 1)] })),
  "a cycle": range(5).map((at) => ({ before: [port(at)], after: [port((at + 1) % 5)] })),
  /** Also with what they keep. Each pair is a taker and a giver. */
  pairs: range(3).flatMap((pair) => [
    { before: [port(10 * pair), port(10 * pair + 1)], after: [port(10 * pair), port(10 * pair + 2)] },
    { before: [port(10 * pair + 2)], after: [port(10 * pair + 3)] },
  ]),
};

/** A fixed order that depends on the seed. */
const shuffle = (seed: number) => (items: number[]) =>
  items
    .map((item) => ({ item, rank: (Math.imul(item + 1, 2654435761 + 40503 * seed) >>> 7) % 1009 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);

export const orders: Record<string, (items: number[]) => number[]> = {
  "in order": (items) => items,
  reversed: (items) => items.toReversed(),
  "shuffled once": shuffle(1),
  "shuffled twice": shuffle(2),
  "shuffled thrice": shuffle(3),
};

const overlap = (a: string[], b: string[]) => a.filter((item) => b.includes(item));

/** Whether every update gets a slot and its hostports, as docs/moving.md says it. */
export function converges(moves: Move[], order: number[], parallel: number): boolean {
  const has = moves.map(({ before }) => before);
  const diffed = new Set<number>();
  const running = new Set<number>();
  let started = 0;
  let done = 0;
  for (let isProgressing = true; isProgressing; ) {
    isProgressing = false;
    const next = order[started];
    if (next !== undefined && !diffed.has(next)) {
      diffed.add(next);
      isProgressing = true;
    } else if (next !== undefined && running.size < parallel) {
      running.add(next);
      started++;
      isProgressing = true;
    }
    for (const edge of running) {
      const { before, after } = moves[edge]!;
      const holder = has.findIndex((hostports, other) => other !== edge && overlap(hostports, after).length > 0);
      const kept = overlap(before, after);
      if (holder < 0) {
        has[edge] = after;
        running.delete(edge);
        done++;
        isProgressing = true;
      } else if (diffed.has(holder) && has[edge]!.length > kept.length) {
        has[edge] = kept;
        isProgressing = true;
      }
    }
  }
  return done === moves.length;
}

type Outcome = "update" | "same" | "not started" | Error;

/** Deploys as the engine does. After a failure nothing else starts, unless `continueOnError`. */
async function deploy(
  resources: ResourceDriver[],
  moves: Move[],
  order: number[],
  { parallel, continueOnError = false }: { parallel: number; continueOnError?: boolean },
): Promise<Outcome[]> {
  let free = parallel;
  let hasFailed = false;
  const waiting: (() => void)[] = [];
  const notStarted = new Error("not started");
  const takeSlot = async () => {
    if (free === 0) await new Promise<void>((resume) => waiting.push(resume));
    else free--;
    if (!hasFailed || continueOnError) return;
    returnSlot();
    throw notStarted;
  };
  const returnSlot = () => {
    const resume = waiting.shift();
    if (resume) resume();
    else free++;
  };
  const outcomes: Promise<Outcome>[] = [];
  for (const edge of order) {
    let hasSlot = () => {};
    const started = new Promise<void>((resolve) => {
      hasSlot = resolve;
    });
    let isHolding = false;
    const begin = async () => {
      await takeSlot();
      isHolding = true;
      hasSlot();
    };
    const outcome = resources[edge]!.up({ hostports: moves[edge]!.after }, {}, begin)
      .catch((error: Error) => {
        hasFailed = true;
        return error === notStarted ? "not started" : error;
      })
      .finally(() => isHolding && returnSlot()) as Promise<Outcome>;
    outcomes.push(outcome);
    await Promise.race([started, outcome]);
  }
  return Promise.all(outcomes);
}

const advice = "use `dependsOn`, a larger `--parallel`, or `pulumi up --continue-on-error` and then `pulumi up`";

/** The states must say what the service has, whatever failed. */
function expectRecorded(emulator: Emulator, resources: ResourceDriver[]): void {
  const found = emulator.account.tcpEdges.map(({ id, hostports }) => [id, hostports ?? []]);
  const recorded = resources.map(({ state }) => [state!.id, state!.outputs["hostports"] ?? []]);
  expect(new Map(recorded as [string, string[]][])).toEqual(new Map(found as [string, string[]][]));
}

/** Deploys a move, and compares the outcome with what `converges` expects. */
export async function expectMove(
  { emulator, host }: { emulator: Emulator; host: TestedProvider },
  shape: string,
  orderName: string,
  parallel: number,
): Promise<void> {
  const moves = shapes[shape]!;
  const order = orders[orderName]!(range(moves.length));
  const isExpected = converges(moves, order, parallel);
  const resources = moves.map((_, edge) => host.resource("TcpEdge", `edge${edge}`));
  await Promise.all(resources.map((resource, edge) => resource.up({ hostports: moves[edge]!.before })));

  await host.startNewRun();
  const outcomes = await deploy(resources, moves, order, { parallel });
  expectRecorded(emulator, resources);
  const errors = outcomes.filter((outcome) => outcome instanceof Error);
  if (isExpected) {
    expect(outcomes).toEqual(moves.map(() => "update"));
  } else {
    expect(errors.length).toBeGreaterThan(0);
    for (const { message } of errors) expect(message).toContain(advice);
    // The advice: each round brings at least one edge further.
    for (let round = 0, isDone = false; !isDone && round < moves.length; round++) {
      await host.startNewRun();
      const again = await deploy(resources, moves, order, { parallel, continueOnError: true });
      isDone = !again.some((outcome) => outcome instanceof Error);
      expectRecorded(emulator, resources);
    }
  }
  const found = emulator.account.tcpEdges.map(({ hostports }) => hostports);
  expect(new Set(found.map(String))).toEqual(new Set(moves.map(({ after }) => String(after))));
}
