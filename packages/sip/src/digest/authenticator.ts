import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type Clock, systemClock } from "../clock.ts";
import { parseAuthentication } from "../grammar/authentication.ts";
import { quote } from "../grammar/scanner.ts";
import type { HeaderList } from "../messages/header-list.ts";
import {
  type DigestAlgorithm,
  digestAlgorithm,
  digestAlgorithms,
  digestResponse,
  type QualityOfProtection,
} from "./algorithm.ts";

export interface DigestAuthenticatorOptions {
  realm: string;
  /** Lifetime of a nonce; an older one is answered with `stale=true`. Default 5 minutes. */
  nonceLifetimeMs?: number;
  /**
   * Offered algorithms, preferred first. Default: SHA-256, then MD5 (RFC 8760 §2.4). Some older clients (seen
   * with baresip 1.0) give up when they see SHA-256 instead of ignoring it; they need MD5 alone.
   */
  algorithms?: readonly DigestAlgorithm[];
  /** Offered `qop` values; others are rejected. Default: `auth`, which every client supports. */
  protections?: readonly QualityOfProtection[];
  clock?: Clock;
}

export type DigestVerdict =
  | { ok: true; username: string }
  /** Answer 401 with these WWW-Authenticate values. */
  | {
      ok: false;
      reason: "missing" | "malformed" | "stale" | "replayed" | "refused";
      challenges: readonly string[];
    };

/** A request to authenticate. */
export interface RequestToVerify {
  method: string;
  headers: HeaderList;
  body?: string | Buffer;
  /** The sender. A nonce is valid only from the address to which it was issued. */
  source?: { address: string };
}

/** Number of used nonces remembered for the replay check. */
const MAX_TRACKED_NONCES = 10_000;

/**
 * Challenges requests and checks the answers (RFC 3261 §22, RFC 7616, RFC 8760). A nonce contains its creation
 * time and a keyed hash of that time and the recipient's address. So nothing is stored before a client proves
 * that it has a password, and a valid answer proves that its source address is not forged.
 */
export class DigestAuthenticator {
  readonly #realm: string;
  readonly #nonceLifetimeMs: number;
  readonly #algorithms: readonly DigestAlgorithm[];
  readonly #protections: readonly QualityOfProtection[];
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  /** The highest `nc` of each used nonce, oldest nonce first. */
  readonly #nonceCounts = new Map<string, number>();
  /** Nonces created up to this time are stale, because one of them was evicted. */
  #forgottenUpToMs = -1;

  constructor(options: DigestAuthenticatorOptions) {
    const { realm, nonceLifetimeMs = 300_000, algorithms = digestAlgorithms, clock = systemClock } = options;
    this.#realm = realm;
    this.#algorithms = algorithms;
    this.#protections = options.protections ?? ["auth"];
    this.#nonceLifetimeMs = nonceLifetimeMs;
    this.#clock = clock;
  }

  /** The WWW-Authenticate values for a 401 to this request, preferred algorithm first (RFC 8760 §2.4). */
  challenges({ source }: Pick<RequestToVerify, "source"> = {}, isStale = false): string[] {
    const nonce = this.#makeNonce(source?.address);
    const stale = isStale ? ", stale=true" : "";
    const qop = this.#protections.join(",");
    return this.#algorithms.map(
      (algorithm) =>
        `Digest realm=${quote(this.#realm)}, nonce="${nonce}", algorithm=${algorithm}, qop="${qop}"${stale}`,
    );
  }

  /**
   * Checks the Authorization of a request.
   *
   * @param passwordOf returns the password of a user, or `undefined` for an unknown user.
   */
  async verify(
    request: RequestToVerify,
    passwordOf: (username: string) => string | undefined | Promise<string | undefined>,
  ): Promise<DigestVerdict> {
    const parameters = this.#ownCredentials(request.headers);
    if (parameters === undefined) return this.#reject(request, "missing");
    const credentials = readCredentials(parameters);
    const isOffered =
      credentials !== undefined &&
      this.#algorithms.includes(credentials.algorithm) &&
      this.#protections.includes(credentials.protection);
    if (!isOffered) return this.#reject(request, "malformed");
    const { username, nonce, nonceCount } = credentials;
    if (!this.#isOurs(nonce, request.source?.address) || this.#isExpired(nonce))
      return this.#reject(request, "stale");
    const known = await passwordOf(username);
    // An unknown user costs the same work as a wrong password.
    const password = known ?? randomBytes(16).toString("hex");
    const expected = digestResponse({
      ...credentials,
      realm: this.#realm,
      password,
      method: request.method,
      body: request.body ?? "",
      qop: { nonceCount, cnonce: credentials.cnonce, protection: credentials.protection },
    });
    const isCorrect = equalInConstantTime(expected, credentials.response);
    if (!isCorrect || known === undefined) return this.#reject(request, "refused");
    return this.#countUse(request, nonce, Number.parseInt(nonceCount, 16), username);
  }

  #ownCredentials(headers: HeaderList): ReadonlyMap<string, string> | undefined {
    for (const line of headers.getAll("authorization")) {
      const value = parseAuthentication(line);
      if (value?.scheme.toLowerCase() === "digest" && value.parameters.get("realm") === this.#realm) {
        return value.parameters;
      }
    }
    return undefined;
  }

  #reject(
    request: RequestToVerify,
    reason: "missing" | "malformed" | "stale" | "replayed" | "refused",
  ): DigestVerdict {
    const isStale = reason === "stale" || reason === "replayed";
    return { ok: false, reason, challenges: this.challenges(request, isStale) };
  }

  /** RFC 7616 §3.4: `nc` of a nonce must increase, so that a recorded request cannot be replayed. */
  #countUse(request: RequestToVerify, nonce: string, count: number, username: string): DigestVerdict {
    if (count <= (this.#nonceCounts.get(nonce) ?? 0)) return this.#reject(request, "replayed");
    this.#nonceCounts.set(nonce, count);
    this.#forgetOldest();
    return { ok: true, username };
  }

  #isExpired(nonce: string): boolean {
    const madeAtMs = madeAt(nonce);
    return this.#clock.nowMs() - madeAtMs > this.#nonceLifetimeMs || madeAtMs <= this.#forgottenUpToMs;
  }

  #forgetOldest(): void {
    for (const nonce of this.#nonceCounts.keys()) {
      const madeAtMs = madeAt(nonce);
      const isExpired = this.#clock.nowMs() - madeAtMs > this.#nonceLifetimeMs;
      if (!isExpired && this.#nonceCounts.size <= MAX_TRACKED_NONCES) return;
      this.#nonceCounts.delete(nonce);
      if (!isExpired) this.#forgottenUpToMs = Math.max(this.#forgottenUpToMs, madeAtMs);
    }
  }

  #makeNonce(address: string | undefined): string {
    const body = `${Math.floor(this.#clock.nowMs()).toString(36)}.${randomBytes(9).toString("base64url")}`;
    return `${body}.${this.#sign(body, address)}`;
  }

  /** True if this authenticator created the nonce for this address. */
  #isOurs(nonce: string, address: string | undefined): boolean {
    const lastDot = nonce.lastIndexOf(".");
    const body = nonce.slice(0, Math.max(0, lastDot));
    return equalInConstantTime(this.#sign(body, address), nonce.slice(lastDot + 1));
  }

  #sign(body: string, address = ""): string {
    return createHmac("sha256", this.#key).update(`${body} ${address}`).digest("base64url").slice(0, 22);
  }
}

/** The creation time at the start of our nonces. */
function madeAt(nonce: string): number {
  return Number.parseInt(nonce, 36);
}

interface DigestAnswer {
  username: string;
  nonce: string;
  uri: string;
  response: string;
  cnonce: string;
  nonceCount: string;
  algorithm: DigestAlgorithm;
  protection: QualityOfProtection;
}

/** We always offer `qop`, so an answer without it does not answer our challenge (RFC 7616 §3.4). */
function readCredentials(parameters: ReadonlyMap<string, string>): DigestAnswer | undefined {
  const username = parameters.get("username");
  const nonce = parameters.get("nonce");
  const uri = parameters.get("uri");
  const response = parameters.get("response")?.toLowerCase();
  const cnonce = parameters.get("cnonce");
  const nonceCount = parameters.get("nc");
  const algorithm = digestAlgorithm(parameters.get("algorithm"));
  if (username === undefined || nonce === undefined || uri === undefined || response === undefined)
    return undefined;
  if (cnonce === undefined || nonceCount === undefined || algorithm === undefined) return undefined;
  const protection = parameters.get("qop")?.toLowerCase();
  if (protection !== "auth" && protection !== "auth-int") return undefined;
  if (!/^[0-9a-f]{8}$/i.test(nonceCount)) return undefined;
  return { username, nonce, uri, response, cnonce, nonceCount, algorithm, protection };
}

function equalInConstantTime(expected: string, actual: string): boolean {
  const expectedBytes = Buffer.from(expected);
  const actualBytes = Buffer.from(actual);
  return expectedBytes.length === actualBytes.length && timingSafeEqual(expectedBytes, actualBytes);
}
