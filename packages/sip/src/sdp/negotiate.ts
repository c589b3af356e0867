import { randomInt } from "node:crypto";
import { isIPv6 } from "node:net";
import { type MediaDescription, type SessionDescription, write } from "sdp-transform";
import { type AudioStream, type MediaDirection, type OfferedCodec, parseDescription } from "./description.ts";

export type { MediaDirection } from "./description.ts";

/** A codec that this side speaks. */
export interface AudioCodec {
  /** The encoding name of its rtpmap, e.g. `PCMU`. */
  name: string;
  /** The clock of its RTP timestamps. */
  clockRateHz: number;
  /** What we call it in our own offers; an answer takes over the offerer's number. */
  payloadType: number;
}

/** This side of the audio stream. */
export interface AudioSettings {
  /** Where we receive RTP. */
  address: string;
  port: number;
  /** Preferred first. */
  codecs: readonly AudioCodec[];
  ptimeMs?: number;
  /** Keeps `o=` the same over one call; its version rises by one with each change (RFC 3264 §8). */
  origin?: { sessionId: string; version: number };
}

/** What both sides have agreed on. */
export interface NegotiatedAudio {
  codec: AudioCodec;
  /** Where the peer receives RTP. */
  remote: { address: string; port: number };
  /** The payload type of RFC 4733 events in both directions, where both sides speak them. */
  telephoneEventPayloadType: number | undefined;
  /** What we may do: `sendonly` while the peer does not send, and so on. */
  direction: MediaDirection;
  /** How much audio the peer wants in a packet. */
  ptimeMs: number;
}

export type NegotiationResult =
  | { ok: true; sdp: string; audio: NegotiatedAudio }
  /** Answer with this status: 400 for what is no SDP, 488 for nothing in common (RFC 3261 §13.3.1.3). */
  | { ok: false; status: 400 | 488; reason: string };

const DEFAULT_PTIME_MS = 20;
const TELEPHONE_EVENT = "telephone-event";
const OFFERED_EVENT_PAYLOAD_TYPE = 101;

/** RFC 3264 §6.1: what is left to us of what the offerer wants to do. */
const answeredDirection: Record<MediaDirection, MediaDirection> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};

/** An offer of one audio stream (RFC 3264 §5), with telephone events (RFC 4733). */
export function buildOffer(settings: AudioSettings): string {
  const { codecs } = settings;
  const formats = codecs.map(({ payloadType, name, clockRateHz }) => ({ payloadType, name, clockRateHz }));
  return write(describe(settings, [audioLine(settings, formats, OFFERED_EVENT_PAYLOAD_TYPE, "sendrecv")]));
}

/**
 * Answers an offer (RFC 3264 §6): its first audio stream with the first of *our* codecs that it has, every other
 * stream refused by port 0 in its place.
 */
export function answerOffer(offer: string, settings: AudioSettings): NegotiationResult {
  const parsed = parseDescription(offer);
  if (parsed === undefined) return { ok: false, status: 400, reason: "Bad Session Description" };
  const { session, audio } = parsed;
  if (audio === undefined) return { ok: false, status: 488, reason: "No Audio" };
  const chosen = chooseCodec(settings.codecs, audio.codecs);
  if (chosen === undefined) return { ok: false, status: 488, reason: "No Common Codec" };
  const direction = answeredDirection[audio.direction];
  const formats = [{ ...chosen.ours, payloadType: chosen.payloadType }];
  const lines = session.media.map((media, index) =>
    index === audio.index
      ? audioLine(settings, formats, audio.telephoneEventPayloadType, direction)
      : refusedLine(media),
  );
  return { ok: true, sdp: write(describe(settings, lines)), audio: negotiated(audio, chosen, direction) };
}

/** Reads the answer to an offer made by {@link buildOffer} with the same settings. `sdp` is the answer itself. */
export function acceptAnswer(answer: string, settings: AudioSettings): NegotiationResult {
  const parsed = parseDescription(answer);
  if (parsed === undefined) return { ok: false, status: 400, reason: "Bad Session Description" };
  const { audio } = parsed;
  if (audio === undefined) return { ok: false, status: 488, reason: "No Audio" };
  // RFC 3264 §7: the answerer's preferred format is used, if it is one that was offered.
  for (const { name, clockRateHz, payloadType } of audio.codecs) {
    const ours = settings.codecs.find((codec) => isSameCodec(codec, name, clockRateHz));
    if (ours !== undefined) {
      const direction = answeredDirection[audio.direction];
      return { ok: true, sdp: answer, audio: negotiated(audio, { ours, payloadType }, direction) };
    }
  }
  return { ok: false, status: 488, reason: "No Common Codec" };
}

interface ChosenCodec {
  ours: AudioCodec;
  /** The number that the peer gave it. */
  payloadType: number;
}

function chooseCodec(ours: readonly AudioCodec[], offered: readonly OfferedCodec[]): ChosenCodec | undefined {
  for (const codec of ours) {
    const match = offered.find(({ name, clockRateHz }) => isSameCodec(codec, name, clockRateHz));
    if (match !== undefined) return { ours: codec, payloadType: match.payloadType };
  }
  return undefined;
}

/** Encoding names compare without regard to case (RFC 8866 §6.6). */
function isSameCodec(codec: AudioCodec, name: string, clockRateHz: number): boolean {
  return codec.name.toUpperCase() === name.toUpperCase() && codec.clockRateHz === clockRateHz;
}

function negotiated(
  audio: AudioStream,
  { ours, payloadType }: ChosenCodec,
  direction: MediaDirection,
): NegotiatedAudio {
  return {
    codec: { ...ours, payloadType },
    remote: { address: audio.address, port: audio.port },
    telephoneEventPayloadType: audio.telephoneEventPayloadType,
    direction,
    ptimeMs: audio.ptimeMs ?? DEFAULT_PTIME_MS,
  };
}

function describe({ address, origin }: AudioSettings, media: MediaDescription[]): SessionDescription {
  const ipVer = isIPv6(address) ? 6 : 4;
  return {
    version: 0,
    origin: {
      username: "-",
      // RFC 3264 §5: fits a 64-bit signed integer.
      sessionId: origin?.sessionId ?? String(randomInt(1, 2 ** 47)),
      sessionVersion: origin?.version ?? 1,
      netType: "IN",
      ipVer,
      address,
    },
    name: "-",
    connection: { version: ipVer, ip: address },
    timing: { start: 0, stop: 0 },
    media,
  };
}

function audioLine(
  { port, ptimeMs = DEFAULT_PTIME_MS }: AudioSettings,
  formats: readonly OfferedCodec[],
  eventPayloadType: number | undefined,
  direction: MediaDirection,
): MediaDescription {
  const rtp = formats.map(({ payloadType, name, clockRateHz }) => ({
    payload: payloadType,
    codec: name,
    rate: clockRateHz,
  }));
  const fmtp: MediaDescription["fmtp"] = [];
  if (eventPayloadType !== undefined) {
    rtp.push({ payload: eventPayloadType, codec: TELEPHONE_EVENT, rate: 8000 });
    // RFC 4733 §2.4.1: the digits, star, hash, A to D and flash.
    fmtp.push({ payload: eventPayloadType, config: "0-16" });
  }
  const payloads = rtp.map(({ payload }) => payload).join(" ");
  return { type: "audio", port, protocol: "RTP/AVP", payloads, rtp, fmtp, ptime: ptimeMs, direction };
}

/** RFC 3264 §6: a refused stream keeps its line, with port 0. */
function refusedLine({ type, protocol, payloads }: MediaDescription): MediaDescription {
  return { type, port: 0, protocol, ...(payloads === undefined ? {} : { payloads }), rtp: [], fmtp: [] };
}
