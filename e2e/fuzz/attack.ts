import { errorMessage } from "@parley/conversation/error-message";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bystanders } from "./node/bystanders.ts";
import type { FuzzedNode } from "./node/fuzzed-node.ts";
import { NodeWatch } from "./node/node-watch.ts";
import type { Finding } from "./findings.ts";
import type { Target } from "./target.ts";

/** Time for datagrams in flight, and for the node's measurement of stalls. */
const SETTLE_MS = 150;
/** If a slice has more inputs, they are not searched for the one that stalls. */
const MAX_STORED_INPUTS = 5_000;

/** Result of the attack on one target. */
export interface Tally {
  sent: number;
  answers: Map<string, number>;
  /** Upper bound of its bucket in the node's histogram, in seconds. */
  worstStall: number;
}

export const emptyTally = (): Tally => ({ sent: 0, answers: new Map(), worstStall: 0 });

type FoundProblem = Pick<Finding, "kind" | "description" | "inputs">;

/** Attacks a node that is watched. */
export class Attack {
  readonly #node: FuzzedNode;
  readonly #watch: NodeWatch;
  readonly #bystanders: Bystanders;

  constructor(node: FuzzedNode, watch: NodeWatch, bystanders: Bystanders) {
    this.#node = node;
    this.#watch = watch;
    this.#bystanders = bystanders;
  }

  /** Sends all inputs and judges their effect. */
  async run(target: Target, inputs: Iterable<Buffer>, tally: Tally): Promise<FoundProblem | undefined> {
    const sent: Buffer[] = [];
    const found = await this.#send(target, inputs, tally, sent).catch((error: unknown) => ({
      // The fuzzer's own call was refused, or a request got no answer: other clients would get the same.
      kind: "refusal",
      description: errorMessage(error),
      inputs: sent,
    }));
    return (await this.#judge(sent, tally)) ?? found;
  }

  /** Resolves with a wrong answer, if there was one. */
  async #send(
    target: Target,
    inputs: Iterable<Buffer>,
    tally: Tally,
    sent: Buffer[],
  ): Promise<FoundProblem | undefined> {
    let badAnswer: FoundProblem | undefined;
    const opened = await target.open(this.#node, (answer, input) => {
      tally.answers.set(answer, (tally.answers.get(answer) ?? 0) + 1);
      if (answer.startsWith("!"))
        badAnswer ??= {
          kind: "answer",
          description: `answered ${answer.slice(1)}`,
          inputs: input ? [input] : sent,
        };
    });
    try {
      const source = inputs[Symbol.iterator]();
      for (let isMore = true; isMore;) {
        const batch: Buffer[] = [];
        while (batch.length < target.concurrency && isMore) {
          const { value, done } = source.next();
          if (done === true) isMore = false;
          else batch.push(value);
        }
        if (sent.length < MAX_STORED_INPUTS) sent.push(...batch);
        tally.sent += batch.length;
        await Promise.all(batch.map(async (input) => await opened.send(input)));
        if (target.pauseMs > 0) await sleep(target.pauseMs);
      }
    } finally {
      await opened.close();
    }
    return badAnswer;
  }

  async #judge(inputs: readonly Buffer[], tally: Tally): Promise<FoundProblem | undefined> {
    await sleep(SETTLE_MS);
    const loss = this.#watch.findLoss();
    if (loss !== undefined) return { kind: "child", description: loss, inputs };
    const stall = await this.#watch.takeWorstStall();
    tally.worstStall = Math.max(tally.worstStall, stall);
    if (NodeWatch.isTooLong(stall))
      return { kind: "stall", description: `the main process stalled for up to ${stall} s`, inputs };
    const change = await this.#bystanders.findChange();
    return change === undefined ? undefined : { kind: "bystander", description: change, inputs };
  }

  /** Searches for fewer inputs that stall the node: repeatedly halves them while one half stalls it. */
  async shrinkStall(target: Target, problem: FoundProblem): Promise<FoundProblem> {
    let smallest = problem;
    for (;;) {
      const { inputs } = smallest;
      const middle = Math.ceil(inputs.length / 2);
      const halves = inputs.length < 2 ? [] : [inputs.slice(0, middle), inputs.slice(middle)];
      let found: FoundProblem | undefined;
      for (const half of halves) {
        found = await this.run(target, half, emptyTally());
        if (found?.kind === "stall") break;
      }
      if (found?.kind !== "stall") return smallest;
      smallest = found;
    }
  }
}
