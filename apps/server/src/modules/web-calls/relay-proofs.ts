import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";

/** Parts of a request that a proof covers, in addition to its time. */
export interface RelayedHead {
  method: string;
  /** Built from the route and the call's id, never from the client's path. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Nodes' clocks may differ by seconds, and a relayed request arrives within its deadline of 5 s. */
const MAX_AGE_MS = 30_000;
const proofPattern = /^(\d{13})\.([\w-]{43})\.([\w-]{43})$/;

/**
 * Proofs that a node of the same installation relayed a request after it had checked the call's token. The
 * token itself, with which anybody could join the call, is not sent over the network between nodes. A proof
 * opens one request: this method, path, If-Match and body, for 30 seconds.
 */
export class RelayProofs {
  readonly #keys: readonly Buffer[];
  readonly #clock: Clock;

  /** @param keys Of 256 bits, the same on all nodes; the first one signs. */
  constructor(keys: readonly Buffer[], clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  issue(head: RelayedHead, body: unknown): string {
    const [key = Buffer.of()] = this.#keys;
    const time = String(this.#clock.now().getTime());
    const bodyHash = hashOf(body);
    return `${time}.${bodyHash}.${sign(key, head, time, bodyHash).toString("base64url")}`;
  }

  /** Checks all but the body, so that a stranger's body is never read. */
  isValid(proof: string, head: RelayedHead): boolean {
    const [, time = "", bodyHash = "", signature = ""] = proofPattern.exec(proof) ?? [];
    if (Math.abs(this.#clock.now().getTime() - Number(time)) > MAX_AGE_MS) return false;
    const given = Buffer.from(signature, "base64url");
    return this.#keys.some((key) => {
      const expected = sign(key, head, time, bodyHash);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }

  /** Whether this is the body of the request for which a valid proof was issued. */
  isBody(proof: string, body: unknown): boolean {
    return proofPattern.exec(proof)?.[2] === hashOf(body);
  }
}

function sign(key: Buffer, { method, path, headers }: RelayedHead, time: string, bodyHash: string): Buffer {
  const signed = JSON.stringify([
    time,
    method,
    path,
    headers["content-type"] ?? "",
    headers["if-match"] ?? "",
    bodyHash,
  ]);
  return createHmac("sha256", key).update(signed).digest();
}

/** A request without a body is signed as an empty one. */
function hashOf(body: unknown): string {
  return createHash("sha256")
    .update(typeof body === "string" ? body : "")
    .digest("base64url");
}
