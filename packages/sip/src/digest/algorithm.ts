import { createHash } from "node:crypto";

/** The supported algorithms, strongest first (RFC 7616 §3.2, RFC 8760 §2). */
export const digestAlgorithms = ["SHA-256", "MD5"] as const;

export type DigestAlgorithm = (typeof digestAlgorithms)[number];

const hashNames: Record<DigestAlgorithm, string> = { "SHA-256": "sha256", MD5: "md5" };

/** The algorithm with this name, case-insensitive; MD5 by default (RFC 7616 §3.3). */
export function digestAlgorithm(name = "MD5"): DigestAlgorithm | undefined {
  const upperCase = name.toUpperCase();
  return digestAlgorithms.find((algorithm) => algorithm === upperCase);
}

export interface DigestInput {
  algorithm: DigestAlgorithm;
  username: string;
  realm: string;
  password: string;
  method: string;
  /** The `uri` parameter of the credentials. */
  uri: string;
  nonce: string;
  /** Absent if the challenge offered no `qop` (RFC 2069 style, which RFC 3261 §22.4 still requires). */
  qop?: { nonceCount: string; cnonce: string; protection?: QualityOfProtection };
  /** The body of the message; only `auth-int` includes it. */
  body?: string | Buffer;
}

/** RFC 7616 §3.4.3: what the response authenticates: the request line (`auth`), or also the body (`auth-int`). */
export type QualityOfProtection = "auth" | "auth-int";

/** The `response` parameter: `KD(H(A1), …)` of RFC 7616 §3.4.1, in lower-case hex. */
export function digestResponse(input: DigestInput): string {
  const hash = (data: string | Buffer): string =>
    createHash(hashNames[input.algorithm]).update(data).digest("hex");
  const a1 = hash(`${input.username}:${input.realm}:${input.password}`);
  const { qop } = input;
  const protection = qop?.protection ?? "auth";
  const request = `${input.method}:${input.uri}`;
  const a2 = hash(protection === "auth-int" ? `${request}:${hash(input.body ?? "")}` : request);
  return qop === undefined
    ? hash(`${a1}:${input.nonce}:${a2}`)
    : hash(`${a1}:${input.nonce}:${qop.nonceCount}:${qop.cnonce}:${protection}:${a2}`);
}
