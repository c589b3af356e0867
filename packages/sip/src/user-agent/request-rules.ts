import { randomInt } from "node:crypto";
import { uriScheme } from "../grammar/uri.ts";
import type { SipRequest } from "../messages/message.ts";
import type { ResponseContent } from "../messages/response.ts";

/** RFC 3261 §20.5. */
export const allowedMethods = "INVITE, ACK, CANCEL, BYE, OPTIONS";

/** Methods that are known but not supported: 405 rather than 501 (§8.2.1, §21.5.2). */
const knownMethods = new Set([
  "REGISTER",
  "PRACK",
  "SUBSCRIBE",
  "NOTIFY",
  "PUBLISH",
  "INFO",
  "REFER",
  "MESSAGE",
  "UPDATE",
]);

export interface Refusal {
  status: number;
  content?: ResponseContent;
}

/** The checks that every request meets before it is acted on, in the order of RFC 3261 §8.2. */
export function refusalOf(request: SipRequest): Refusal | undefined {
  const isSupported = allowedMethods.split(", ").includes(request.method);
  if (!isSupported) return refuseMethod(request.method);
  // §8.2.2.1
  const scheme = uriScheme(request.requestUri);
  if (scheme === undefined) return { status: 400, content: { reason: "Bad Request-URI" } };
  if (scheme !== "sip" && scheme !== "sips" && scheme !== "tel") return { status: 416 };
  // §8.2.2.3: no extension is supported, so every required one is named in the refusal.
  const required = request.method === "CANCEL" ? [] : request.headers.getList("require");
  if (required.length > 0) return { status: 420, content: { headers: { Unsupported: required.join(", ") } } };
  return request.body.length > 0 && request.method === "INVITE" ? refusalOfBody(request) : undefined;
}

export function refuseMethod(method: string): Refusal {
  return { status: knownMethods.has(method) ? 405 : 501, content: { headers: { Allow: allowedMethods } } };
}

/** §8.2.3 */
function refusalOfBody(request: SipRequest): Refusal | undefined {
  const encoding = request.headers.get("content-encoding")?.toLowerCase();
  if (encoding !== undefined && encoding !== "identity") {
    return { status: 415, content: { headers: { "Accept-Encoding": "identity" } } };
  }
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === undefined) return { status: 400, content: { reason: "Missing Content-Type" } };
  if (type === "application/sdp" || isOptional(request)) return undefined;
  return { status: 415, content: { headers: { Accept: "application/sdp" } } };
}

/** §20.11: a body that may be ignored. */
function isOptional(request: SipRequest): boolean {
  return /;\s*handling\s*=\s*optional/i.test(request.headers.get("content-disposition") ?? "");
}

/** The session description in a message; empty where it has none. */
export function sdpOf({ body, headers }: Pick<SipRequest, "body" | "headers">): string {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return type === "application/sdp" ? body.toString("utf8") : "";
}

/** §14.1, §14.2: seconds to wait before an INVITE that collided with another is sent again. */
export function randomRetryAfter(): string {
  return String(randomInt(0, 11));
}
