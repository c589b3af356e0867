import { randomUUID } from "node:crypto";
import type { MessageToSign } from "../custom-tools/webhook-tool.ts";

/** The main process answers faster, even without its database. Without an answer the request is sent unsigned. */
const DEADLINE_MS = 2_000;

interface Waiting {
  resolve: (headers: Record<string, string>) => void;
  timer: NodeJS.Timeout;
}

/** Lets the main process sign the requests of tools: it has the current secrets, which never leave it. */
export class RemoteSigner {
  readonly #ask: (signatureId: string, callId: string, message: MessageToSign) => void;
  /** Waiting requests by signature id. */
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

  /** Has no effect if the request no longer waits. */
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
