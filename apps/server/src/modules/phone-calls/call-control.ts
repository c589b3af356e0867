import { isIPv6 } from "node:net";
import type { IncomingInvite, InviteToScreen, Rejection } from "@parley/sip";
import type { Resolver } from "@parley/sip/resolver";
import type { Logger } from "pino";
import { AppError } from "../../platform/app-error.ts";
import type { LocalSpeechPlaces } from "../../inference/local-speech-places.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MediaPool } from "../../media/media-pool.ts";
import { agentColumns } from "../agents/versions/agent-resolution.rules.ts";
import type { InboundNumber, PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import type { SipTraceRecorder } from "../sip-traces/sip-trace.recorder.ts";
import { storableSipCallId } from "../sip-traces/sip-trace.rules.ts";
import { findMediaPeer } from "../calls/calls.rules.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { CallToRegister, ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import { type CallPlace, takePlace } from "../active-calls/call-places.ts";
import type { InboundAdmission } from "./inbound-admission.ts";
import { findMediaAddress } from "./media-address.ts";
import type { PhoneSession, PhoneSessions } from "./phone-session.ts";
import { numberIn } from "./sip-number.ts";
import type { CallTransfers } from "./transfers/call-transfers.ts";
import { InboundSipCall, type InboundSipCallOptions, notNow, refuseForNow } from "./inbound-sip-call.ts";

export interface CallControlOptions {
  nodeId: string;
  calls: CallsService;
  activeCalls: ActiveCallRegistry;
  phoneNumbers: PhoneNumbersService;
  admission: InboundAdmission;
  media: Pick<MediaPool, "freePlaces" | "hasFreePlace" | "reserve" | "open">;
  speechPlaces: LocalSpeechPlaces;
  /** The operator's public address. `undefined`: the local address that the caller reaches. */
  publicAddress: string | undefined;
  sessions: PhoneSessions;
  transfers: CallTransfers;
  /** `undefined` if no SIP messages are kept. */
  sipTraces: Pick<SipTraceRecorder, "claim"> | undefined;
  resolver: Pick<Resolver, "addresses">;
  clock: Clock;
  logger: Logger;
}

/** RFC 3261 §20.43: warn-code 300, incompatible network protocol. */
const noRoute = '300 parley "No Route To Media Address"';

/** Limit for user names as well; E.164 has at most 15 digits. */
const MAX_NUMBER_LENGTH = 255;

/** Handles inbound SIP requests. */
export class CallControl {
  readonly #options: CallControlOptions;

  constructor(options: CallControlOptions) {
    this.#options = options;
  }

  /**
   * Returns the rejection of an INVITE before it gets a transaction, or `undefined` to pass it on to
   * `handleInvite`. Never rejects.
   */
  async screenInvite(invite: InviteToScreen): Promise<Rejection | undefined> {
    const { activeCalls, media, admission, logger } = this.#options;
    if (!activeCalls.isTakingCalls) return notNow();
    try {
      const refusal = await admission.refusalOf(invite);
      // Rejected before the call is recorded, so that a flood of calls cannot fill the database. The party of a
      // replaced call needs no place of its own.
      const isPlaced = media.hasFreePlace || invite.headers.has("replaces");
      return refusal ?? (isPlaced ? undefined : notNow());
    } catch (error) {
      logger.error({ err: error, sipCallId: invite.callId }, "screening an inbound call failed");
      return notNow();
    }
  }

  mayReject(address: string): boolean {
    return this.#options.admission.mayReject(address);
  }

  /** Returns the status that answers OPTIONS outside a call. */
  answerOptions(): number {
    return this.#options.activeCalls.isTakingCalls ? 200 : 503;
  }

  /** Takes or refuses a call that passed `screenInvite`, asynchronously. Never throws. */
  handleInvite(invite: IncomingInvite): void {
    const { activeCalls } = this.#options;
    if (!activeCalls.isTakingCalls) return refuseForNow(invite);
    const running = this.#handle(invite).catch((error: unknown) => {
      const context = { err: error, sipCallId: invite.callId };
      if (error instanceof AppError && error.code === "rate_limited")
        this.#options.logger.info(context, "rejected a call above the organization's limit");
      else this.#options.logger.error(context, "accepting an inbound call failed");
      refuseForNow(invite);
    });
    activeCalls.watch(running);
  }

  async #handle(invite: IncomingInvite): Promise<void> {
    const admitted = this.#options.admission.findAdmitted(invite);
    const target = admitted && (await this.#options.phoneNumbers.findInbound(admitted));
    if (target === undefined) return invite.reject(404);
    const current = invite.replaces && this.#options.sessions.get(invite.replaces);
    if (current !== undefined) return await this.#replace(invite, target, current);
    // Such as our own call that still rings: its agent has no conversation yet that another party could continue.
    if (invite.headers.has("replaces")) return invite.reject(603);
    if (target.agent.document.status !== "active") return invite.reject(480);
    if (!target.organization.isBillingActive) return refuseForNow(invite);
    // The call keeps its place to its end.
    using place = takePlace(this.#options, target.agent);
    if (place === undefined) return refuseForNow(invite);
    const mediaAddress = await this.#findMediaAddress(invite);
    if (mediaAddress === undefined) return invite.reject(488, undefined, { Warning: noRoute });
    if (invite.signal.aborted) return;
    await this.#take(invite, target, mediaAddress, place);
  }

  /** Continues a call with another party (RFC 3891), which reached a number of the same organization. */
  async #replace(invite: IncomingInvite, target: InboundNumber, current: PhoneSession): Promise<void> {
    if (target.organization.id !== current.organizationId) return invite.reject(403);
    const mediaAddress = await this.#findMediaAddress(invite);
    if (mediaAddress === undefined) return invite.reject(488, undefined, { Warning: noRoute });
    const { callId } = current;
    this.#options.logger.info({ callId, sipCallId: invite.callId }, "another party takes over a call");
    const endTrace = this.#options.sipTraces?.claim(invite.callId, callId);
    void invite.session.ended.then(endTrace);
    await current.continueWith(invite, mediaAddress);
  }

  async #findMediaAddress({ source, body }: IncomingInvite): Promise<string | undefined> {
    return await findMediaAddress(this.#options.publicAddress, findMediaPeer(source.address, body));
  }

  async #take(
    invite: IncomingInvite,
    target: InboundNumber,
    mediaAddress: string,
    place: CallPlace,
  ): Promise<void> {
    const { calls, activeCalls, media, nodeId, sessions, resolver, transfers, logger } = this.#options;
    const { agent, number, trunk } = target;
    const fromNumber = callerOf(invite);
    const at = this.#options.clock.now();
    const { callId, conversationId } = await calls.openInbound({
      ...agentColumns(agent),
      phoneNumberId: number.id,
      sipTrunkId: trunk.id,
      fromNumber,
      toNumber: number.e164,
      nodeId,
      sipCallId: storableSipCallId(invite.callId),
      variables: agent.variables,
      at,
    });
    logger.info({ callId, sipCallId: invite.callId, agentId: agent.id }, "inbound call received");
    const record: CallToRegister = {
      callId,
      conversationId,
      agent,
      variables: agent.variables,
      channel: "phone",
      direction: "inbound",
      fromNumber,
      toNumber: number.e164,
      at,
      sipCallId: invite.callId,
    };
    await activeCalls.carry(record, (prepare) => {
      const openMedia: InboundSipCallOptions["openMedia"] = async (sampleRateHz, handlers) =>
        await media.open(
          { ...(await prepare()), sampleRateHz, isIPv6: isIPv6(mediaAddress) },
          handlers,
          place.media,
        );
      const { isSrtpRequired } = trunk;
      const { organizationId } = agent;
      const line = {
        organizationId,
        sipTrunkId: trunk.id,
        fromNumber: number.e164,
        callerNumber: fromNumber,
      };
      return new InboundSipCall({
        invite,
        mediaAddress,
        isSrtpRequired,
        sessions,
        resolver,
        transfer: transfers.by(line),
        openMedia,
      });
    });
  }
}

/** Returns the caller's number, or null if it is withheld (RFC 3323), missing or too long. */
function callerOf(invite: IncomingInvite): string | null {
  const number = numberIn(invite.from.uri);
  const isNone =
    number === undefined || number.length > MAX_NUMBER_LENGTH || number.toLowerCase() === "anonymous";
  return isNone ? null : number;
}
