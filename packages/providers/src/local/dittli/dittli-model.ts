import { type ChildProcess, fork } from "node:child_process";
import type { DittliInput } from "./symbols.ts";

export interface DittliRequest {
  /** Returned with the reply. */
  id: number;
  input: DittliInput;
  speed: number;
}

export type DittliReply = { id: number } & ({ samples: Float32Array } | { error: string });

/** Opening the model takes 2.5 s on a fast processor. */
const DEADLINE_MS = 30_000;

/**
 * The model in a process of its own, started on first use and again after a crash. Its graph has ten thousand nodes,
 * and the process that opens it is blocked for seconds; calls that use the other models do not wait for that.
 */
export class DittliModel {
  readonly #modelsDir: string;
  readonly #threads: number;
  #process: ChildProcess | undefined;
  #isClosed = false;
  #lastId = 0;

  constructor(modelsDir: string, threads: number) {
    this.#modelsDir = modelsDir;
    this.#threads = threads;
  }

  /** Runs the model. Requests may overlap: the first words of a call can arrive during the warm-up. */
  async run({ input, speed }: Omit<DittliRequest, "id">): Promise<Float32Array> {
    if (this.#isClosed) throw new Error("the voice is closed");
    const child = (this.#process ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<DittliReply>();
    const id = ++this.#lastId;
    const onMessage = (message: unknown): void => {
      const reply = message as DittliReply;
      if (reply.id === id) resolve(reply);
    };
    const onEnd = (): void => reject(new Error("the voice's process ended"));
    const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    child.on("message", onMessage);
    child.once("exit", onEnd);
    try {
      child.send({ id, input, speed } satisfies DittliRequest, (error) => error && reject(error));
      const reply = await promise;
      if ("error" in reply) throw new Error(reply.error);
      return reply.samples;
    } finally {
      clearTimeout(deadline);
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
    const child = fork(
      new URL("./dittli-process.ts", import.meta.url),
      [this.#modelsDir, String(this.#threads)],
      { serialization: "advanced", stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    const forget = (): void => {
      if (this.#process === child) this.#process = undefined;
    };
    child.once("exit", forget);
    // Reports a failed start; a successful one ends with `exit`.
    child.once("error", forget);
    return child;
  }
}
