import { type ChildProcess, fork } from "node:child_process";
import type { Logger } from "pino";

/** Messages that every child sends in addition to its own protocol. */
export type ChildStatus =
  | { type: "ready" }
  | { type: "alive" }
  /** An exception that belongs to no call; the child continues. */
  | { type: "fault"; message: string };

export interface SupervisedChildOptions<ToChild extends object, FromChild extends { type: string }> {
  /** Name in logs: `media-1`, `inference`. */
  name: string;
  /** The child's entry file. */
  entry: URL;
  /** Arguments for Node and V8; the parent's are not inherited. */
  execArgv?: readonly string[];
  /** Sent first after every start. */
  firstMessage: () => ToChild;
  onMessage: (message: FromChild) => void;
  onReady: () => void;
  /** Called when the child has exited; unless closing, another is started after a pause. */
  onExit: (description: string) => void;
  logger: Logger;
  /** Interval at which the child's silence is counted. Default: that of its signs of life, 1 s. */
  watchIntervalMs?: number;
}

const FIRST_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 10_000;
/** After this lifetime a child counts as healthy, and its next restart is quick. */
const HEALTHY_AFTER_MS = 60_000;
/** Intervals without a message after which a child counts as stuck: 10 s. */
const MAX_SILENT_INTERVALS = 10;

export const ALIVE_INTERVAL_MS = 1_000;

/**
 * Child process that is restarted when it dies, and killed when its event loop has been stuck for 10 s of this
 * process's own running time. Messages are copied by structured clone.
 */
export class SupervisedChild<ToChild extends object, FromChild extends { type: string }> {
  readonly #options: SupervisedChildOptions<ToChild, FromChild>;
  #process: ChildProcess | undefined;
  #isReady = false;
  #isClosing = false;
  #restarts = 0;
  #faults = 0;
  #startedAtMs = 0;
  /**
   * Turns of the watchdog since the child's last message. Counted, not timed: after a stall of this process the
   * children's messages are still unread, and the whole stall is one turn.
   */
  #silentIntervals = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  readonly #watchdog: NodeJS.Timeout;

  constructor(options: SupervisedChildOptions<ToChild, FromChild>) {
    this.#options = options;
    this.#watchdog = setInterval(() => this.#killWhenStuck(), options.watchIntervalMs ?? ALIVE_INTERVAL_MS);
    this.#start();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Exceptions of all child processes so far that belong to no call. */
  get faults(): number {
    return this.#faults;
  }

  /** Returns `false` if the child is not running; its exit was or will be reported. */
  send(message: ToChild): boolean {
    if (this.#process?.connected !== true) return false;
    // If the child dies between the check and the write, its exit is reported; the callback prevents an exception.
    this.#process.send(message, () => {});
    return true;
  }

  /**
   * Disconnects the child, which then ends by itself, and kills it after `graceMs`; at once if it is not ready yet,
   * because it then has no work to finish. Idempotent.
   */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#watchdog);
    clearTimeout(this.#restartTimer);
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    if (!this.#isReady) killGroup(child);
    if (child.connected) child.disconnect();
    const killer = setTimeout(() => killGroup(child), graceMs);
    await exited;
    clearTimeout(killer);
  }

  #start(): void {
    const { name, entry, execArgv = [], firstMessage, logger } = this.#options;
    const child = fork(entry, {
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      execArgv: [...execArgv],
      // A process group of its own, so that processes started by the child end with it.
      detached: process.platform !== "win32",
    });
    this.#process = child;
    this.#startedAtMs = performance.now();
    this.#silentIntervals = 0;
    child.on("message", (message) => this.#receive(message as FromChild | ChildStatus));
    child.on("error", (error) => logger.error({ err: error, child: name }, "child process failed"));
    child.once("exit", (code, signal) => this.#handleExit(signal ?? `status ${code}`));
    this.send(firstMessage());
  }

  #receive(message: FromChild | ChildStatus): void {
    this.#silentIntervals = 0;
    if (message.type === "alive") return;
    if (message.type === "ready") {
      this.#isReady = true;
      this.#options.onReady();
      return;
    }
    if (isFault(message)) {
      this.#faults++;
      this.#options.logger.error(
        { child: this.#options.name, reason: message.message },
        "exception outside of any call",
      );
      return;
    }
    this.#options.onMessage(message as FromChild);
  }

  #handleExit(how: string): void {
    const { name, logger, onExit } = this.#options;
    this.#isReady = false;
    this.#process = undefined;
    const description = `${name} ended (${how})`;
    onExit(description);
    if (this.#isClosing) return;
    if (performance.now() - this.#startedAtMs > HEALTHY_AFTER_MS) this.#restarts = 0;
    const delayMs = Math.min(MAX_RESTART_DELAY_MS, FIRST_RESTART_DELAY_MS * 2 ** this.#restarts);
    this.#restarts += 1;
    logger.error({ child: name, how, delayMs }, "child process ended; restarting");
    this.#restartTimer = setTimeout(() => this.#start(), delayMs);
  }

  #killWhenStuck(): void {
    const child = this.#process;
    // Before it is ready, a child may load for a long time without a turn of its event loop.
    if (child === undefined || !this.#isReady) return;
    this.#silentIntervals += 1;
    if (this.#silentIntervals <= MAX_SILENT_INTERVALS) return;
    this.#options.logger.error({ child: this.#options.name }, "child process does not answer; killing it");
    killGroup(child);
  }
}

function isFault(message: { type: string }): message is Extract<ChildStatus, { type: "fault" }> {
  return message.type === "fault";
}

/** Kills a child and the processes that it has started, which may be too busy to notice its end. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // They have already ended.
  }
}
