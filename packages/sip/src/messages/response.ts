import type { HeaderFields, HeaderList as Headers } from "./header-list.ts";
import { HeaderList } from "./header-list.ts";
import type { OutgoingResponse } from "./message.ts";

/** RFC 3261 §21 and the IANA registry; any other status gets the phrase of its class. */
const reasonPhrases: Readonly<Record<number, string>> = {
  100: "Trying",
  180: "Ringing",
  181: "Call Is Being Forwarded",
  182: "Queued",
  183: "Session Progress",
  200: "OK",
  202: "Accepted",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  410: "Gone",
  415: "Unsupported Media Type",
  416: "Unsupported URI Scheme",
  420: "Bad Extension",
  480: "Temporarily Unavailable",
  481: "Call/Transaction Does Not Exist",
  482: "Loop Detected",
  484: "Address Incomplete",
  486: "Busy Here",
  487: "Request Terminated",
  488: "Not Acceptable Here",
  491: "Request Pending",
  500: "Server Internal Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "Version Not Supported",
  513: "Message Too Large",
  600: "Busy Everywhere",
  603: "Decline",
  604: "Does Not Exist Anywhere",
  606: "Not Acceptable",
};

const classPhrases = [
  "",
  "Progress",
  "OK",
  "Redirection",
  "Request Failure",
  "Server Failure",
  "Global Failure",
];

function reasonPhrase(status: number): string {
  return reasonPhrases[status] ?? classPhrases[Math.floor(status / 100)] ?? "";
}

export interface ResponseContent {
  reason?: string;
  headers?: HeaderFields;
  body?: string;
  /** The type of `body`, `application/sdp` unless stated. */
  contentType?: string;
}

/**
 * A response to the request with these header fields (RFC 3261 §8.2.6.2): its Via, From, Call-ID and CSeq come
 * back unchanged, To as well but for the tag, which every response except 100 carries.
 */
export function createResponse(
  request: Headers,
  status: number,
  toTag: string,
  content: ResponseContent = {},
): OutgoingResponse {
  const headers = new HeaderList();
  for (const via of request.getAll("via")) headers.add("via", via);
  const from = request.get("from");
  if (from !== undefined) headers.add("from", from);
  const to = request.get("to");
  if (to !== undefined) headers.add("to", status === 100 || hasTag(to) ? to : `${to};tag=${toTag}`);
  for (const name of ["call-id", "cseq"]) {
    const value = request.get(name);
    if (value !== undefined) headers.add(name, value);
  }
  // §8.2.6.1: a 100 repeats the Timestamp.
  const timestamp = status === 100 ? request.get("timestamp") : undefined;
  if (timestamp !== undefined) headers.add("timestamp", timestamp);
  if (content.headers !== undefined) headers.addAll(content.headers);
  const body = content.body ?? "";
  if (body !== "") headers.set("content-type", content.contentType ?? "application/sdp");
  return { status, reason: content.reason ?? reasonPhrase(status), headers, body };
}

function hasTag(to: string): boolean {
  const afterUri = to.slice(to.lastIndexOf(">") + 1);
  return /;\s*tag\s*=/i.test(afterUri);
}
