import type { RequestContent } from "../../dialogs/dialog-client.ts";
import type { SipRequest } from "../../messages/message.ts";
import type { ServerTransaction } from "../../transactions/server-transaction.ts";
import { mediaTypeOf } from "../request-rules.ts";

/** A key pressed by the peer, received by INFO. */
export interface DtmfInfo {
  /** One of `0`-`9`, `*`, `#`, `A`-`D`. */
  digit: string;
  /** Present if the peer sends it. */
  durationMs: number | undefined;
}

/** The two INFO bodies that phones use for keys. Neither is an RFC; both are older than the packages of RFC 6086. */
type DtmfInfoType = "application/dtmf-relay" | "application/dtmf";

export interface DtmfInfoOptions {
  /** Default 160. */
  durationMs?: number;
  /** Default `application/dtmf-relay`. */
  type?: DtmfInfoType;
}

const DEFAULT_DURATION_MS = 160;
const MAX_DURATION_MS = 10_000;

/**
 * Answers an INFO, and returns the key in it. INFO packages are unsupported (RFC 6086 §4.2.2); a body without a DTMF
 * key gets 415.
 */
export function answerInfo(transaction: ServerTransaction): DtmfInfo | undefined {
  const { request } = transaction;
  if (request.headers.has("info-package")) {
    transaction.respond(469, { headers: { "Recv-Info": "" } });
    return undefined;
  }
  const key = readDtmfInfo(request);
  if (key === undefined && request.body.length > 0)
    transaction.respond(415, { headers: { Accept: "application/dtmf-relay, application/dtmf" } });
  else transaction.respond(200);
  return key;
}

/** The key in the body, or `undefined` if there is none. */
function readDtmfInfo(request: SipRequest): DtmfInfo | undefined {
  const type = mediaTypeOf(request);
  const body = request.body.subarray(0, 256).toString("latin1");
  if (type === "application/dtmf") {
    const digit = toDigit(body.trim());
    return digit === undefined ? undefined : { digit, durationMs: undefined };
  }
  if (type !== "application/dtmf-relay") return undefined;
  const digit = toDigit(/^\s*Signal\s*=\s*(\S+)\s*$/im.exec(body)?.[1] ?? "");
  const duration = /^\s*Duration\s*=\s*(\d{1,6})\s*$/im.exec(body)?.[1];
  if (digit === undefined) return undefined;
  return {
    digit,
    durationMs: duration === undefined ? undefined : Math.min(Number(duration), MAX_DURATION_MS),
  };
}

/** Some phones send star and hash as RFC 4733 event numbers, 10 and 11. */
function toDigit(written: string): string | undefined {
  if (written === "10") return "*";
  if (written === "11") return "#";
  return /^[0-9*#A-D]$/i.test(written) ? written.toUpperCase() : undefined;
}

export function writeDtmfInfo(
  digit: string,
  { durationMs = DEFAULT_DURATION_MS, type = "application/dtmf-relay" }: DtmfInfoOptions = {},
): RequestContent {
  const body = type === "application/dtmf" ? digit : `Signal=${digit}\r\nDuration=${durationMs}\r\n`;
  return { body, contentType: type };
}
