import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import type { TransferResult } from "@parley/conversation";
import { buildOffer, LocalSrtpKeys } from "@parley/sip";
import type { Resolver } from "@parley/sip/resolver";
import type { MediaLeg, PersonMedia } from "../../../media/media-legs.ts";
import { AppError } from "../../../platform/app-error.ts";
import { isLoopback } from "../../../platform/destination-address.ts";
import type { ActiveCall, CallOutcome, TransferRoute } from "../../active-calls/active-call.ts";
import type { SipTraceRecorder } from "../../sip-traces/sip-trace.recorder.ts";
import type { SipEndpoint } from "../../sip-trunks/trunk-check.ts";
import { findMediaAddress } from "../media-address.ts";
import { createMediaHostResolver } from "../media-hosts.ts";
import { isRedirectAllowed } from "../outbound/destination.rules.ts";
import { dialing } from "../outbound/dialing.ts";
import type { OutboundPlanner } from "../outbound/outbound-planner.ts";
import { PhoneSession, type PhoneSessions } from "../phone-session.ts";
import { type CallAudioSettings, renegotiate, toAudioSettings } from "../sip-audio.ts";
import { numberIn } from "../sip-number.ts";
import { callerIdOf, type FailedTransfer, failureOfDial, failureOfRefer } from "./transfer.rules.ts";

/** By which trunk, and from which number, a call is transferred. */
export interface TransferLine {
  organizationId: string;
  sipTrunkId: string;
  /** The agent's number in the call (E.164). */
  fromNumber: string;
  /** The number of the other side; `null` if it is withheld. */
  callerNumber: string | null;
}

/** An answered phone call that is to be transferred. */
export interface TransferSubject {
  call: ActiveCall;
  media: Pick<MediaLeg, "transfer" | "noteTransfer">;
  session: PhoneSession;
  line: TransferLine;
}

/** Transfers a call. If that fails, the caller is back with the agent when it resolves. */
export type Transfer = (call: Omit<TransferSubject, "line">, route: TransferRoute) => Promise<TransferResult>;

interface CallTransfersOptions {
  planner: Pick<OutboundPlanner, "planTransfer">;
  sip: Pick<SipEndpoint, "agent">;
  sessions: PhoneSessions;
  /** The operator's public address. `undefined`: the local address that the trunk reaches. */
  publicAddress: string | undefined;
  /** `undefined` if no SIP messages are kept. */
  sipTraces: Pick<SipTraceRecorder, "claim"> | undefined;
  resolver: Pick<Resolver, "addresses">;
}

type TransferPlan = Awaited<ReturnType<OutboundPlanner["planTransfer"]>>;

/** The person's side of a transfer that this node dials. */
interface Dial {
  route: TransferRoute;
  plan: TransferPlan;
  person: PersonMedia;
  settings: CallAudioSettings;
}

/** A call has no session before its answer. */
export const notAnswered: TransferResult = { isTransferred: false, reason: "the call is not answered" };

const CONNECTED = { status: "completed", endReason: "transferred" } as const;

/** The end of either side before the two are connected. */
const HUNG_UP: FailedTransfer = { failure: "hung up", detail: "before the two were connected" };
const CALL_OVER: FailedTransfer = { failure: "hung up", detail: "the caller hung up" };

function unreachable(detail: string): FailedTransfer {
  return { failure: "unreachable", detail };
}

/** The person's call, as its SIP session sees it. From the connection on, its end is the end of the caller's call. */
class PersonCall implements Pick<ActiveCall, "id" | "organizationId" | "signal" | "hangUp"> {
  readonly #caller: ActiveCall;
  readonly #endTransfer: () => void;
  outcome: CallOutcome | undefined;
  #state: "transferring" | "connected" | "given up" = "transferring";

  constructor(caller: ActiveCall, endTransfer: () => void) {
    this.#caller = caller;
    this.#endTransfer = endTransfer;
  }

  get id(): string {
    return this.#caller.id;
  }

  get organizationId(): string {
    return this.#caller.organizationId;
  }

  get signal(): AbortSignal {
    return this.#caller.signal;
  }

  connect(): void {
    this.#state = "connected";
    this.#caller.noteTransferred();
    // The person may have hung up at the moment of the connection.
    if (this.outcome !== undefined) this.#endCaller();
  }

  /** Its end has no effect from now on: the caller is back with the agent, who may transfer the call again. */
  giveUp(): void {
    this.#state = "given up";
  }

  hangUp(outcome: CallOutcome): void {
    this.outcome ??= outcome;
    if (this.#state === "transferring") this.#endTransfer();
    if (this.#state === "connected") this.#endCaller();
  }

  #endCaller(): void {
    this.#caller.hangUp({ ...CONNECTED, endDetail: "the person hung up" });
  }
}

/**
 * Transfers calls. Without an announcement (`cold`) the trunk is asked to connect the caller by itself (REFER). If it does not
 * do that, if keys are to be pressed first, or if the person is to be asked before (`warm`), this node calls the person and
 * connects both.
 */
export class CallTransfers {
  readonly #options: CallTransfersOptions;

  constructor(options: CallTransfersOptions) {
    this.#options = options;
  }

  /** Returns how calls of this line are transferred. */
  by(line: TransferLine): Transfer {
    return async (call, route) => await this.#transfer({ ...call, line }, route);
  }

  async #transfer(subject: TransferSubject, route: TransferRoute): Promise<TransferResult> {
    const { media, line } = subject;
    const plan = await this.#plan(line, route.to_number);
    if ("failure" in plan) return this.#fail(subject, route, plan);
    media.noteTransfer(`Transfer to ${route.to_number}.`);
    media.transfer.hold();
    try {
      const mayRefer = route.extension === null && route.warm === undefined;
      const referred = mayRefer
        ? await subject.session.endAfter(this.#refer(subject, route, plan))
        : "refused";
      const result = referred === "refused" ? await this.#callPerson(subject, route, plan) : referred;
      return result === "transferred" ? { isTransferred: true } : this.#fail(subject, route, result);
    } catch (error) {
      media.transfer.end();
      throw error;
    }
  }

  /** Asks the other side of the call to call the person in our place. */
  async #refer(
    { call, session, media }: TransferSubject,
    { to_number: to, dialTimeoutSeconds }: TransferRoute,
    plan: TransferPlan,
  ): Promise<"transferred" | "refused" | FailedTransfer> {
    const result = await session.refer({
      to: plan.route.uriOf(plan.toNumber),
      referredBy: plan.route.from,
      timeoutMs: dialTimeoutSeconds * 1000,
    });
    if (result.ok) {
      media.noteTransfer(`${to} answered. The trunk connected the caller.`);
      call.hangUp({ ...CONNECTED, endDetail: `to ${to}, by the trunk` });
      return "transferred";
    }
    // Some trunks take the call over and hang up at once.
    if (result.cause === "ended_unreported") {
      media.noteTransfer(`The trunk took the call over, and did not report whether ${to} answered.`);
      call.hangUp({ ...CONNECTED, endDetail: `to ${to}, by the trunk, which did not report the outcome` });
      return "transferred";
    }
    return result.cause === "refused" ? "refused" : failureOfRefer(result);
  }

  /** Calls the person and connects the caller. */
  async #callPerson(
    subject: TransferSubject,
    route: TransferRoute,
    plan: TransferPlan,
  ): Promise<"transferred" | FailedTransfer> {
    const { call, media } = subject;
    const [hop] = await plan.route.locate();
    if (hop === undefined) return unreachable("the trunk's host name does not resolve");
    const address = await findMediaAddress(this.#options.publicAddress, hop.address);
    if (address === undefined) return unreachable("no network route to the trunk");
    if (call.signal.aborted) return CALL_OVER;
    const person = await media.transfer.openPerson({ isIPv6: isIPv6(address) });
    const settings = toAudioSettings({
      address,
      port: person.rtpPort,
      sampleRateHz: 8000,
      srtp: { keys: new LocalSrtpKeys(), isRequired: plan.route.isSrtpRequired },
      isLoopbackAllowed: isLoopback(hop.address),
    });
    return await this.#dial(subject, { route, plan, person, settings });
  }

  async #dial(
    { call, media, line }: TransferSubject,
    { route, plan, person, settings }: Dial,
  ): Promise<"transferred" | FailedTransfer> {
    const { sip, resolver, sessions, sipTraces } = this.#options;
    const { to_number: to, dialTimeoutSeconds } = route;
    const { toNumber, destinations } = plan;
    const callId = randomBytes(16).toString("hex");
    const endTrace = sipTraces?.claim(callId, call.id);
    const resolveHosts = createMediaHostResolver(resolver, settings.address);
    const personCall = new PersonCall(call, () => media.transfer.end());
    const session = new PhoneSession({ call: personCall, media: person, settings, resolveHosts, sessions });
    // The call of the person ends with that of the caller, and its messages belong to it until then.
    void call.decided.then(() => session.bye()).finally(() => endTrace?.());
    let isRinging = false;
    const result = await sip.agent.invite({
      ...dialing({ ...plan.route, from: callerIdOf(line, route, plan.route) }, toNumber),
      callId,
      sdp: buildOffer(settings),
      ringTimeoutMs: dialTimeoutSeconds * 1000,
      isRedirectAllowed: (uri) => isRedirectAllowed(numberIn(uri), toNumber, destinations),
      signal: call.signal,
      onProvisional: ({ status }) => {
        if (isRinging || status < 180) return;
        isRinging = true;
        media.noteTransfer(`${to} rings.`);
      },
      onReinvite: async (offer) => renegotiate(await resolveHosts(offer), settings, person),
    });
    if (!result.ok) return failureOfDial(result);
    session.follow(result.session);
    const isConnected = await session.connect(result.session.remoteSdp);
    const connected = isConnected ? await this.#connect(media, route) : HUNG_UP;
    if (connected === "transferred") {
      personCall.connect();
      return connected;
    }
    personCall.giveUp();
    session.bye();
    const endDetail = personCall.outcome?.endDetail;
    return connected.failure === "hung up" && endDetail !== undefined
      ? { ...connected, detail: endDetail }
      : connected;
  }

  /** Connects the person who answered with the caller, after a briefing if the transfer is warm. */
  async #connect(
    { transfer, noteTransfer }: TransferSubject["media"],
    { to_number: to, extension, warm, waitForHumanSeconds }: TransferRoute,
  ): Promise<"transferred" | FailedTransfer> {
    noteTransfer(`${to} answered.`);
    const keys = (extension ?? "").replaceAll(",", "w");
    if (warm !== undefined) {
      const outcome = await transfer.brief({ keys, waitForHumanMs: waitForHumanSeconds * 1000 });
      if (!outcome.isAccepted) return outcome;
    }
    return (await transfer.bridge(warm === undefined ? keys : "")) ? "transferred" : HUNG_UP;
  }

  #fail(
    { media }: TransferSubject,
    { to_number: to }: TransferRoute,
    { failure, detail }: FailedTransfer,
  ): TransferResult {
    const reason = `${failure} (${detail})`;
    media.noteTransfer(`The transfer to ${to} failed: ${reason}.`);
    media.transfer.end();
    return { isTransferred: false, reason };
  }

  async #plan(line: TransferLine, to: string): Promise<TransferPlan | FailedTransfer> {
    try {
      return await this.#options.planner.planTransfer(line, to);
    } catch (error) {
      if (error instanceof AppError) return { failure: "not allowed", detail: error.message };
      throw error;
    }
  }
}
