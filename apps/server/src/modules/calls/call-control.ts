import { isIPv6 } from "node:net";
import { DigestAuthenticator, type IncomingInvite } from "@parley/sip";
import type { Logger } from "pino";
import type { MediaPool } from "../../call-host/media-pool.ts";
import { recordOf } from "../agents/agent-resolution.rules.ts";
import { SourceGuard } from "../sip-trunks/source-guard.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import type { InboundNumber, PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import { storableSipCallId } from "./call-trace.rules.ts";
import { findMediaPeer } from "./calls.rules.ts";
import type { CallsService } from "./calls.service.ts";
import type { CallToHold, HeldCalls } from "./held-calls.ts";
import { findMediaAddress } from "./media-address.ts";
import { numberIn } from "./sip-number.ts";
import { InboundCall, type InboundCallOptions, refuseForNow } from "./inbound-call.ts";

export interface CallControlOptions {
  nodeId: string;
  calls: CallsService;
  heldCalls: HeldCalls;
  phoneNumbers: PhoneNumbersService;
  sipTrunks: SipTrunksService;
  media: MediaPool;
  /** The operator's; undefined: the address that the caller reaches us by. */
  publicAddress: string | undefined;
  logger: Logger;
}

/** RFC 3261 §20.43: 300 stands for an incompatible network protocol. */
const noRoute = '300 parley "No way for audio to the address that is offered"';

/** A user name at most; E.164 has 15 digits. */
const MAX_NUMBER_LENGTH = 255;

/** Answers what comes in over SIP. */
export class CallControl {
  readonly #options: CallControlOptions;
  readonly #authenticator = new DigestAuthenticator({ realm: "parley" });
  readonly #sources = new SourceGuard();

  constructor(options: CallControlOptions) {
    this.#options = options;
  }

  /** Takes the call or refuses it, in its own time; never throws. */
  handleInvite(invite: IncomingInvite): void {
    const { heldCalls } = this.#options;
    if (!heldCalls.isTakingCalls) return refuseForNow(invite);
    const running = this.#handle(invite).catch((error: unknown) => {
      this.#options.logger.error({ err: error, sipCallId: invite.callId }, "a call could not be taken");
      refuseForNow(invite);
    });
    heldCalls.watch(running);
  }

  async #handle(invite: IncomingInvite): Promise<void> {
    const target = await this.#findTarget(invite);
    if (target === undefined) return this.#refuseStranger(invite, 404);
    if (!(await this.#admit(invite, target))) return;
    this.#sources.admitted(invite.source.address);
    if (target.agent.document.status !== "active") return invite.reject(480);
    if (!target.organization.isBillingActive) return refuseForNow(invite);
    // Before the call is written down: a flood that we cannot take is not to fill the database.
    if (!this.#options.media.hasFreePlace) return refuseForNow(invite);
    const mediaAddress = await findMediaAddress(
      this.#options.publicAddress,
      findMediaPeer(invite.source.address, invite.body),
    );
    if (mediaAddress === undefined) return invite.reject(488, undefined, { Warning: noRoute });
    if (invite.signal.aborted) return;
    await this.#take(invite, target, mediaAddress);
  }

  /** A registrar sends calls to the user name that we registered, and leaves the number that was dialled in To. */
  async #findTarget(invite: IncomingInvite): Promise<InboundNumber | undefined> {
    for (const dialled of new Set([numberIn(invite.requestUri), numberIn(invite.to.uri)])) {
      const target = dialled && (await this.#options.phoneNumbers.findInbound(dialled));
      if (target) return target;
    }
    return undefined;
  }

  #refuseStranger(invite: IncomingInvite, status: 401 | 403 | 404, challenges?: readonly string[]): void {
    this.#sources.refused(invite.source.address);
    invite.reject(status, undefined, challenges && { "WWW-Authenticate": challenges });
  }

  /** Whether requests from here are not even read: nothing but refusals came of those before. */
  isIgnored(address: string): boolean {
    return this.#sources.isIgnored(address);
  }

  /** Whether the call may come over the number's trunk; refuses it where not. */
  async #admit(invite: IncomingInvite, { trunk, organization }: InboundNumber): Promise<boolean> {
    if (!(await this.#options.sipTrunks.mayCallFrom(trunk, invite.source.address))) {
      this.#options.logger.warn(
        { sipTrunkId: trunk.id, source: invite.source.address },
        "a call from an address that its trunk does not allow was refused",
      );
      this.#refuseStranger(invite, 403);
      return false;
    }
    if (!trunk.isInboundAuthenticated) return true;
    const credentials = await this.#options.sipTrunks.findCredentials(organization.id, trunk.id);
    const verdict = await this.#authenticator.verify(invite, (username) =>
      username === credentials?.username ? credentials.password : undefined,
    );
    // RFC 3261 §22.1: a user agent server challenges with 401.
    if (verdict.ok) return true;
    // Every caller is challenged at first; only a wrong answer is held against it.
    const isExpected = verdict.reason === "missing" || verdict.reason === "stale";
    if (isExpected) invite.reject(401, undefined, { "WWW-Authenticate": verdict.challenges });
    else this.#refuseStranger(invite, 401, verdict.challenges);
    return false;
  }

  async #take(invite: IncomingInvite, target: InboundNumber, mediaAddress: string): Promise<void> {
    const { calls, heldCalls, media, nodeId, logger } = this.#options;
    const { agent, number, trunk } = target;
    const fromNumber = callerOf(invite);
    const at = new Date();
    const { callId, conversationId } = await calls.openInbound({
      ...recordOf(agent),
      phoneNumberId: number.id,
      sipTrunkId: trunk.id,
      fromNumber,
      toNumber: number.e164,
      nodeId,
      sipCallId: storableSipCallId(invite.callId),
      variables: agent.variables,
      at,
    });
    logger.info({ callId, sipCallId: invite.callId, agentId: agent.id }, "call arrived");
    const record: CallToHold = {
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
    await heldCalls.carry(record, (prepare) => {
      const openMedia: InboundCallOptions["openMedia"] = async (sampleRateHz, handlers) =>
        await media.open({ ...(await prepare()), sampleRateHz, isIPv6: isIPv6(mediaAddress) }, handlers);
      return new InboundCall({ invite, mediaAddress, isSrtpRequired: trunk.isSrtpRequired, openMedia });
    });
  }
}

/** Null if the caller withholds the number (RFC 3323), or names none that anyone could have. */
function callerOf(invite: IncomingInvite): string | null {
  const number = numberIn(invite.from.uri);
  const isNone =
    number === undefined || number.length > MAX_NUMBER_LENGTH || number.toLowerCase() === "anonymous";
  return isNone ? null : number;
}
