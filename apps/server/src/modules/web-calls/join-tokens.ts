import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Tokens that join a call: the HMAC-SHA256 of the call's id. Every node verifies them without a query and
 * without the call's node, so a request is served or relayed only with a valid token.
 */
export class JoinTokens {
  readonly #keys: readonly Buffer[];

  /** @param keys Of 256 bits, the same on all nodes; the first one signs. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  issue(callId: string): string {
    const [key = Buffer.of()] = this.#keys;
    return sign(key, callId).toString("base64url");
  }

  isValid(callId: string, token: string): boolean {
    const given = Buffer.from(token, "base64url");
    return this.#keys.some((key) => {
      const expected = sign(key, callId);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function sign(key: Buffer, callId: string): Buffer {
  return createHmac("sha256", key).update(callId).digest();
}
