import { type ChildProcess, fork } from "node:child_process";

export type ToModelProcess<Request> = { id: number; request: Request };

export type FromModelProcess<Result> =
  /** Sent once, before the first reply. */
  | { type: "opened" }
  | {
      type: "reply";
      /** Id of the request. */
      id: number;
      answer: { result: Result } | { error: string };
      /** Processor time of the process since its start, in milliseconds. */
      processorMs: number;
    };

export interface ModelProcessOptions {
  /** File that calls `serveModel`. */
  entry: URL;
  args: readonly string[];
}

/** Preparing a graph takes 12 s of processor time on slow machines, which may also be busy. */
const OPEN_TIMEOUT_MS = 180_000;
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * A model in a process of its own, started on first use and again after a crash. onnxruntime opens and runs a model in one
 * blocking call, for up to seconds: in a process of its own it delays no other model.
 */
export class ModelProcess<Request, Result> {
  readonly #options: ModelProcessOptions;
  #process: ChildProcess | undefined;
  #isOpen = false;
  #isClosed = false;
  #lastId = 0;
  #processorMs = 0;

  constructor(options: ModelProcessOptions) {
    this.#options = options;
  }

  /** Whether the process runs. */
  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Processor time of the process at its last reply, in milliseconds. */
  get processorMs(): number {
    return this.#processorMs;
  }

  /** Runs the model. Concurrent requests run in order of arrival. */
  async run(request: Request): Promise<Result> {
    if (this.#isClosed) throw new Error("the voice is closed");
    const child = (this.#process ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const id = ++this.#lastId;
    const kill = (): void => void child.kill("SIGKILL");
    let timer = setTimeout(kill, this.#isOpen ? REQUEST_TIMEOUT_MS : OPEN_TIMEOUT_MS);
    const onMessage = (message: unknown): void => {
      const received = message as FromModelProcess<Result>;
      // The request is the first to run now, or waits behind one with the same timeout.
      clearTimeout(timer);
      timer = setTimeout(kill, REQUEST_TIMEOUT_MS);
      if (received.type === "opened" || received.id !== id) return;
      this.#processorMs = received.processorMs;
      const { answer } = received;
      if ("error" in answer) reject(new Error(answer.error));
      else resolve(answer.result);
    };
    const onEnd = (): void => reject(new Error("the voice's process ended"));
    child.on("message", onMessage);
    child.once("exit", onEnd);
    try {
      const message: ToModelProcess<Request> = { id, request };
      child.send(message, (error) => error && reject(error));
      return await promise;
    } finally {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onEnd);
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#process;
    if (child === undefined) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // The process holds nothing that requires a clean end, and ignores messages while it loads.
    child.kill("SIGKILL");
    await exited;
  }

  #start(): ChildProcess {
    const { entry, args } = this.#options;
    const child = fork(entry, args, {
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#isOpen = false;
    child.once("message", () => {
      this.#isOpen = true;
    });
    const forget = (): void => {
      if (this.#process === child) this.#process = undefined;
    };
    child.once("exit", forget);
    // Reports a failed start; a successful one ends with `exit`.
    child.once("error", forget);
    return child;
  }
}
