import { ProviderError } from "@parley/conversation";
import type { InferenceClient, InferenceHandlers } from "./methods.ts";
import { INFERENCE_PROVIDER, PendingRequest } from "./pending-request.ts";
import { callHandler } from "./server.ts";

/** Calls the handlers in this process, with the deadlines and aborts of the real client; for tests and benchmarks. */
export function createInProcessInference(handlers: InferenceHandlers): InferenceClient {
  const closed = new AbortController();
  return {
    async request(method, params, options) {
      options.signal?.throwIfAborted();
      closed.signal.throwIfAborted();
      const controller = new AbortController();
      const pending = new PendingRequest(options, () => controller.abort());
      const onClose = (): void => {
        pending.reject(closed.signal.reason);
        controller.abort();
      };
      closed.signal.addEventListener("abort", onClose, { once: true });
      callHandler(handlers, method, params, {
        signal: controller.signal,
        emit: (chunk) => pending.chunk(chunk),
      }).then(
        (result) => pending.resolve(result),
        (error: unknown) => pending.reject(error),
      );
      try {
        return await pending.settled;
      } finally {
        closed.signal.removeEventListener("abort", onClose);
      }
    },
    close() {
      const message = "the client is closed";
      closed.abort(
        new ProviderError({ provider: INFERENCE_PROVIDER, kind: "connection", message, isRetryable: true }),
      );
    },
  };
}
