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

/** What of a request its credentials vouch for. */
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
  /** Undefined where the challenge offered no `qop`. */
  protection: QualityOfProtection | undefined;
  isStale: boolean;
}

interface KnownChallenge extends Challenge {
  header: "authorization" | "proxy-authorization";
  /** How often its nonce was used; `nc` counts up (RFC 7616 §3.4). */
  useCount: number;
}

/** How many challenges one request answers: a proxy and a server, each with a stale nonce or two. */
const MAX_CHALLENGES_PER_REQUEST = 6;

/** Where a 2xx names the next nonce, and whose. */
const infoFields = [
  ["authentication-info", "authorization"],
  ["proxy-authentication-info", "proxy-authorization"],
] as const;

/** How many realms are remembered, so that a peer cannot fill the memory with invented ones. */
const MAX_REALMS = 8;

/**
 * Answers the challenges that the requests of one account or call meet (RFC 3261 §22, RFC 7616, RFC 8760). A nonce
 * once given is used again for later requests, with a rising `nc`, until the server calls it stale.
 */
export class DigestClient {
  readonly #credentials: DigestCredentials;
  readonly #makeCnonce: () => string;
  /** The last challenge of each realm. */
  readonly #challenges = new Map<string, KnownChallenge>();
  /** Realms that the request in hand has answered. */
  readonly #answeredRealms = new Set<string>();
  #challengeCount = 0;

  constructor(credentials: DigestCredentials, makeCnonce = () => randomBytes(16).toString("hex")) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /** Begins a new request, which may be challenged afresh. */
  startRequest(): void {
    this.#answeredRealms.clear();
    this.#challengeCount = 0;
  }

  /**
   * Takes in the challenge of a 401 or 407; whether {@link authorize} can now answer it. It cannot where no challenge
   * is known to us, or where the same realm refuses credentials that it has already seen for this request (§22.1:
   * they are not sent twice), unless its nonce was merely stale. A 2xx may name the nonce of the next request.
   */
  learn(status: number, responseHeaders: HeaderList): boolean {
    if (status >= 200 && status < 300) this.#learnNextNonce(responseHeaders);
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
    // A server that repeats its nonce goes on counting.
    const useCount = known?.nonce === challenge.nonce ? known.useCount : 0;
    this.#challenges.set(key, { ...challenge, header, useCount });
    return true;
  }

  /** RFC 7616 §3.5. The field names no realm: where several have asked for the same header it is anybody's. */
  #learnNextNonce(headers: HeaderList): void {
    for (const [field, header] of infoFields) {
      const nonce = parseAuthenticationInfo(headers.get(field) ?? "")?.get("nextnonce");
      const known = [...this.#challenges].filter(([, challenge]) => challenge.header === header);
      const [[key, challenge] = [], ...others] = known;
      if (nonce === undefined || key === undefined || challenge === undefined || others.length > 0) continue;
      // The same response may come again.
      if (challenge.nonce !== nonce) this.#challenges.set(key, { ...challenge, nonce, useCount: 0 });
    }
  }

  /** The credentials of a request, for every realm that has challenged so far; none before the first challenge. */
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

/** RFC 8760 §2.4: of several challenges the strongest that we can answer. */
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
  // Proxies may rewrite bodies on the way (§22.1), so `auth` is chosen where both are offered.
  const protection = (["auth", "auth-int"] as const).find((each) => qops?.includes(each) === true);
  if (qops !== undefined && protection === undefined) return undefined;
  const isStale = parameters.get("stale")?.toLowerCase() === "true";
  return { realm, nonce, opaque: parameters.get("opaque"), algorithm, protection, isStale };
}
