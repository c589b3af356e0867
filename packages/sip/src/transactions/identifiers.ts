import { createHmac, randomBytes } from "node:crypto";
import { formatVia, MAGIC_COOKIE, type Via } from "../grammar/via.ts";
import type { HeaderList } from "../messages/header-list.ts";
import type { SipRequest } from "../messages/message.ts";
import { DEFAULT_SIP_PORT } from "../transport/via-rules.ts";

/** RFC 3261 §8.1.1.7: unique in space and time; also unguessable, so that a stranger cannot answer for the peer. */
export function newBranch(): string {
  return `${MAGIC_COOKIE}${randomBytes(16).toString("hex")}`;
}

/** §19.3: at least 32 random bits. */
export function newTag(): string {
  return randomBytes(8).toString("hex");
}

const statelessTagKey = randomBytes(32);

/** §8.2.7: a response without a transaction has the same tag for every retransmission of its request. */
export function statelessTag(headers: HeaderList): string {
  const identity = `${headers.get("via") ?? ""}\n${headers.get("call-id") ?? ""}\n${headers.get("cseq") ?? ""}`;
  return createHmac("sha256", statelessTagKey).update(identity).digest("hex").slice(0, 16);
}

/** §17.1.3: a response matches the request with the same branch and CSeq method. */
export function clientTransactionKey(branch: string, method: string): string {
  return `${branch} ${method}`;
}

/**
 * §17.2.3: a request matches the transaction with the same branch, sent-by and method; an ACK matches that of its
 * INVITE. Without the magic cookie, the fields that RFC 2543 compared replace the branch.
 *
 * @param method the method of the transaction: for a CANCEL, that of its INVITE (§9.2).
 */
export function serverTransactionKey(request: SipRequest, method: string): string {
  const { topVia } = request;
  const branch = topVia.parameters.get("branch");
  const transactionMethod = method === "ACK" ? "INVITE" : method;
  // A bare cookie is not unique.
  const isUnique = branch !== undefined && branch.length > MAGIC_COOKIE.length && hasMagicCookie(branch);
  if (!isUnique) {
    const fromTag = request.from.parameters.get("tag") ?? "";
    const via = formatVia(topVia);
    return `2543 ${request.callId} ${fromTag} ${request.cseq.sequence} ${via} ${request.requestUri} ${transactionMethod}`;
  }
  return `${branch} ${sentBy(topVia)} ${transactionMethod}`;
}

function hasMagicCookie(branch: string): boolean {
  return branch.slice(0, MAGIC_COOKIE.length).toLowerCase() === MAGIC_COOKIE.toLowerCase();
}

function sentBy(via: Via): string {
  return `${via.host.toLowerCase()}:${via.port ?? DEFAULT_SIP_PORT}`;
}

/** §8.2.2.2: requests without a To tag that share this key are copies of one request from different paths. */
export function mergeKey(request: SipRequest): string | undefined {
  if (request.to.parameters.has("tag")) return undefined;
  const fromTag = request.from.parameters.get("tag") ?? "";
  return `${request.callId} ${fromTag} ${request.cseq.sequence} ${request.method}`;
}
