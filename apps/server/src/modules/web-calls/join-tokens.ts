import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Tokens that join a call: the HMAC-SHA256 of the call's id. Every node verifies them without a query and
 * without the call's node, so a request is served or relayed only with a valid token.
 */
export class JoinTokens {
  readonly #key: Buffer;

  /** @param key 256 bits, the same on all nodes. */
  constructor(key: Buffer) {
    this.#key = key;
  }

  issue(callId: string): string {
    return this.#sign(callId).toString("base64url");
  }

  isValid(callId: string, token: string): boolean {
    const expected = this.#sign(callId);
    const given = Buffer.from(token, "base64url");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #sign(callId: string): Buffer {
    return createHmac("sha256", this.#key).update(callId).digest();
  }
}
