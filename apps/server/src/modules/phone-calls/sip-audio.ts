import { randomInt } from "node:crypto";
import {
  acceptAnswer,
  answerOffer,
  type AudioSettings,
  type NegotiatedAudio,
  type NegotiationResult,
  type ReinviteAnswer,
} from "@parley/sip";
import type { MediaLeg } from "../../media/media-pool.ts";
import type { MediaPath } from "../../media/media-protocol.ts";
import { maySendTo } from "../../platform/destination-address.ts";

const narrowband = [
  { name: "PCMU", clockRateHz: 8000, payloadType: 0 },
  { name: "PCMA", clockRateHz: 8000, payloadType: 8 },
] as const;
const wideband = [{ name: "G722", clockRateHz: 8000, payloadType: 9 }] as const;

/** The codecs of a call's audio, the best first. */
export const audioCodecs = [...wideband, ...narrowband] as const;

/** Of a conversation that is to hear this codec without conversion. */
export function sampleRateOf(codecName: string | undefined): 8000 | 16000 {
  return wideband.some(({ name }) => name === codecName) ? 16_000 : 8000;
}

/** What a call says of its audio in all its offers and answers. */
export type CallAudioSettings = AudioSettings &
  Required<Pick<AudioSettings, "origin" | "srtp">> & {
    /** The peer's signaling comes from this machine, so its audio may be there too. */
    isLoopbackAllowed: boolean;
  };

type MediaConnection = Pick<MediaLeg, "connect">;

export interface CallAudio {
  address: string;
  port: number;
  /** Of the conversation. */
  sampleRateHz: 8000 | 16000;
  srtp: CallAudioSettings["srtp"];
  isLoopbackAllowed: boolean;
}

export function toAudioSettings({ sampleRateHz, ...audio }: CallAudio): CallAudioSettings {
  return {
    ...audio,
    // What the conversation hears without conversion comes first, also when the peer offers anew.
    codecs: sampleRateHz === 8000 ? [...narrowband, ...wideband] : [...wideband, ...narrowband],
    ptimeMs: 20,
    origin: { sessionId: String(randomInt(2 ** 47)), version: 1 },
  };
}

/** Answers an offer; refuses one whose audio would go where none of ours may be sent. */
export function answerCallOffer(offer: string, settings: CallAudioSettings): NegotiationResult {
  return withAllowedAddress(answerOffer(offer, settings), settings);
}

/** Reads the answer to our offer, under the same condition. */
export function acceptCallAnswer(
  answer: string,
  settings: CallAudioSettings,
  options?: { isEarly: boolean },
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

/** Answers hold, resume, a change of address or codec (RFC 3264 §8), and tells the media of it. */
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

/** Connects the audio that a fork of a call plays while it rings; of several, the last one's. */
export function connectEarly(answer: string, settings: CallAudioSettings, media: MediaConnection): void {
  const early = acceptCallAnswer(answer, settings, { isEarly: true });
  if (early.ok) media.connect(toMediaPath(early.audio));
}

/** Connects what the fork that has answered settled; undefined, or why nothing is. */
export function connectAnswered(
  answer: string,
  settings: CallAudioSettings,
  media: MediaConnection,
): string | undefined {
  const result = acceptCallAnswer(answer, settings);
  if (!result.ok) return result.reason;
  media.connect(toMediaPath(result.audio));
  return undefined;
}

/** What an offer and answer have settled, for the media process. */
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
