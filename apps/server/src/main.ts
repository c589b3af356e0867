import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import { type Config, ConfigError, parseConfig } from "./platform/config/config.ts";
import { terminalDestination } from "./platform/logging/terminal-log.ts";
import { createLogger } from "./platform/logging/logging.ts";
import { addOllama } from "./model-providers/find-ollama.ts";
import { describeFirstAccess } from "./node/first-access.ts";
import { type ParleyNode, startNode } from "./node/start-node.ts";

/** Maximum time for which a start continues after a signal to end. */
const START_GRACE_MS = 8_000;

/** `npm start`: runs the node until SIGTERM or SIGINT. A reason not to start is printed in one line. */
async function main(): Promise<void> {
  const parsed = readConfig();
  if (parsed === undefined) return;
  const { config, found } = await addOllama(parsed);
  const logger = createLogger({ level: config.logLevel, ...terminalDestination() });
  if (found !== undefined) logger.info(found);
  try {
    const starting = startNode(config, logger);
    const ending = endOnSignal(starting, logger);
    const node = await starting;
    void endOnFailure(node, logger);
    await node.ready;
    if (!ending.aborted) await welcome(node, logger);
  } catch (error) {
    refuseToStart([errorMessage(error)]);
  }
}

/** Shows the way into an installation without an owner. The lines are no part of the log, whose keys are redacted. */
async function welcome(node: ParleyNode, logger: Logger): Promise<void> {
  try {
    const access = await node.createFirstAccess();
    if (access !== undefined) process.stdout.write(describeFirstAccess(access));
  } catch (error) {
    logger.error({ err: error }, "creating the link to sign up failed");
  }
}

function readConfig(): Readonly<Config> | undefined {
  try {
    const { config, warnings } = parseConfig(process.env);
    for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    refuseToStart(error.problems);
    return undefined;
  }
}

function refuseToStart(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`Parley cannot start: ${problem}\n`);
  process.exitCode = 1;
}

/** Ends with a status that a process manager treats as a failure. */
async function endOnFailure(node: ParleyNode, logger: Logger): Promise<void> {
  const reason = await node.failed;
  logger.fatal({ err: reason }, "the node cannot continue and ends");
  await node.close().catch((error: unknown) => logger.error({ err: error }, "shutdown failed"));
  process.exit(1);
}

/** @returns a signal that is aborted once the node ends. */
function endOnSignal(starting: Promise<ParleyNode>, logger: Logger): AbortSignal {
  const ending = new AbortController();
  const close = async (): Promise<void> => {
    // What a start has begun is stopped in order: our PostgreSQL would outlive us. Unless models are being downloaded.
    const impatience = setTimeout(() => process.exit(1), START_GRACE_MS);
    const node = await starting;
    clearTimeout(impatience);
    await node.close();
  };
  const end = (signal: NodeJS.Signals): void => {
    // Asked twice, it ends at once.
    if (ending.signal.aborted) process.exit(1);
    ending.abort();
    logger.info({ signal }, "shutting down: no new calls are accepted");
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, "shutdown failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  return ending.signal;
}

await main();
