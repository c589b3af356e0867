import { setTimeout as sleep } from "node:timers/promises";
import { descendantsOf } from "../../support/platform/processes.ts";
import type { FuzzedNode } from "./fuzzed-node.ts";
import { measureLiveMemory } from "./live-heap.ts";

/** A longer stall is a finding. One of the bounds of the node's histogram. */
const STALL_LIMIT_SECONDS = 0.1;
const STALLS = "parley_event_loop_stall_seconds";
/** Processes that live as long as the node. */
const lasting = /media-process|inference-process/;
/**
 * Allowance for memory that a node keeps by design and within bounds: caches of principals, sources and
 * transactions, statistics, compiled code, and the transcripts and packet windows of the bystanders' calls,
 * which go on meanwhile.
 */
const MEMORY_ALLOWANCE_MIB = 32;
/** An INVITE without an ACK ends after 32 s (RFC 3261: 64*T1), a web call without a browser after 60 s. */
const QUIET_DEADLINE_MS = 90_000;

const mebibytes = (bytes: number): number => bytes / 2 ** 20;

/** Stalls so far: their number by upper bound in seconds. */
type StallCounts = ReadonlyMap<number, number>;

/** Watches the node by its own metrics and its processes. */
export class NodeWatch {
  readonly #node: FuzzedNode;
  readonly #children: readonly number[];
  readonly #memoryBefore: ReadonlyMap<number, number>;
  #stalls: StallCounts;

  static async start(node: FuzzedNode): Promise<NodeWatch> {
    const children = lastingChildren(node);
    const memory = new Map<number, number>();
    for (const pid of measuredPids(node)) memory.set(pid, await liveMib(node, pid));
    return new NodeWatch(node, children, memory, await readStalls(node));
  }

  private constructor(
    node: FuzzedNode,
    children: readonly number[],
    memoryBefore: ReadonlyMap<number, number>,
    stalls: StallCounts,
  ) {
    this.#node = node;
    this.#children = children;
    this.#memoryBefore = memoryBefore;
    this.#stalls = stalls;
  }

  /** Returns the worst stall since the last call: the upper bound of its bucket, in seconds. */
  async takeWorstStall(): Promise<number> {
    const before = this.#stalls;
    this.#stalls = await readStalls(this.#node);
    const total = (counts: StallCounts): number => counts.get(Infinity) ?? 0;
    const isNew = (bound: number): boolean =>
      total(this.#stalls) - total(before) <= (this.#stalls.get(bound) ?? 0) - (before.get(bound) ?? 0);
    return total(this.#stalls) === total(before) ? 0 : ([...this.#stalls.keys()].find(isNew) ?? Infinity);
  }

  static isTooLong(stallSeconds: number): boolean {
    return stallSeconds > STALL_LIMIT_SECONDS;
  }

  /** Describes a process that has ended unexpectedly, or returns `undefined`. */
  findLoss(): string | undefined {
    const { exitCode, signalCode } = this.#node.platform.process;
    if (exitCode !== null || signalCode !== null) return `the node ended (${signalCode ?? exitCode})`;
    const now = lastingChildren(this.#node);
    const lost = this.#children.filter((pid) => !now.includes(pid));
    return lost.length === 0 ? undefined : `child process ended: ${lost.join(", ")}`;
  }

  /** Waits until only this many calls are left. Returns a description if others remain. */
  async waitForQuiet(bystanders: number): Promise<string | undefined> {
    const deadline = performance.now() + QUIET_DEADLINE_MS;
    let calls = Number.NaN;
    while (performance.now() < deadline) {
      calls = await this.#node.platform.metric("parley_active_calls");
      if (calls === bystanders) return undefined;
      await sleep(500);
    }
    return `${calls} calls are active in place of the ${bystanders} bystanders'`;
  }

  /** Returns the memory of each process now and before, in MiB. */
  async compareMemory(): Promise<
    { process: string; beforeMib: number; afterMib: number; isTooMuch: boolean }[]
  > {
    const rows = [];
    for (const [pid, beforeMib] of this.#memoryBefore) {
      const afterMib = await liveMib(this.#node, pid);
      const isMain = pid === this.#node.platform.process.pid;
      const isTooMuch = afterMib - beforeMib > MEMORY_ALLOWANCE_MIB;
      rows.push({ process: isMain ? "main" : `media (${pid})`, beforeMib, afterMib, isTooMuch });
    }
    return rows;
  }
}

function lastingChildren({ platform }: FuzzedNode): number[] {
  const { pid = 0 } = platform.process;
  return descendantsOf(pid).flatMap((each) => (lasting.test(each.command) ? [each.pid] : []));
}

function measuredPids({ platform }: FuzzedNode): number[] {
  const { pid = 0 } = platform.process;
  const media = descendantsOf(pid).filter(({ command }) => command.includes("media-process"));
  return [pid, ...media.map((each) => each.pid)];
}

async function liveMib({ platform }: FuzzedNode, pid: number): Promise<number> {
  const { heapBytes, buffersBytes } = await measureLiveMemory(platform, pid);
  return mebibytes(heapBytes + buffersBytes);
}

async function readStalls({ platform }: FuzzedNode): Promise<StallCounts> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  const buckets = text.matchAll(new RegExp(`^${STALLS}_bucket\\{le="([^"]+)"\\} (\\d+)$`, "gm"));
  return new Map(
    [...buckets].map(([, bound = "", count]) => [bound === "+Inf" ? Infinity : Number(bound), Number(count)]),
  );
}
