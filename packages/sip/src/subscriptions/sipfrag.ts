import type { SipRequest } from "../messages/message.ts";

/** The status line in a NOTIFY (RFC 3420, RFC 3515 §2.4.5). */
export interface ReportedStatus {
  status: number;
  reason: string;
}

export const SIPFRAG_TYPE = "message/sipfrag;version=2.0";

export function writeSipfrag({ status, reason }: ReportedStatus): string {
  return `SIP/2.0 ${status} ${reason.replace(/[\r\n]+/g, " ")}\r\n`;
}

/** The status line of the body; `undefined` if the body is not a fragment of a response. */
export function readSipfrag({
  headers,
  body,
}: Pick<SipRequest, "headers" | "body">): ReportedStatus | undefined {
  if (!/^\s*message\/sipfrag\b/i.test(headers.get("content-type") ?? "")) return undefined;
  const match = /^SIP\/2\.0 ([1-6]\d\d)(?: ([^\r\n]*))?(?:[\r\n]|$)/.exec(
    body.subarray(0, 1024).toString("utf8"),
  );
  return match === null ? undefined : { status: Number(match[1]), reason: match[2] ?? "" };
}
