import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { EmbedderSettings } from "../embedder.ts";

const entry = fileURLToPath(new URL("./embedding-process.ts", import.meta.url));
/** The first texts wait for the model, which may have to be downloaded. */
const DEADLINE_MS = 60_000;
/** Of a server, and of the local model once it is loaded. */
export const EMBED_DEADLINE_MS = 30_000;

export interface TextsToEmbed {
  texts: readonly string[];
  settings: EmbedderSettings;
}

export type EmbeddingAnswer =
  | { reason?: undefined; vectors: readonly Float32Array[] }
  | { reason: string; vectors?: undefined };

/** The model did not embed; the message says why. */
export class EmbeddingError extends Error {
  override readonly name = "EmbeddingError";
}

/** Embeds texts in a process of its own, from the first text until it is closed. */
export class PassageEmbedder {
  readonly #settings: EmbedderSettings;
  #child: ChildProcess | undefined;

  constructor(settings: EmbedderSettings) {
    this.#settings = settings;
  }

  /** Returns one vector per text. Called one at a time. Rejects with an `EmbeddingError` if the model refuses or does not answer. */
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
      child.send({ texts, settings: this.#settings } satisfies TextsToEmbed, () => {});
      // One message answers each request.
      const [message] = await Promise.race([answer, exit]);
      const { vectors, reason } = message as EmbeddingAnswer;
      if (vectors === undefined) throw new EmbeddingError(reason);
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
