import { randomUUID } from "node:crypto";
import type { MessageToSign } from "../custom-tools/webhook-tool.ts";

/** The main process answers sooner, also where its database does not; without an answer the request goes unsigned. */
const DEADLINE_MS = 2_000;

interface Waiting {
  resolve: (headers: Record<string, string>) => void;
  timer: NodeJS.Timeout;
}

/** Has requests of tools signed by the main process: the secrets stay there, and are those of the moment. */
export class RemoteSigner {
  readonly #ask: (signatureId: string, callId: string, message: MessageToSign) => void;
  /** By signature id. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(ask: (signatureId: string, callId: string, message: MessageToSign) => void) {
    this.#ask = ask;
  }

  async sign(callId: string, message: MessageToSign): Promise<Record<string, string>> {
    const signatureId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Record<string, string>>();
    const timer = setTimeout(() => this.settle(signatureId, {}), DEADLINE_MS);
    this.#waiting.set(signatureId, { resolve, timer });
    this.#ask(signatureId, callId, message);
    return await promise;
  }

  /** Of none that still waits: without effect. */
  settle(signatureId: string, headers: Record<string, string>): void {
    const waiting = this.#waiting.get(signatureId);
    if (waiting === undefined) return;
    this.#waiting.delete(signatureId);
    clearTimeout(waiting.timer);
    waiting.resolve(headers);
  }

  /** Idempotent. */
  close(): void {
    for (const signatureId of this.#waiting.keys()) this.settle(signatureId, {});
  }
}
