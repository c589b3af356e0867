import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("./embedding-process.ts", import.meta.url));
/** The first texts wait for the model, which may have to be downloaded. */
const DEADLINE_MS = 60_000;

export interface TextsToEmbed {
  texts: readonly string[];
  modelsDirectory: string;
}

export type EmbeddingAnswer =
  | { reason?: undefined; vectors: readonly Float32Array[] }
  | { reason: string; vectors?: undefined };

/** Embeds texts in a process of its own, from the first text until it is closed. */
export class PassageEmbedder {
  readonly #modelsDirectory: string;
  #child: ChildProcess | undefined;

  constructor(modelsDirectory: string) {
    this.#modelsDirectory = modelsDirectory;
  }

  /** Returns one vector per text. Called one at a time. */
  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.#child ??= fork(entry, { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const child = this.#child;
    const wait = new AbortController();
    const { signal } = wait;
    const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    try {
      const exit = once(child, "exit", { signal }).then((): never => {
        throw new Error("the embedding of passages was interrupted");
      });
      const answer = once(child, "message", { signal });
      // The one that loses the race is aborted below.
      exit.catch(() => {});
      answer.catch(() => {});
      child.send({ texts, modelsDirectory: this.#modelsDirectory } satisfies TextsToEmbed, () => {});
      // One message answers each request.
      const [message] = await Promise.race([answer, exit]);
      const { vectors, reason } = message as EmbeddingAnswer;
      if (vectors === undefined) throw new Error(`the passages could not be embedded: ${reason}`);
      return vectors;
    } finally {
      clearTimeout(deadline);
      wait.abort();
    }
  }

  /** Ends the process. Idempotent. */
  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}
