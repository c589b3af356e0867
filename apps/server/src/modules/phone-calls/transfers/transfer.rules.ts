import type { InviteFailure, ReferResult } from "@parley/sip";
import { normalizePhoneNumber } from "../../../platform/phone-number.ts";
import type { OutgoingRoute } from "../../sip-trunks/sip-trunks.service.ts";
import { outcomeOfDial } from "../outbound/dial-outcome.rules.ts";

/** Why a transfer failed, in the transcript and for the model. */
export type TransferFailure = "busy" | "no answer" | "rejected" | "not allowed" | "unreachable" | "hung up";

const URI = /^sips?:([^@]+)@(.+)$/i;

/**
 * Returns the number or extension behind the trunk for a destination of transfers; `undefined` if it is none, such as a URI of
 * another host: calls leave only by the trunk.
 */
export function numberBehind({ uriOf }: Pick<OutgoingRoute, "uriOf">, to: string): string | undefined {
  if (to.startsWith("+")) return normalizePhoneNumber(to);
  const [, user, host] = URI.exec(to) ?? [];
  if (user === undefined || host === undefined) return to;
  const [, , ownHost] = URI.exec(uriOf(user)) ?? [];
  if (ownHost === undefined || withoutPort(host) !== withoutPort(ownHost)) return undefined;
  return user.startsWith("+") ? normalizePhoneNumber(user) : user;
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

export interface FailedTransfer {
  failure: TransferFailure;
  /** What the network said. */
  detail: string;
}

/** Why the person was not reached. */
export function failureOfDial(result: InviteFailure): FailedTransfer {
  const { status, endDetail: detail = "" } = outcomeOfDial(result);
  if (status === "busy") return { failure: "busy", detail };
  if (status === "no_answer") return { failure: "no answer", detail };
  const isRejected = result.status >= 400 && result.cause === "rejected";
  return { failure: isRejected ? "rejected" : "unreachable", detail };
}

/** Why the other side did not reach the person for us. */
export function failureOfRefer({
  cause,
  status,
  reason,
}: Extract<ReferResult, { ok: false }>): FailedTransfer {
  if (cause === "no_report") return { failure: "no answer", detail: "the trunk did not report the outcome" };
  if (cause === "ended") return { failure: "hung up", detail: "the call ended" };
  return failureOfDial({ ok: false, cause: "rejected", status, reason });
}
