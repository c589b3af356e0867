import { randomBytes } from "node:crypto";
import { parseAuthentication } from "../grammar/authentication.ts";
import { quote } from "../grammar/scanner.ts";
import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import { type DigestAlgorithm, digestAlgorithm, digestAlgorithms, digestResponse } from "./algorithm.ts";

export interface DigestCredentials {
  username: string;
  password: string;
}

interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: DigestAlgorithm;
  usesQop: boolean;
  isStale: boolean;
}

/** Answers the challenges that one request meets on its way (RFC 3261 §22, RFC 7616, RFC 8760). */
export class DigestClient {
  readonly #credentials: DigestCredentials;
  readonly #makeCnonce: () => string;
  /** How often each nonce was used; `nc` counts up (RFC 7616 §3.4). */
  readonly #nonceCounts = new Map<string, number>();
  readonly #answeredRealms = new Set<string>();

  constructor(credentials: DigestCredentials, makeCnonce = () => randomBytes(16).toString("hex")) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /**
   * The header fields that answer a 401 or 407. `undefined` where no challenge can be answered, or where the same
   * realm refuses credentials that it has already seen for a fresh nonce (§22.1: they are not sent twice).
   */
  answer(
    status: 401 | 407,
    responseHeaders: HeaderList,
    method: string,
    uri: string,
  ): HeaderFields | undefined {
    const lines = responseHeaders.getAll(status === 401 ? "www-authenticate" : "proxy-authenticate");
    const challenge = chooseChallenge(lines);
    if (challenge === undefined) return undefined;
    if (this.#answeredRealms.has(`${status} ${challenge.realm}`) && !challenge.isStale) return undefined;
    this.#answeredRealms.add(`${status} ${challenge.realm}`);
    return {
      [status === 401 ? "authorization" : "proxy-authorization"]: this.#authorize(challenge, method, uri),
    };
  }

  #authorize(challenge: Challenge, method: string, uri: string): string {
    const { realm, nonce, algorithm, opaque } = challenge;
    const { username, password } = this.#credentials;
    const count = (this.#nonceCounts.get(nonce) ?? 0) + 1;
    this.#nonceCounts.set(nonce, count);
    const qop = { nonceCount: count.toString(16).padStart(8, "0"), cnonce: this.#makeCnonce() };
    const input = { algorithm, username, realm, password, method, uri, nonce };
    const response = digestResponse(challenge.usesQop ? { ...input, qop } : input);
    const parts = [
      `Digest username=${quote(username)}`,
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(uri)}`,
      `response="${response}"`,
      `algorithm=${algorithm}`,
    ];
    if (challenge.usesQop) parts.push("qop=auth", `nc=${qop.nonceCount}`, `cnonce=${quote(qop.cnonce)}`);
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
  // A server that offers only auth-int cannot be answered.
  if (qops !== undefined && !qops.includes("auth")) return undefined;
  return {
    realm,
    nonce,
    opaque: parameters.get("opaque"),
    algorithm,
    usesQop: qops !== undefined,
    isStale: parameters.get("stale")?.toLowerCase() === "true",
  };
}
