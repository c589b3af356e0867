import { randomBytes } from "node:crypto";
import { parseAuthentication, parseAuthenticationInfo } from "../grammar/authentication.ts";
import { quote } from "../grammar/scanner.ts";
import type { HeaderList } from "../messages/header-list.ts";
import {
  type DigestAlgorithm,
  digestAlgorithm,
  digestAlgorithms,
  digestResponse,
  type QualityOfProtection,
} from "./algorithm.ts";

export interface DigestCredentials {
  username: string;
  password: string;
}

/** The parts of a request that its credentials authenticate. */
interface AuthorizedRequest {
  method: string;
  requestUri: string;
  body: string;
}

interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: DigestAlgorithm;
  /** `undefined` if the challenge offered no `qop`. */
  protection: QualityOfProtection | undefined;
  isStale: boolean;
}

interface KnownChallenge extends Challenge {
  header: "authorization" | "proxy-authorization";
  /** Number of uses of the nonce, for `nc` (RFC 7616 §3.4). */
  useCount: number;
}

/** Challenges answered for one request: those of a proxy and a server, each with one or two stale nonces. */
const MAX_CHALLENGES_PER_REQUEST = 6;

/** Header fields of a 2xx that announce the next nonce, with the credentials they apply to. */
const infoFields = [
  ["authentication-info", "authorization"],
  ["proxy-authentication-info", "proxy-authorization"],
] as const;

/** Limits the remembered realms, so that a peer cannot fill the memory with invented ones. */
const MAX_REALMS = 8;

/**
 * Answers challenges to the requests of one account or call (RFC 3261 §22, RFC 7616, RFC 8760). A nonce is used
 * for later requests too, with an increasing `nc`, until the server reports it as stale.
 */
export class DigestClient {
  readonly #credentials: DigestCredentials;
  readonly #makeCnonce: () => string;
  /** The last challenge from each realm. */
  readonly #challenges = new Map<string, KnownChallenge>();
  /** Realms already answered for the current request. */
  readonly #answeredRealms = new Set<string>();
  #challengeCount = 0;

  constructor(credentials: DigestCredentials, makeCnonce = () => randomBytes(16).toString("hex")) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /** Starts a new request, which may be challenged again. */
  startRequest(): void {
    this.#answeredRealms.clear();
    this.#challengeCount = 0;
  }

  /**
   * Stores the challenge of a 401 or 407. Returns true if {@link authorize} can answer it: not if its scheme or
   * algorithm is unsupported, and not if the realm has already rejected the credentials for this request (§22.1:
   * they are not sent twice), unless the nonce was only stale. A 2xx may announce the nonce of the next request.
   */
  storeChallenge(status: number, responseHeaders: HeaderList): boolean {
    if (status >= 200 && status < 300) this.#storeNextNonce(responseHeaders);
    if (status !== 401 && status !== 407) return false;
    const lines = responseHeaders.getAll(status === 401 ? "www-authenticate" : "proxy-authenticate");
    const challenge = chooseChallenge(lines);
    if (challenge === undefined || ++this.#challengeCount > MAX_CHALLENGES_PER_REQUEST) return false;
    const key = `${status} ${challenge.realm}`;
    if (this.#answeredRealms.has(key) && !challenge.isStale) return false;
    if (!this.#challenges.has(key) && this.#challenges.size >= MAX_REALMS) return false;
    this.#answeredRealms.add(key);
    const header = status === 401 ? "authorization" : "proxy-authorization";
    const known = this.#challenges.get(key);
    // If the server repeats its nonce, the count continues.
    const useCount = known?.nonce === challenge.nonce ? known.useCount : 0;
    this.#challenges.set(key, { ...challenge, header, useCount });
    return true;
  }

  /** RFC 7616 §3.5. The field names no realm: if several realms share a header field, it is ambiguous and ignored. */
  #storeNextNonce(headers: HeaderList): void {
    for (const [field, header] of infoFields) {
      const nonce = parseAuthenticationInfo(headers.get(field) ?? "")?.get("nextnonce");
      const known = [...this.#challenges].filter(([, challenge]) => challenge.header === header);
      const [[key, challenge] = [], ...others] = known;
      if (nonce === undefined || key === undefined || challenge === undefined || others.length > 0) continue;
      // The same response may be received again.
      if (challenge.nonce !== nonce) this.#challenges.set(key, { ...challenge, nonce, useCount: 0 });
    }
  }

  /** The credentials for every known realm; empty before the first challenge. */
  authorize(request: AuthorizedRequest): Record<string, string[]> {
    const fields: Record<string, string[]> = {};
    for (const challenge of this.#challenges.values()) {
      challenge.useCount++;
      (fields[challenge.header] ??= []).push(this.#credentialsFor(challenge, request));
    }
    return fields;
  }

  #credentialsFor(challenge: KnownChallenge, { method, requestUri: uri, body }: AuthorizedRequest): string {
    const { realm, nonce, algorithm, opaque, protection } = challenge;
    const { username, password } = this.#credentials;
    const nonceCount = challenge.useCount.toString(16).padStart(8, "0");
    const input = { algorithm, username, realm, password, method, uri, nonce, body };
    const parts = [
      `Digest username=${quote(username)}`,
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(uri)}`,
    ];
    if (protection === undefined) parts.push(`response="${digestResponse(input)}"`, `algorithm=${algorithm}`);
    else {
      const qop = { nonceCount, cnonce: this.#makeCnonce(), protection };
      parts.push(`response="${digestResponse({ ...input, qop })}"`, `algorithm=${algorithm}`);
      parts.push(`qop=${protection}`, `nc=${nonceCount}`, `cnonce=${quote(qop.cnonce)}`);
    }
    if (opaque !== undefined) parts.push(`opaque=${quote(opaque)}`);
    return parts.join(", ");
  }
}

/** RFC 8760 §2.4: the strongest of several challenges that this side can answer. */
function chooseChallenge(lines: readonly string[]): Challenge | undefined {
  const challenges = lines.map(readChallenge).filter((challenge) => challenge !== undefined);
  for (const algorithm of digestAlgorithms) {
    const found = challenges.find((challenge) => challenge.algorithm === algorithm);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readChallenge(line: string): Challenge | undefined {
  const value = parseAuthentication(line);
  if (value === undefined || value.scheme.toLowerCase() !== "digest") return undefined;
  const { parameters } = value;
  const realm = parameters.get("realm");
  const nonce = parameters.get("nonce");
  const algorithm = digestAlgorithm(parameters.get("algorithm"));
  const qops = parameters
    .get("qop")
    ?.split(",")
    .map((qop) => qop.trim().toLowerCase());
  if (realm === undefined || nonce === undefined || algorithm === undefined) return undefined;
  // Prefer `auth`, because proxies may rewrite bodies (§22.1).
  const protection = (["auth", "auth-int"] as const).find((each) => qops?.includes(each) === true);
  if (qops !== undefined && protection === undefined) return undefined;
  const isStale = parameters.get("stale")?.toLowerCase() === "true";
  return { realm, nonce, opaque: parameters.get("opaque"), algorithm, protection, isStale };
}
