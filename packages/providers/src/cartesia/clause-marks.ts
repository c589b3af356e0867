import { ProviderError, type TextToSpeechEvent } from "@parley/conversation";
import { decodePcm, type ReplyTracker } from "../contexts/context-speech-stream.ts";

/**
 * Assigns audio to clauses by their flushes: each clause is flushed, its chunks carry the number of the flush, and
 * `flush_done` follows the last one (https://docs.cartesia.ai/use-the-api/tts-websocket/context-flushing-and-flush-i-ds).
 */
export class ClauseMarks implements ReplyTracker {
  readonly #provider: string;
  /** Ids of the clauses that are not spoken to their ends. */
  readonly #clauses: number[] = [];

  constructor(provider: string) {
    this.#provider = provider;
  }

  get isWaiting(): boolean {
    return this.#clauses.length > 0;
  }

  add(clauseId: number): void {
    this.#clauses.push(clauseId);
  }

  read(message: Record<string, unknown>): TextToSpeechEvent[] {
    const { type, data } = message;
    if (type === "error") throw this.#toError(message);
    const [clauseId] = this.#clauses;
    if (clauseId === undefined) return [];
    if (type === "flush_done") return this.#endFirst();
    if (type !== "chunk" || typeof data !== "string" || data === "") return [];
    return [{ type: "audio", clauseId, pcm: decodePcm(data) }];
  }

  finish(): TextToSpeechEvent[] {
    return this.#clauses.splice(0).map((clauseId) => ({ type: "clauseEnded", clauseId }));
  }

  #endFirst(): TextToSpeechEvent[] {
    return this.#clauses.splice(0, 1).map((clauseId) => ({ type: "clauseEnded", clauseId }));
  }

  #toError({ status_code: code, title, message, error }: Record<string, unknown>): ProviderError {
    const status = typeof code === "number" ? code : 500;
    const reason = [title, message, error].filter((part) => typeof part === "string").join(": ");
    return new ProviderError({
      provider: this.#provider,
      kind: "status",
      status,
      message: `refused the text with status ${status}${reason === "" ? "" : `: ${reason.slice(0, 200)}`}`,
      isRetryable: status === 408 || status >= 500,
    });
  }
}
