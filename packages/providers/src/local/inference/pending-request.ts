import { ProviderError } from "@parley/conversation";
import type { InferenceMethod, InferenceMethods, InferenceRequestOptions } from "./methods.ts";

/** Name of the connection to the inference process in provider errors. */
export const INFERENCE_PROVIDER = "local/inference";

/** The caller's side of one request: settles once, by an answer, the deadline or the signal. */
export class PendingRequest<M extends InferenceMethod> {
  readonly settled: Promise<InferenceMethods[M]["result"]>;
  readonly #options: InferenceRequestOptions<M>;
  readonly #onGivenUp: () => void;
  readonly #resolve: (result: InferenceMethods[M]["result"]) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort = (): void => this.#giveUp(this.#options.signal?.reason);
  #deadline: NodeJS.Timeout | undefined;
  #isOpen = true;

  /** @param onGivenUp Called after an abort or a missed deadline, when the answer is no longer wanted. */
  constructor(options: InferenceRequestOptions<M>, onGivenUp: () => void) {
    this.#options = options;
    this.#onGivenUp = onGivenUp;
    const { promise, resolve, reject } = Promise.withResolvers<InferenceMethods[M]["result"]>();
    this.settled = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#rearm();
  }

  chunk(chunk: InferenceMethods[M]["chunk"]): void {
    if (!this.#isOpen) return;
    this.#rearm();
    try {
      this.#options.onChunk?.(chunk);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  resolve(result: InferenceMethods[M]["result"]): void {
    if (this.#end()) this.#resolve(result);
  }

  reject(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  #giveUp(reason: unknown): void {
    if (!this.#end()) return;
    this.#reject(reason);
    this.#onGivenUp();
  }

  #rearm(): void {
    clearTimeout(this.#deadline);
    const { deadlineMs } = this.#options;
    this.#deadline = setTimeout(() => {
      const message = `no answer within ${deadlineMs} ms`;
      this.#giveUp(
        new ProviderError({ provider: INFERENCE_PROVIDER, kind: "timeout", message, isRetryable: true }),
      );
    }, deadlineMs);
  }

  #end(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
