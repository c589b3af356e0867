import { randomInt } from "node:crypto";
import {
  acceptAnswer,
  answerOffer,
  type AudioSettings,
  type NegotiatedAudio,
  type NegotiationResult,
  type ReinviteAnswer,
} from "@parley/sip";
import type { MediaLeg } from "../../media/media-legs.ts";
import type { MediaPath } from "../../media/media-protocol.ts";
import { maySendTo } from "../../platform/destination-address.ts";

const narrowband = [
  { name: "PCMU", clockRateHz: 8000, payloadType: 0 },
  { name: "PCMA", clockRateHz: 8000, payloadType: 8 },
] as const;
const wideband = [{ name: "G722", clockRateHz: 8000, payloadType: 9 }] as const;

/** Audio codecs of calls, the best first. */
export const audioCodecs = [...wideband, ...narrowband] as const;

/** Returns the sample rate of a conversation that needs no conversion for this codec. */
export function sampleRateOf(codecName: string | undefined): 8000 | 16000 {
  return wideband.some(({ name }) => name === codecName) ? 16_000 : 8000;
}

/** Our side of a call's audio in all its offers and answers. */
export type CallAudioSettings = AudioSettings &
  Required<Pick<AudioSettings, "origin" | "srtp">> & {
    /** True if the peer's signaling comes from this machine: its audio may be there too. */
    isLoopbackAllowed: boolean;
  };

type MediaConnection = Pick<MediaLeg, "connect">;

export interface CallAudio {
  address: string;
  port: number;
  /** Sample rate of the conversation. */
  sampleRateHz: 8000 | 16000;
  srtp: CallAudioSettings["srtp"];
  isLoopbackAllowed: boolean;
}

/** Identifies the descriptions of a new SIP session. */
export function newOrigin(): CallAudioSettings["origin"] {
  return { sessionId: String(randomInt(2 ** 47)), version: 1 };
}

export function toAudioSettings({ sampleRateHz, ...audio }: CallAudio): CallAudioSettings {
  return {
    ...audio,
    // The codec that needs no conversion comes first, also when the peer sends a new offer.
    codecs: sampleRateHz === 8000 ? [...narrowband, ...wideband] : [...wideband, ...narrowband],
    ptimeMs: 20,
    origin: newOrigin(),
  };
}

/** Answers an offer. Rejects it if its audio address is one we may not send to. */
export function answerCallOffer(offer: string, settings: CallAudioSettings): NegotiationResult {
  return withAllowedAddress(answerOffer(offer, settings), settings);
}

/** Reads the answer to our offer, with the same check of its address. */
export function acceptCallAnswer(
  answer: string,
  settings: CallAudioSettings,
  options?: { isEarly?: boolean; offer?: string },
): NegotiationResult {
  return withAllowedAddress(acceptAnswer(answer, settings, options), settings);
}

function withAllowedAddress(
  result: NegotiationResult,
  { isLoopbackAllowed }: CallAudioSettings,
): NegotiationResult {
  if (!result.ok) return result;
  const { remote, remoteRtcp } = result.audio;
  const isAllowed = [remote, remoteRtcp].every(
    ({ address }) => isOnHold(address) || maySendTo(address, isLoopbackAllowed),
  );
  return isAllowed ? result : { ok: false, status: 488, reason: "Media Address Not Allowed" };
}

/** RFC 3264 §8.4: nothing is sent to an unspecified address. */
const isOnHold = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** Answers a re-INVITE: hold, resume, or a change of address or codec (RFC 3264 §8); updates the media. */
export function renegotiate(
  offer: string,
  settings: CallAudioSettings,
  media: MediaConnection,
): ReinviteAnswer {
  settings.origin.version += 1;
  const answer = answerCallOffer(offer, settings);
  if (!answer.ok) return { status: answer.status, reason: answer.reason };
  media.connect(toMediaPath(answer.audio));
  return { sdp: answer.sdp };
}

/** Connects the early media of a call's fork while it rings. With several forks, the last one wins. */
export function connectEarly(answer: string, settings: CallAudioSettings, media: MediaConnection): void {
  const early = acceptCallAnswer(answer, settings, { isEarly: true });
  if (early.ok) media.connect(toMediaPath(early.audio));
}

/**
 * Connects the audio after the peer's answer. Returns why it cannot, or `undefined` on success.
 *
 * @param offer Our description that was answered. Default: that of a new call.
 */
export function connectAnswered(
  answer: string,
  settings: CallAudioSettings,
  media: MediaConnection,
  offer?: string,
): string | undefined {
  const result = acceptCallAnswer(answer, settings, offer === undefined ? {} : { offer });
  if (!result.ok) return result.reason;
  media.connect(toMediaPath(result.audio));
  return undefined;
}

/** Converts a negotiated audio session to the media process's format. */
export function toMediaPath({ codec, direction, remoteRtcp, ...audio }: NegotiatedAudio): MediaPath {
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
