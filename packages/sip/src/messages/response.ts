import type { HeaderFields, HeaderList as Headers } from "./header-list.ts";
import { HeaderList } from "./header-list.ts";
import type { OutgoingResponse } from "./message.ts";

/** RFC 3261 §21 and the IANA registry; any other status has the phrase of its class. */
const reasonPhrases: Readonly<Record<number, string>> = {
  100: "Trying",
  180: "Ringing",
  181: "Call Is Being Forwarded",
  182: "Queued",
  183: "Session Progress",
  200: "OK",
  202: "Accepted",
  204: "No Notification",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Moved Temporarily",
  305: "Use Proxy",
  380: "Alternative Service",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  410: "Gone",
  412: "Conditional Request Failed",
  413: "Request Entity Too Large",
  414: "Request-URI Too Long",
  415: "Unsupported Media Type",
  416: "Unsupported URI Scheme",
  420: "Bad Extension",
  421: "Extension Required",
  422: "Session Interval Too Small",
  423: "Interval Too Brief",
  428: "Use Identity Header",
  429: "Provide Referrer Identity",
  433: "Anonymity Disallowed",
  437: "Unsupported Credential",
  438: "Invalid Identity Header",
  469: "Bad Info Package",
  480: "Temporarily Unavailable",
  481: "Call/Transaction Does Not Exist",
  482: "Loop Detected",
  483: "Too Many Hops",
  484: "Address Incomplete",
  485: "Ambiguous",
  486: "Busy Here",
  487: "Request Terminated",
  488: "Not Acceptable Here",
  489: "Bad Event",
  491: "Request Pending",
  493: "Undecipherable",
  494: "Security Agreement Required",
  500: "Server Internal Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Server Time-out",
  505: "Version Not Supported",
  513: "Message Too Large",
  580: "Precondition Failure",
  600: "Busy Everywhere",
  603: "Decline",
  604: "Does Not Exist Anywhere",
  606: "Not Acceptable",
  607: "Unwanted",
  608: "Rejected",
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

export function reasonPhrase(status: number): string {
  return reasonPhrases[status] ?? classPhrases[Math.floor(status / 100)] ?? "";
}

export interface ResponseContent {
  reason?: string;
  headers?: HeaderFields;
  body?: string;
  /** The content type of `body`; `application/sdp` by default. */
  contentType?: string;
}

/**
 * A response to the request with these header fields (RFC 3261 §8.2.6.2). Via, From, Call-ID and CSeq are copied;
 * To gets the tag, unless the status is 100.
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
