import { createHmac, timingSafeEqual } from "node:crypto";

/** Longest validity of a token: it travels through the visitor's browser. */
const MAX_AHEAD_SECONDS = 3600;
/** Clocks of servers differ by seconds. */
const LEEWAY_SECONDS = 60;
const MAX_USER_ID_CHARACTERS = 255;

export type UserTokenReading = { userId: string } | { problem: string };

/** Reads a JWT (RFC 7519) with HMAC-SHA256 that an agent's secret signed. */
export function readUserToken(token: string, secret: string, now: Date): UserTokenReading {
  const [header = "", payload = "", signature = "", ...rest] = token.split(".");
  if (rest.length > 0 || signature === "") return { problem: "it is not a JWT" };
  if (decode(header)?.["alg"] !== "HS256") return { problem: "its alg must be HS256" };
  const expected = createHmac("sha256", secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { problem: "its signature is not by this agent's secret" };
  const { sub, exp, nbf } = decode(payload) ?? {};
  const nowSeconds = now.getTime() / 1000;
  if (typeof exp !== "number") return { problem: "it has no exp" };
  if (exp < nowSeconds - LEEWAY_SECONDS) return { problem: "it has expired" };
  if (exp > nowSeconds + MAX_AHEAD_SECONDS + LEEWAY_SECONDS)
    return { problem: `its exp is more than ${MAX_AHEAD_SECONDS} seconds ahead` };
  if (typeof nbf === "number" && nbf > nowSeconds + LEEWAY_SECONDS) return { problem: "it is not valid yet" };
  // The database would make lone surrogates equal.
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_USER_ID_CHARACTERS || /[\0\p{Cs}]/u.test(sub))
    return { problem: `its sub must have 1 to ${MAX_USER_ID_CHARACTERS} characters` };
  return { userId: sub };
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
