import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";
import type {
  CallCommand,
  CallCommandAnswer,
  LocalCall,
  LocalCalls,
  PlacingHandlers,
} from "./call-command.ts";
import * as store from "./call-commands.store.ts";

export interface CallCommandsOptions {
  nodeId: string;
  database: Database;
  bus: Bus;
  clock: Clock;
  localCalls: LocalCalls;
  logger: Logger;
}

/** The call's node must claim a command within this time after it was sent. */
const DEADLINE_MS = 2_000;
/** Extra time for the answer to a claimed command; without one the node is lost. */
const ANSWER_GRACE_MS = 1_000;
/** Abandoned commands are kept this long after their deadline, for the analysis of incidents. */
const KEPT_MS = 60_000;
const ANSWERS_TOPIC = "call_command_answers";

/** Sends commands to active calls, on any node. */
export class CallCommands {
  readonly #options: CallCommandsOptions;
  readonly #placing: Partial<PlacingHandlers> = {};
  #stops: (() => void)[] = [];

  constructor(options: CallCommandsOptions) {
    this.#options = options;
  }

  /** Adds the handlers of a feature that takes over calls which other nodes placed. */
  handle(handlers: Partial<PlacingHandlers>): void {
    Object.assign(this.#placing, handlers);
  }

  /** Starts to carry out the commands of other nodes. */
  start(): void {
    const { nodeId, database, bus, clock, logger } = this.#options;
    const take = (commandId: string): void => {
      this.#carryOutRemote(commandId).catch((error: unknown) =>
        logger.error({ err: error, commandId }, "call command failed"),
      );
    };
    const takeAll = (): void => {
      store.listOpenCommandIds(database, nodeId, clock.now()).then(
        (ids) => ids.forEach(take),
        (error: unknown) => logger.warn({ err: error }, "reading call commands failed"),
      );
    };
    this.#stops = [bus.subscribe(topicOf(nodeId), take), bus.onReconnect(takeAll)];
  }

  /** Idempotent. */
  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /**
   * Sends a command and resolves with its answer. `unreachable` means that the call's node did not claim the
   * command in time, and that it will not be carried out. Sends no query if the call belongs to this node.
   */
  async send(
    call: { id: string; nodeId: string },
    command: CallCommand,
  ): Promise<CallCommandAnswer | "unreachable"> {
    forbidInTransaction("a call's node");
    const answering = this.#carryOut(call.id, command);
    if (answering !== undefined) return await within(answering, DEADLINE_MS, "unreachable");
    return await this.#sendRemote(call, command);
  }

  /** Returns the call without a query, or `undefined` if it does not belong to this node. */
  findLocal(callId: string): LocalCall | undefined {
    return this.#options.localCalls.findLocal(callId);
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

  /** Returns the answer, or `undefined` if the command is for another node. */
  #carryOut(callId: string, command: CallCommand): Promise<CallCommandAnswer> | undefined {
    const { nodeId, localCalls } = this.#options;
    switch (command.type) {
      case "dial":
        return command.toNodeId === nodeId ? this.#placing.dial?.(callId, command) : undefined;
      case "awaitBrowser":
        return command.toNodeId === nodeId ? this.#placing.awaitBrowser?.(callId, command) : undefined;
      case "instruct":
      case "hangUp":
        return localCalls.carryOut(callId, command);
    }
  }

  async #carryOutRemote(commandId: string): Promise<void> {
    const { database, bus, clock } = this.#options;
    const row = await store.takeCommand(database, commandId, clock.now());
    if (row === undefined) return;
    const answer = (await this.#carryOut(row.callId, row.command)) ?? "refused";
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
