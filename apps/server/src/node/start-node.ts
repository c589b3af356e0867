import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { ClosingStack } from "../platform/closing-stack.ts";
import type { Config } from "../platform/config/config.ts";
import { connectDatabase } from "../platform/database/connect.ts";
import { startCallProcesses } from "./call-processes.ts";
import { resolveDrizzleAtOnce } from "./drizzle-resolution.ts";
import { requireWritableFolders } from "./folders.ts";
import type { FirstAccess } from "./first-access.ts";
import type { BootResources, NodeContext } from "./node-context.ts";
import { requireFreePorts } from "./ports.ts";

/** A running node of Parley. */
export interface ParleyNode {
  /** Resolves once the node accepts calls and `/readyz` answers 200. */
  readonly ready: Promise<void>;
  /** Resolves with the reason if the node cannot continue: its owner closes it, and ends with a status of failure. */
  readonly failed: Promise<Error>;
  readonly httpUrl: string;
  readonly sipPort: number;
  /** Creates the way into an installation without an owner; `undefined` if it has one. */
  createFirstAccess: () => Promise<FirstAccess | undefined>;
  /** Local socket of the inference process. */
  readonly inferencePath: string;
  /** Rejects new calls, gives running calls the configured time to end, and stops everything. Idempotent. */
  close: () => Promise<void>;
}

/**
 * Starts a node. If it fails, stops what it has started and rejects with a message for the operator.
 *
 * Loading the models takes longest, so it starts before most of this process's own code is loaded. This file must
 * therefore not import that code statically.
 */
export async function startNode(config: Readonly<Config>, logger: Logger): Promise<ParleyNode> {
  const started = new ClosingStack();
  const context: NodeContext = { config, logger, started, nodeId: randomUUID() };
  await requireFreePorts(config);
  await requireWritableFolders(config);
  resolveDrizzleAtOnce();
  try {
    const boot = await startBootResources(context);
    const { compose } = await import("./compose.ts");
    return await compose(context, boot);
  } catch (error) {
    await started.close();
    throw error;
  }
}

/** Loads the models while the database starts, as both take about as long. If one fails, the other is closed. */
async function startBootResources(context: NodeContext): Promise<BootResources> {
  const abort = new AbortController();
  const giveUp = (reason: unknown): never => {
    abort.abort(reason);
    throw reason;
  };
  const [database, processes] = await Promise.allSettled([
    openDatabase(context).catch(giveUp),
    startCallProcesses(context, abort.signal).catch(giveUp),
  ]);
  if (database.status === "rejected" || processes.status === "rejected") throw abort.signal.reason;
  return { connection: database.value, ...processes.value };
}

async function openDatabase({ config, logger, started }: NodeContext): Promise<BootResources["connection"]> {
  const connection = await connectDatabase(config, logger);
  started.add(async () => await connection.close());
  return connection;
}
