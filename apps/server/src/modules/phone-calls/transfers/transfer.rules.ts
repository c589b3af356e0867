import type { TransferFailure } from "@parley/conversation";
import type { InviteFailure, ReferResult } from "@parley/sip";
import { normalizePhoneNumber } from "../../../platform/phone-number.ts";
import type { OutgoingRoute } from "../../sip-trunks/sip-trunks.service.ts";
import { outcomeOfDial } from "../outbound/dial-outcome.rules.ts";

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

/**
 * Returns whether a transfer leads back to the agents: to the number of this call's own agent, or to another number of the
 * organization if the call itself comes from one. Two agents that transfer to each other would otherwise use up all calls.
 *
 * @param ownNumbers Numbers of the organization.
 */
export function leadsBack(
  { fromNumber, callerNumber }: { fromNumber: string; callerNumber: string | null },
  toNumber: string,
  ownNumbers: readonly string[],
): boolean {
  const own = new Set(ownNumbers.map(withoutPlus));
  const to = withoutPlus(toNumber);
  const isFromAgent = callerNumber !== null && own.has(withoutPlus(callerNumber));
  return to === withoutPlus(fromNumber) || (isFromAgent && own.has(to));
}

function withoutPlus(number: string): string {
  return number.replace(/^\+/, "");
}

/** A number as carriers write it. The caller chooses what its From header has. */
const CALLER_NUMBER = /^\+?[0-9]{2,15}$/;

/** URI of the number that the person sees: the agent's, or the caller's if the agent shows it and it is not withheld. */
export function callerIdOf(
  { callerNumber }: { callerNumber: string | null },
  { warm }: { warm: { callerIdMode: "agent" | "caller" } | undefined },
  { from, uriOf }: Pick<OutgoingRoute, "from" | "uriOf">,
): string {
  const isShown =
    warm?.callerIdMode === "caller" && callerNumber !== null && CALLER_NUMBER.test(callerNumber);
  return isShown ? uriOf(callerNumber) : from;
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
