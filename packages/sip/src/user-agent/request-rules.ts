import { randomInt } from "node:crypto";
import { containsControl } from "../grammar/scanner.ts";
import { parseUri, uriScheme } from "../grammar/uri.ts";
import type { SipRequest } from "../messages/message.ts";
import { type BodyPart, handlingIn, readMultipart, typeIn } from "../messages/multipart.ts";
import type { ResponseContent } from "../messages/response.ts";

/** RFC 3261 §20.5. */
const allowedMethods = "INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, NOTIFY";

/** §20.37: RFC 3262, RFC 4028, RFC 3891 and RFC 4488. */
const supportedExtensions = "100rel, timer, replaces, norefersub";

/** Header fields that describe the sender of an INVITE, an UPDATE or their 2xx (§13.2.1, §13.3.1.4). */
export const capabilities = { Allow: allowedMethods, Supported: supportedExtensions };

/** Known but unsupported methods: 405 instead of 501 (§8.2.1, §21.5.2). */
const knownMethods = new Set(["REGISTER", "SUBSCRIBE", "PUBLISH", "MESSAGE"]);

/** Methods whose body may be a session description. */
const describingMethods = new Set(["INVITE", "UPDATE", "PRACK"]);

const SDP = "application/sdp";
/** A description, alone or among other parts (RFC 5621 §7). */
const ACCEPTED_BODIES = `${SDP}, multipart/mixed, multipart/alternative`;

export interface Rejection {
  status: number;
  content?: ResponseContent;
}

/** Checks every request before it is processed, in the order of RFC 3261 §8.2. */
export function rejectionOf(request: SipRequest): Rejection | undefined {
  const isSupported = allowedMethods.split(", ").includes(request.method);
  if (!isSupported) return rejectMethod(request.method);
  // §8.2.2.1.
  const scheme = uriScheme(request.requestUri);
  if (scheme === undefined) return { status: 400, content: { reason: "Bad Request-URI" } };
  if (scheme !== "sip" && scheme !== "sips" && scheme !== "tel") return { status: 416 };
  return (
    rejectionOfControls(request) ??
    rejectionOfExtensions(request) ??
    rejectionOfAccept(request) ??
    rejectionOfBody(request)
  );
}

function rejectMethod(method: string): Rejection {
  return { status: knownMethods.has(method) ? 405 : 501, content: { headers: { Allow: allowedMethods } } };
}

/** Rejects escaped control characters: legal (§25.1), but never part of a real name, and names are stored as text. */
function rejectionOfControls({ requestUri, from, to }: SipRequest): Rejection | undefined {
  const uris = { "Request-URI": requestUri, From: from.uri, To: to.uri };
  for (const [place, text] of Object.entries(uris)) {
    const uri = parseUri(text);
    const name = uri?.scheme === "tel" ? uri.number : uri?.user;
    if (name !== undefined && containsControl(name))
      return { status: 400, content: { reason: `Bad ${place}` } };
  }
  return undefined;
}

/** §8.2.2.3: the rejection names the unsupported required extensions. */
function rejectionOfExtensions({ method, headers }: SipRequest): Rejection | undefined {
  if (method === "CANCEL") return undefined;
  const supported = supportedExtensions.split(", ");
  const unknown = headers.getList("require").filter((tag) => !supported.includes(tag.toLowerCase()));
  if (unknown.length === 0) return undefined;
  return { status: 420, content: { headers: { Unsupported: unknown.join(", ") } } };
}

/** §21.4.7: our answer to an INVITE is always a session description, which Accept may exclude (§20.1). */
function rejectionOfAccept({ method, headers }: SipRequest): Rejection | undefined {
  if (method !== "INVITE" || !headers.has("accept")) return undefined;
  const ranges = headers.getList("accept").map((range) => range.split(";", 1)[0]?.trim().toLowerCase());
  const takesSdp = ["application/sdp", "application/*", "*/*"].some((range) => ranges.includes(range));
  return takesSdp ? undefined : { status: 406 };
}

/** §8.2.3. */
function rejectionOfBody(request: SipRequest): Rejection | undefined {
  if (request.body.length === 0 || !describingMethods.has(request.method)) return undefined;
  const encoding = request.headers.get("content-encoding")?.toLowerCase();
  if (encoding !== undefined && encoding !== "identity") {
    return { status: 415, content: { headers: { "Accept-Encoding": "identity" } } };
  }
  if (!request.headers.has("content-type")) {
    return { status: 400, content: { reason: "Missing Content-Type" } };
  }
  const parts = partsOf(request);
  if (parts === undefined) return { status: 400, content: { reason: "Malformed Multipart Body" } };
  const isDescribed = parts.some(({ type }) => type === SDP);
  const isFit = parts.every(
    ({ type, handling }) =>
      type === SDP ||
      handling === "optional" ||
      // RFC 5621 §8.3 makes `required` the default, but senders that omit it beside a description do not mean it.
      (isDescribed && handling === undefined),
  );
  return isFit ? undefined : { status: 415, content: { headers: { Accept: ACCEPTED_BODIES } } };
}

/** The content type of a message's body, in lower case and without parameters. */
export function mediaTypeOf({ headers }: Pick<SipRequest, "headers">): string | undefined {
  const contentType = headers.get("content-type");
  return contentType === undefined ? undefined : typeIn(contentType);
}

/** The parts of a message's body in order; `undefined` if malformed. */
function partsOf({ headers, body }: Pick<SipRequest, "body" | "headers">): BodyPart[] | undefined {
  const contentType = headers.get("content-type");
  if (contentType === undefined) return undefined;
  const type = typeIn(contentType);
  if (type.startsWith("multipart/")) return readMultipart(contentType, body);
  return [{ type, body, handling: handlingIn(headers.get("content-disposition")) }];
}

/** The session description in a message, as a part or as the whole body; empty if there is none. */
export function sdpOf(message: Pick<SipRequest, "body" | "headers">): string {
  const description = partsOf(message)?.find(({ type }) => type === SDP);
  return description?.body.toString("utf8") ?? "";
}

/** §14.2, RFC 3311 §5.2: an offer during an undecided earlier one may be repeated after 0 to 10 s. */
export function tryLater(): Rejection {
  return { status: 500, content: { headers: { "Retry-After": String(randomInt(0, 11)) } } };
}
