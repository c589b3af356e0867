import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** Methods of a bench's process that other processes call: each takes one argument and answers once. */
type Methods = { [name: string]: (argument: never) => Promise<unknown> };

interface Question {
  id: number;
  method: string;
  argument: unknown;
}

type Answer = { id: number; value: unknown } | { id: number; error: string };

/** Part of a bench in a process of its own, so that its processor time is measured separately. */
export class Peer<M extends Methods> {
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  /** @param entry File that calls `serve` with the methods of `M`. */
  constructor(entry: URL) {
    this.#process = fork(entry, { serialization: "advanced", execArgv: [] });
    this.#process.on("message", (message) => this.#receive(trusted<Answer>(message)));
    this.#process.once("exit", (code, signal) => {
      for (const { reject } of this.#pending.values())
        reject(new Error(`${entry.pathname} ended (${signal ?? code})`));
      this.#pending.clear();
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Rejects with the method's error, or when the process ends. */
  async ask<K extends keyof M & string>(
    method: K,
    argument: Parameters<M[K]>[0],
  ): Promise<Awaited<ReturnType<M[K]>>> {
    const id = ++this.#lastId;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    const question: Question = { id, method, argument };
    this.#process.send(question, (error) => {
      if (error !== null) pending.reject(error);
    });
    return trusted<Awaited<ReturnType<M[K]>>>(await pending.promise);
  }

  /** Disconnects the process, which ends it. Idempotent. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    if (this.#process.connected) this.#process.disconnect();
    await exited;
  }

  #receive(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ("error" in answer) pending?.reject(new Error(answer.error));
    else pending?.resolve(answer.value);
  }
}

/** Other side of a `Peer`: answers by `methods` until the parent disconnects. */
export function serve(methods: Methods): void {
  const answer = async ({ id, method, argument }: Question): Promise<void> => {
    let reply: Answer;
    try {
      const run = trusted<((argument: unknown) => Promise<unknown>) | undefined>(methods[method]);
      if (run === undefined) throw new Error(`no method ${method}`);
      reply = { id, value: await run(argument) };
    } catch (error) {
      reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send?.(reply);
  };
  process.on("message", (message) => {
    answer(trusted<Question>(message)).catch(() => process.exit(1));
  });
  process.on("disconnect", () => process.exit(0));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type that the boundary is trusted to keep
function trusted<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both sides are compiled from the same `Methods`
  return value as T;
}
