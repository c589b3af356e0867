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
  /** Resolves once calls can be taken: what `/readyz` answers 200 for. */
  readonly ready: Promise<void>;
  readonly httpUrl: string;
  readonly sipPort: number;
  /** The way into an empty database, created by this call; `undefined` if the database has an organization. */
  createFirstAccess: () => Promise<FirstAccess | undefined>;
  /** Local socket of the inference process. */
  readonly inferencePath: string;
  /** Takes no more calls, lets the running ones end for the configured time, and stops everything. Idempotent. */
  close: () => Promise<void>;
}

/**
 * Starts a node. Rejects with a message for the operator, having stopped what it had started.
 *
 * Loading the models takes longest: what does it is started before most of this process's own code is loaded, which is
 * why nothing of that may be imported above.
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

/** The models load while the database starts: both take about as long. When one fails, the other is not left half-way. */
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

async function openDatabase({ config, started }: NodeContext): Promise<BootResources["connection"]> {
  const connection = await connectDatabase(config);
  started.add(async () => await connection.close());
  return connection;
}
