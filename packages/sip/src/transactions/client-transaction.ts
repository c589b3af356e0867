import type { OutgoingRequest, SipResponse } from "../messages/message.ts";
import type { SocketAddress } from "../transport/transport.ts";
import type { InviteClientTransaction } from "./invite-client.ts";
import type { NonInviteClientTransaction } from "./non-invite-client.ts";

/** A request that was sent and is waiting for its responses. */
export interface ClientTransaction {
  /** As sent, its Via included. */
  request: OutgoingRequest;
  destination: SocketAddress;
  machine: InviteClientTransaction | NonInviteClientTransaction;
}

/** The header fields that an ACK for a failure and a CANCEL take over from their INVITE (RFC 3261 §9.1, §17.1.1.3). */
export function copyForSameTransaction(
  request: OutgoingRequest,
  method: "ACK" | "CANCEL",
  to: string,
): OutgoingRequest {
  const headers = request.headers.copyOf(["from", "call-id", "route", "max-forwards", "user-agent"]);
  // Its Via is the top one of the INVITE, alone, so that branch and sent-by are the same.
  headers.prepend("via", request.headers.get("via") ?? "");
  headers.add("to", to);
  const sequence = /^\d+/.exec(request.headers.get("cseq") ?? "")?.[0] ?? "1";
  headers.add("cseq", `${sequence} ${method}`);
  return { method, requestUri: request.requestUri, headers, body: "" };
}

/** §17.1.1.3: the ACK of a final response other than 2xx carries the To of that response. */
export function ackForFailure(invite: OutgoingRequest, response: SipResponse): OutgoingRequest {
  return copyForSameTransaction(invite, "ACK", response.headers.get("to") ?? "");
}
