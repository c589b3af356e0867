import type { SipTrunkCheck, SipTrunkCheckStep } from "@parley/contract";
import type { ConnectionProbe, Hop, OptionsResult, ProbeFailure } from "@parley/sip";
import { uriHostOf } from "./sip-trunks.rules.ts";

export type Problem = NonNullable<SipTrunkCheckStep["problem"]>;

/** What a step found, without its name and time. */
export type Finding =
  | { result: "ok" | "skipped"; message: string }
  | { result: "failed"; problem: Problem; message: string };

/** Any other answer to OPTIONS comes from somebody who is there; these say that calls would fail. */
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

export function judgeDns(host: string, hops: readonly Hop[]): Finding {
  if (hops.length > 0) return ok(`${host} leads to ${hops.map(nameOf).join(", ")}.`);
  return failed("name_not_found", `The DNS knows no address of ${host}: see whether the name is right.`);
}

export function judgeConnection(hop: Hop, { failure, tlsMs }: ConnectionProbe): Finding {
  if (failure === undefined || tlsMs !== undefined) return ok(`${nameOf(hop)} takes TCP connections.`);
  return describeConnectFailure(hop, failure);
}

function describeConnectFailure(hop: Hop, { cause, reason }: ProbeFailure): Finding {
  const name = nameOf(hop);
  if (cause === "refused")
    return failed("connection_refused", `${name} refuses TCP connections: nothing listens on this port.`);
  if (cause === "timeout") {
    const text = `${name} does not answer: a packet filter on the way, or the wrong address.`;
    return failed("no_answer", text);
  }
  return failed("unreachable", `${name} cannot be reached: ${reason}.`);
}

export function judgeTls(hop: Hop, { failure }: ConnectionProbe): Finding {
  const name = nameOf(hop);
  if (failure === undefined) {
    return ok(
      `${name} has a certificate for ${hop.domain ?? hop.address} from an authority that is trusted.`,
    );
  }
  const { cause, reason } = failure;
  if (cause === "wrong_name") {
    const advice = "proxyAddress has to be a name that the certificate has.";
    return failed("certificate_wrong_name", `At ${name} ${reason}: ${advice}`);
  }
  if (cause === "untrusted") {
    const advice = "is its authority in PARLEY_SIP_TLS_CA, and is it still valid?";
    return failed(
      "certificate_untrusted",
      `The certificate of ${name} is not accepted (${reason}): ${advice}`,
    );
  }
  if (cause === "certificate_wanted") {
    const advice = "it may want a certificate of ours, which PARLEY_SIP_TLS_CERT would give it.";
    return failed(
      "tls_failed",
      `${name} ends TLS connections as soon as they are there (${reason}): ${advice}`,
    );
  }
  return failed("tls_failed", `${name} takes connections, but no TLS came about: ${reason}.`);
}

export function judgeOptions(server: string, reply: OptionsResult | "late"): Finding {
  if (reply === "late" || !reply.ok) return describeSilence(server, "OPTIONS", reply);
  const { status, reason } = reply;
  const answer = `${server} answered OPTIONS with ${status} ${reason}`;
  if (unavailable.has(status)) return failed("unavailable", `${answer}: it takes no calls now.`);
  return ok(status < 300 ? `${answer}.` : `${answer}, which shows that it is there.`);
}

/** @param username who was to be let in. */
export function judgeRegistration(server: string, username: string, reply: OptionsResult | "late"): Finding {
  if (reply === "late" || !reply.ok) return describeSilence(server, "REGISTER", reply);
  const { status, reason } = reply;
  const answer = `${server} answered REGISTER with ${status} ${reason}`;
  if (status < 300) return ok(`${answer}: ${username} may register.`);
  if (status === 401 || status === 407) {
    return failed("credentials_refused", `${answer} after digest: the user name or the password is wrong.`);
  }
  if (status === 403) {
    const text = "it knows us and refuses us; is the account locked, or our address not allowed?";
    return failed("forbidden", `${answer}: ${text}`);
  }
  if (status === 404) return failed("not_found", `${answer}: it knows no ${username}.`);
  if (unavailable.has(status)) return failed("unavailable", `${answer}: it registers nobody now.`);
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
    "a packet filter on the way, a wrong address or port, or a carrier that ignores who it does not know.";
  return failed("no_answer", `${server} does not answer ${method}: ${text}`);
}

export function summarize(steps: readonly SipTrunkCheckStep[]): Pick<SipTrunkCheck, "isOk" | "message"> {
  const failure = steps.find(({ result }) => result === "failed");
  if (failure === undefined)
    return { isOk: true, message: "Nothing stands between the platform and the trunk." };
  return { isOk: false, message: failure.message };
}
