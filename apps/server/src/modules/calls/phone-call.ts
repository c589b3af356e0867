import { randomInt, randomUUID } from "node:crypto";
import type { CallEndReason } from "@parley/contract";
import type { TurnLatency, VoiceEvent } from "@parley/conversation";
import {
  acceptAnswer,
  answerOffer,
  type AudioSettings,
  buildOffer,
  findOfferedCodec,
  type IncomingInvite,
  LocalSrtpKeys,
  type NegotiatedAudio,
  type ReinviteAnswer,
  type Session,
} from "@parley/sip";
import type { Logger } from "pino";
import type { MediaLeg, MediaLegHandlers } from "../../call-host/media-pool.ts";
import type { MediaPath } from "../../call-host/media-protocol.ts";
import type { CallTrace } from "../../platform/telemetry/call-trace.ts";
import type { Metrics, TurnParts } from "../../platform/telemetry/metrics.ts";
import type { CallRecorder } from "./call-recorder.ts";
import { toCallQuality } from "./call-quality.rules.ts";
import type { CallAnswer, FinalCallStatus } from "./calls.service.ts";

const narrowband = [
  { name: "PCMU", clockRateHz: 8000, payloadType: 0 },
  { name: "PCMA", clockRateHz: 8000, payloadType: 8 },
] as const;
const wideband = [{ name: "G722", clockRateHz: 8000, payloadType: 9 }] as const;

export type ProviderNames = Omit<CallAnswer, "at">;

export interface PhoneCallOptions {
  callId: string;
  invite: IncomingInvite;
  recorder: CallRecorder;
  /** The address that goes into our SDP. */
  mediaAddress: string;
  openMedia: (sampleRateHz: 8000 | 16000, handlers: MediaLegHandlers) => Promise<MediaLeg>;
  providerNames: ProviderNames;
  metrics: Metrics;
  /** Where nobody collects traces there is none. */
  trace: CallTrace | undefined;
  logger: Logger;
}

interface Outcome {
  status: FinalCallStatus;
  endReason: CallEndReason;
  endDetail?: string;
}

/** A call that came in and is for an agent of ours: from the first ring to the last line of its record. */
export class PhoneCall {
  readonly #options: PhoneCallOptions;
  readonly #sdpOrigin = { sessionId: String(randomInt(2 ** 47)), version: 1 };
  readonly #srtp = { keys: new LocalSrtpKeys(), isRequired: false };
  /** Wideband where the caller's first offer has it; who offers nothing gets what every telephone has. */
  readonly #sampleRateHz: 8000 | 16000;
  #media: MediaLeg | undefined;
  #session: Session | undefined;
  /** The first that is known wins: what follows from it (a BYE, a closed leg) is no reason of its own. */
  #outcome: Outcome | undefined;
  readonly #over = Promise.withResolvers<void>();

  constructor(options: PhoneCallOptions) {
    this.#options = options;
    const first = findOfferedCodec(options.invite.body, {
      codecs: [...wideband, ...narrowband],
      srtp: this.#srtp,
    });
    this.#sampleRateHz = wideband.some(({ name }) => name === first?.name) ? 16_000 : 8000;
  }

  /** Carries the call through; resolves when its end is written down. Never rejects. */
  async run(): Promise<void> {
    const { invite, recorder, metrics, trace, logger, callId } = this.#options;
    invite.signal.addEventListener("abort", () =>
      this.#decide({ status: "canceled", endReason: "canceled" }),
    );
    try {
      await this.#answer();
    } catch (error) {
      logger.error({ err: error, callId }, "a call could not be answered");
      this.#decide({ status: "failed", endReason: "error_internal", endDetail: messageOf(error) });
      invite.reject(500);
    }
    await this.#over.promise;
    const endedAt = new Date();
    void this.#session?.bye();
    // The conversation's last words arrive before its leg is closed.
    const statistics = await this.#media?.close();
    const outcome = this.#outcome ?? { status: "failed" as const, endReason: "error_internal" as const };
    const quality = statistics && toCallQuality(statistics);
    await recorder.finish({ ...outcome, endedAt, ...(quality && { quality }) });
    metrics.observeCall(outcome.endReason);
    trace?.end(outcome.endReason);
    logger.info({ callId, ...outcome, media: statistics }, "call ended");
  }

  /** Ends the call because this node goes away. Idempotent. */
  abandon(endDetail: string): void {
    this.#options.invite.reject(503);
    this.#decide({ status: "failed", endReason: "node_lost", endDetail });
  }

  async #answer(): Promise<void> {
    const { invite, recorder, providerNames } = this.#options;
    invite.ring();
    const media = await this.#options.openMedia(this.#sampleRateHz, {
      onEvent: (event) => this.#receive(event),
      onMediaTimeout: (silentMs) =>
        this.#decide({
          status: "failed",
          endReason: "media_timeout",
          endDetail: `neither RTP nor RTCP came for ${Math.round(silentMs / 1000)} s`,
        }),
      onLost: (description) =>
        this.#decide({ status: "failed", endReason: "error_internal", endDetail: description }),
    });
    this.#media = media;
    const isOfferOurs = invite.body === "";
    const local = isOfferOurs ? undefined : answerOffer(invite.body, this.#audioSettings(media));
    if (local?.ok === false) {
      const { status, reason } = local;
      this.#decide({
        status: "failed",
        endReason: "error_internal",
        endDetail: `SDP refused: ${status} ${reason}`,
      });
      invite.reject(status, reason);
      return;
    }
    if (local !== undefined) media.connect(toMediaPath(local.audio));
    // The caller hears the greeting from its first word, at once: it is made while the phone rings.
    await Promise.race([media.prepared, this.#over.promise]);
    if (this.#outcome !== undefined) return invite.reject(480);
    const accepting = invite.accept({ sdp: local?.sdp ?? buildOffer(this.#audioSettings(media)) });
    recorder.answered({ ...providerNames, at: new Date() });
    // Audio begins with the answer, not with its ACK, which may be lost on the way and come seconds later.
    if (!isOfferOurs) media.start();
    const accepted = await accepting;
    if (accepted.ok) this.#establish(accepted.session, media, isOfferOurs);
    else this.#decide(hungUp(accepted.reason === "hung_up" ? undefined : accepted.reason));
  }

  #establish(session: Session, media: MediaLeg, isOfferOurs: boolean): void {
    this.#session = session;
    session.onReinvite = (offer) => this.#renegotiate(offer, media);
    void session.ended.then(({ cause }) => this.#decide(hungUp(cause === "remote_bye" ? undefined : cause)));
    if (!isOfferOurs) return;
    const answer = acceptAnswer(session.remoteSdp, this.#audioSettings(media));
    if (answer.ok) {
      media.connect(toMediaPath(answer.audio));
      media.start();
    } else {
      const endDetail = `SDP answer: ${answer.reason}`;
      this.#decide({ status: "failed", endReason: "error_internal", endDetail });
    }
  }

  /** Hold, resume, a change of address or codec (RFC 3264 §8). */
  #renegotiate(offer: string, media: MediaLeg): ReinviteAnswer {
    this.#sdpOrigin.version += 1;
    const answer = answerOffer(offer, this.#audioSettings(media));
    if (!answer.ok) return { status: answer.status, reason: answer.reason };
    media.connect(toMediaPath(answer.audio));
    return { sdp: answer.sdp };
  }

  #receive(event: VoiceEvent): void {
    const { recorder, metrics, trace, logger, callId } = this.#options;
    switch (event.type) {
      case "item":
        return recorder.item(event.item);
      case "turn": {
        const turn = toTurnParts(event.latency);
        metrics.observeTurn(turn);
        trace?.turn(event.latency);
        return recorder.turn({ id: randomUUID(), ...turn });
      }
      case "fault":
        trace?.fault(event.part, event.provider, event.message);
        return logger.warn(
          { callId, part: event.part, provider: event.provider, reason: event.message },
          "provider fault",
        );
      case "ended": {
        const { endReason, endDetail } = event;
        const status = endReason.startsWith("error_") ? "failed" : "completed";
        return this.#decide({ status, endReason, ...(endDetail !== undefined && { endDetail }) });
      }
      case "state":
      case "itemStarted":
        return;
    }
  }

  #decide(outcome: Outcome): void {
    this.#outcome ??= outcome;
    this.#over.resolve();
  }

  #audioSettings(media: MediaLeg): AudioSettings {
    return {
      address: this.#options.mediaAddress,
      port: media.rtpPort,
      // What the conversation hears without conversion comes first, also when the peer offers anew.
      codecs: this.#sampleRateHz === 8000 ? [...narrowband, ...wideband] : [...wideband, ...narrowband],
      ptimeMs: 20,
      srtp: this.#srtp,
      origin: this.#sdpOrigin,
    };
  }
}

/** The caller ended an answered call; `detail` where that was not by a BYE. */
function hungUp(detail: string | undefined): Outcome {
  return {
    status: "completed",
    endReason: "user_hangup",
    ...(detail !== undefined && { endDetail: detail }),
  };
}

function toMediaPath({ codec, direction, remoteRtcp, ...audio }: NegotiatedAudio): MediaPath {
  const { remote, telephoneEventPayloadType, ptimeMs, isRtcpMultiplexed, srtp } = audio;
  return {
    remote,
    codec: codec.name === "G722" ? "G722" : codec.name === "PCMA" ? "PCMA" : "PCMU",
    payloadType: codec.payloadType,
    telephoneEventPayloadType,
    ptimeMs,
    rtcp: remoteRtcp,
    isRtcpMultiplexed,
    srtp,
    isSending: direction === "sendrecv" || direction === "sendonly",
    isReceiving: direction === "sendrecv" || direction === "recvonly",
  };
}

/** What remains of the time after the decision when the providers' is taken out is our own. */
function toTurnParts({ decisionMs, clauseMs, ...parts }: TurnLatency): TurnParts {
  const { llmFirstTokenMs, ttsFirstByteMs, totalMs } = parts;
  const overheadMs = Math.max(0, totalMs - decisionMs - llmFirstTokenMs - clauseMs - ttsFirstByteMs);
  return { ...parts, overheadMs };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
