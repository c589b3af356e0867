import type { SipTrunkCheck, SipTrunkCheckStep } from "@parley/contract";
import type { ConnectionProbe, Hop, OptionsResult, ProbeFailure } from "@parley/sip";
import { isPublicAddress } from "../../platform/outbound-http/public-address.ts";
import { uriHostOf } from "./sip-trunks.rules.ts";

export type Problem = NonNullable<SipTrunkCheckStep["problem"]>;

/** Result of a step, without its name and duration. */
export type Finding =
  | { result: "ok" | "skipped"; message: string }
  | { result: "failed"; problem: Problem; message: string };

/** Any other answer to OPTIONS proves that the server responds; these say that calls would fail. */
const unavailable = new Set([408, 500, 502, 503, 504]);

const ok = (message: string): Finding => ({ result: "ok", message });
export const skipped = (message: string): Finding => ({ result: "skipped", message });
export const failed = (problem: Problem, message: string): Finding => ({
  result: "failed",
  problem,
  message,
});

/** `203.0.113.7:5060 (TLS)` */
export function nameOf({ address, port, protocol }: Hop): string {
  return `${uriHostOf({ address, port })} (${protocol})`;
}

export function judgeDns(host: string, hops: readonly Hop[], isPrivateAllowed: boolean): Finding {
  if (hops.length === 0)
    return failed("name_not_found", `${host} does not resolve to an address: check the name.`);
  if (!isPrivateAllowed && hops.some(({ address }) => !isPublicAddress(address))) {
    const text =
      `${host} is in a private network, which checks reach only if the operator sets ` +
      "PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS=true. Calls reach it.";
    return failed("address_not_allowed", text);
  }
  return ok(`${host} resolves to ${hops.map(nameOf).join(", ")}.`);
}

export function judgeConnection(hop: Hop, { failure, tlsMs }: ConnectionProbe): Finding {
  if (failure === undefined || tlsMs !== undefined) return ok(`${nameOf(hop)} accepts TCP connections.`);
  return describeConnectFailure(hop, failure);
}

function describeConnectFailure(hop: Hop, { cause, reason }: ProbeFailure): Finding {
  const name = nameOf(hop);
  if (cause === "refused")
    return failed("connection_refused", `${name} refuses TCP connections: no server listens on this port.`);
  if (cause === "timeout") {
    const text = `${name} does not answer: check the address, and firewalls on the way.`;
    return failed("no_answer", text);
  }
  return failed("unreachable", `${name} cannot be reached: ${reason}.`);
}

export function judgeTls(hop: Hop, { failure }: ConnectionProbe): Finding {
  const name = nameOf(hop);
  if (failure === undefined) {
    return ok(`${name} has a certificate for ${hop.domain ?? hop.address} from a trusted authority.`);
  }
  const { cause, reason } = failure;
  if (cause === "wrong_name") {
    const advice = "set proxyAddress to a name in the certificate.";
    return failed("certificate_wrong_name", `At ${name} ${reason}: ${advice}`);
  }
  if (cause === "untrusted") {
    const advice = "check that it is still valid and that its authority is in PARLEY_SIP_TLS_CA.";
    return failed(
      "certificate_untrusted",
      `The certificate of ${name} is not trusted (${reason}): ${advice}`,
    );
  }
  if (cause === "certificate_wanted") {
    const advice = "it may require a client certificate: set PARLEY_SIP_TLS_CERT.";
    return failed("tls_failed", `${name} closes TLS connections at once (${reason}): ${advice}`);
  }
  return failed("tls_failed", `${name} accepts connections, but the TLS handshake failed: ${reason}.`);
}

export function judgeOptions(server: string, reply: OptionsResult | "late"): Finding {
  if (reply === "late" || !reply.ok) return describeSilence(server, "OPTIONS", reply);
  const { status, reason } = reply;
  const answer = `${server} answered OPTIONS with ${status} ${reason}`;
  if (unavailable.has(status))
    return failed("unavailable", `${answer}: it does not accept calls at present.`);
  return ok(status < 300 ? `${answer}.` : `${answer}: it is reachable.`);
}

/** @param username Username of the registration. */
export function judgeRegistration(server: string, username: string, reply: OptionsResult | "late"): Finding {
  if (reply === "late" || !reply.ok) return describeSilence(server, "REGISTER", reply);
  const { status, reason } = reply;
  const answer = `${server} answered REGISTER with ${status} ${reason}`;
  if (status < 300) return ok(`${answer}: the credentials of ${username} are accepted.`);
  if (status === 401 || status === 407) {
    return failed(
      "credentials_refused",
      `${answer} after authentication: the user name or the password is wrong.`,
    );
  }
  if (status === 403) {
    const text = "check that the account is not locked and that this address is allowed.";
    return failed("forbidden", `${answer}: ${text}`);
  }
  if (status === 404) return failed("not_found", `${answer}: the user ${username} is unknown there.`);
  if (unavailable.has(status))
    return failed("unavailable", `${answer}: it does not accept registrations at present.`);
  return failed("refused", `${answer}.`);
}

function describeSilence(
  server: string,
  method: string,
  reply: "late" | Extract<OptionsResult, { ok: false }>,
): Finding {
  if (reply !== "late" && reply.cause === "transport_error")
    return failed("unreachable", `${method} could not be sent to ${server}.`);
  const text =
    "check the address and port, firewalls on the way, and whether the carrier accepts requests from this address.";
  return failed("no_answer", `${server} does not answer ${method}: ${text}`);
}

export function summarize(steps: readonly SipTrunkCheckStep[]): Pick<SipTrunkCheck, "isOk" | "message"> {
  const failure = steps.find(({ result }) => result === "failed");
  if (failure === undefined) return { isOk: true, message: "All checks passed." };
  return { isOk: false, message: failure.message };
}
