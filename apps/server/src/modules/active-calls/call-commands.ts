import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/database/database-clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";
import type { CallCommand, CallCommandAnswer, CallHere, CallCommandHandler } from "./call-command.ts";
import * as store from "./call-commands.store.ts";

export interface CallCommandsOptions {
  database: Database;
  bus: Bus;
  clock: Clock;
}

/** From the sending to the moment at which the call's node must have begun with it. */
const DEADLINE_MS = 2_000;
/** What a node has begun with it soon answers, unless it dies. */
const ANSWER_GRACE_MS = 1_000;
/** Commands that no sender awaits any more are kept this long after their deadline, for the analysis of incidents. */
const KEPT_MS = 60_000;
const ANSWERS_TOPIC = "call_command_answers";

/** Asks calls to do something, on whichever node they are. */
export class CallCommands {
  readonly #options: CallCommandsOptions;
  #holder: CallCommandHandler | undefined;

  constructor(options: CallCommandsOptions) {
    this.#options = options;
  }

  /**
   * Carries out what is asked of the calls that this node holds. Returns what ends it.
   */
  hold(nodeId: string, holder: CallCommandHandler, logger: Logger): () => void {
    this.#holder = holder;
    const { database, bus, clock } = this.#options;
    const take = (commandId: string): void => {
      this.#carryOut(commandId, holder).catch((error: unknown) =>
        logger.error({ err: error, commandId }, "call command failed"),
      );
    };
    const takeAll = (): void => {
      store.listOpenCommandIds(database, nodeId, clock.now()).then(
        (ids) => ids.forEach(take),
        (error: unknown) => logger.warn({ err: error }, "reading call commands failed"),
      );
    };
    const stops = [bus.subscribe(topicOf(nodeId), take), bus.onReconnect(takeAll)];
    return () => {
      this.#holder = undefined;
      for (const stop of stops) stop();
    };
  }

  /**
   * Resolves with what came of it; `unreachable` where the call's node did not begin with it in time, and then it never
   * will. Asks no database where the call is held by this node.
   */
  async send(
    call: { id: string; nodeId: string },
    command: CallCommand,
  ): Promise<CallCommandAnswer | "unreachable"> {
    forbidInTransaction("a call's node");
    const answering = this.#holder?.carryOut(call.id, command);
    if (answering !== undefined) return await within(answering, DEADLINE_MS, "unreachable");
    return await this.#sendRemote(call, command);
  }

  /** What is known of a call without asking anybody; undefined where this node does not hold it. */
  findHere(callId: string): CallHere | undefined {
    return this.#holder?.findHere(callId);
  }

  /** Deletes the commands whose sender ended before it read the answer. */
  async deleteExpired(transaction: Queries, now: Date): Promise<void> {
    await store.deleteOldCommands(transaction, new Date(now.getTime() - KEPT_MS));
  }

  async #sendRemote(
    call: { id: string; nodeId: string },
    command: CallCommand,
  ): Promise<CallCommandAnswer | "unreachable"> {
    const { database, bus, clock } = this.#options;
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    let commandId: string | undefined;
    const stops = [
      bus.subscribe(ANSWERS_TOPIC, (id) => id === commandId && resolve()),
      bus.onReconnect(resolve),
    ];
    try {
      const deadlineAt = new Date(clock.now().getTime() + DEADLINE_MS);
      await database.transaction(async (transaction) => {
        const row = await store.insertCommand(transaction, {
          callId: call.id,
          nodeId: call.nodeId,
          command,
          deadlineAt,
        });
        commandId = row.id;
        await bus.publish(transaction, topicOf(call.nodeId), row.id);
      });
      await within(answered, DEADLINE_MS, undefined);
      return await this.#readAnswer(commandId ?? "", answered);
    } finally {
      for (const stop of stops) stop();
    }
  }

  async #readAnswer(commandId: string, answered: Promise<void>): Promise<CallCommandAnswer | "unreachable"> {
    const { database } = this.#options;
    const answer = await store.findAnswer(database, commandId);
    if (answer === null) {
      if (await store.withdrawCommand(database, commandId)) return "unreachable";
      await within(answered, ANSWER_GRACE_MS, undefined);
    }
    const last = answer ?? (await store.findAnswer(database, commandId));
    await store.deleteCommand(database, commandId);
    return last ?? "unreachable";
  }

  async #carryOut(commandId: string, holder: CallCommandHandler): Promise<void> {
    const { database, bus, clock } = this.#options;
    const row = await store.takeCommand(database, commandId, clock.now());
    if (row === undefined) return;
    const answer = (await holder.carryOut(row.callId, row.command)) ?? "refused";
    await database.transaction(async (transaction) => {
      await store.answerCommand(transaction, commandId, answer);
      await bus.publish(transaction, ANSWERS_TOPIC, commandId);
    });
  }
}

function topicOf(nodeId: string): string {
  return `call_commands/${nodeId}`;
}

async function within<T, E>(promise: Promise<T>, deadlineMs: number, otherwise: E): Promise<T | E> {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, sleep(deadlineMs, otherwise, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
