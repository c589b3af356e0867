import { randomInt } from "node:crypto";
import { isIP, isIPv6 } from "node:net";
import { type MediaDescription, type SessionDescription, write } from "sdp-transform";
import { type CryptoAttribute, type LocalSrtpKeys, type NegotiatedSrtp, writeCrypto } from "./crypto.ts";
import { type AudioStream, type MediaDirection, type OfferedCodec, parseDescription } from "./description.ts";

export type { MediaDirection } from "./description.ts";

/** A codec that this side supports. */
export interface AudioCodec {
  /** The encoding name of its rtpmap, e.g. `PCMU`. */
  name: string;
  /** The clock of its RTP timestamps. */
  clockRateHz: number;
  /** The payload type in our offers; an answer uses the offerer's number. */
  payloadType: number;
}

/** This side of the audio stream. */
export interface AudioSettings {
  /** Address at which this side receives RTP. */
  address: string;
  port: number;
  /** Preferred first. */
  codecs: readonly AudioCodec[];
  ptimeMs?: number;
  /** SRTP with keys in the SDP (RFC 4568); not supported if `undefined`. */
  srtp?: {
    keys: LocalSrtpKeys;
    /** If true, only SRTP is offered and accepted; otherwise plain RTP is offered, and both are accepted. */
    isRequired: boolean;
  };
  /** Identifies the session in `o=` during one call; `version` increases by one with each change (RFC 3264 §8). */
  origin?: { sessionId: string; version: number };
}

/** The settings on which both sides agreed. */
export interface NegotiatedAudio {
  codec: AudioCodec;
  /** Address at which the peer receives RTP. */
  remote: { address: string; port: number };
  /** The payload type of RFC 4733 events in both directions, if both sides support them. */
  telephoneEventPayloadType: number | undefined;
  /** The direction as seen by this side: `sendonly` if the peer does not send, and so on. */
  direction: MediaDirection;
  /** Audio per packet that the peer requested: 10 to 60 ms. */
  ptimeMs: number;
  /** Address at which the peer receives RTCP; equal to `remote` if RTP and RTCP share one port (RFC 5761). */
  remoteRtcp: { address: string; port: number };
  isRtcpMultiplexed: boolean;
  /** `undefined` for plain RTP. */
  srtp: NegotiatedSrtp | undefined;
}

export type NegotiationResult =
  | { ok: true; sdp: string; audio: NegotiatedAudio }
  /** The status of the answer: 400 for malformed SDP, 488 if nothing matches (RFC 3261 §13.3.1.3). */
  | { ok: false; status: 400 | 488; reason: string };

const DEFAULT_PTIME_MS = 20;
const MIN_PTIME_MS = 10;
const MAX_PTIME_MS = 60;
const TELEPHONE_EVENT = "telephone-event";
const OFFERED_EVENT_PAYLOAD_TYPE = 101;

/** RFC 3264 §6.1: the widest direction of an answer to each offered direction. */
const answeredDirection: Record<MediaDirection, MediaDirection> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};

/**
 * An offer of one audio stream in both directions (RFC 3264 §5) with telephone events (RFC 4733).
 *
 * @param current our description in effect, for an offer during the call: its streams keep their places, and its
 * audio stream its payload types and encryption (RFC 3264 §8). Its direction and choice of codec do not limit the
 * new offer, because it may be passed to another party (RFC 3261 §14.2).
 */
export function buildOffer(settings: AudioSettings, current = ""): string {
  const parsed = parseDescription(current);
  const stream = parsed?.audio[0];
  const isSecure = stream === undefined ? settings.srtp?.isRequired === true : stream.crypto !== undefined;
  const offered = audioLine(settings, {
    formats: settings.codecs.map(({ payloadType, name, clockRateHz }) => ({
      payloadType:
        stream?.codecs.find((codec) => isSameCodec(codec, name, clockRateHz))?.payloadType ?? payloadType,
      name,
      clockRateHz,
    })),
    telephoneEventPayloadType: stream?.telephoneEventPayloadType ?? OFFERED_EVENT_PAYLOAD_TYPE,
    direction: "sendrecv",
    crypto: isSecure ? settings.srtp?.keys.offer() : undefined,
    isRtcpMultiplexed: stream?.isRtcpMultiplexed === true,
  });
  const lines =
    stream === undefined
      ? [offered]
      : parsed?.session.media.map((media, index) => (index === stream.index ? offered : rejectedLine(media)));
  return write(describe(settings, lines ?? []));
}

/** The codec that {@link answerOffer} would choose; `undefined` if it would reject the offer. */
export function findOfferedCodec(offer: string, settings: StreamSettings) {
  return chooseStream(parseDescription(offer)?.audio ?? [], settings)?.codec.ours;
}

/**
 * Answers an offer (RFC 3264 §6): accepts the first usable audio stream with the first of *our* codecs that it
 * offers, and rejects every other stream in its place by port 0.
 */
export function answerOffer(offer: string, settings: AudioSettings): NegotiationResult {
  const parsed = parseDescription(offer);
  if (parsed === undefined) return { ok: false, status: 400, reason: "Bad Session Description" };
  const { session } = parsed;
  const chosen = chooseStream(parsed.audio, settings);
  if (chosen === undefined)
    return { ok: false, status: 488, reason: rejectionReason(parsed.audio, settings) };
  const { stream, codec } = chosen;
  const direction = answeredDirection[stream.direction];
  const crypto = stream.crypto?.[0];
  settings.srtp?.keys.settle(crypto?.suite);
  const srtp = keysWith(crypto, settings);
  const answered = audioLine(settings, {
    formats: [{ ...codec.ours, payloadType: codec.payloadType }],
    telephoneEventPayloadType: stream.telephoneEventPayloadType,
    direction,
    crypto: srtp && [{ tag: srtp.tag, suite: srtp.suite, masterKey: srtp.localMasterKey }],
    isRtcpMultiplexed: stream.isRtcpMultiplexed,
  });
  const lines = session.media.map((media, index) =>
    index === stream.index ? answered : rejectedLine(media),
  );
  const audio = negotiated(stream, codec, direction, srtp);
  return { ok: true, sdp: write(describe(settings, lines)), audio };
}

export interface AnswerOptions {
  /** Whether the answer is in a provisional response. Another fork may then answer with another suite, so that suite's key is kept. */
  isEarly?: boolean;
  /** The description that was answered. Default: that of a new call. */
  offer?: string;
}

/**
 * Reads the answer to an offer made by {@link buildOffer} with the same settings. `sdp` in the result is the
 * answer.
 */
export function acceptAnswer(
  answer: string,
  settings: AudioSettings,
  { isEarly = false, offer = buildOffer(settings) }: AnswerOptions = {},
): NegotiationResult {
  const parsed = parseDescription(answer);
  if (parsed === undefined) return { ok: false, status: 400, reason: "Bad Session Description" };
  const offered = parseDescription(offer)?.audio[0];
  const stream = parsed.audio.find(({ index }) => index === offered?.index);
  if (stream === undefined) return { ok: false, status: 488, reason: "No Audio" };
  const isSrtpOffered = offered?.crypto !== undefined;
  const crypto = stream.crypto?.find(({ tag, suite }) =>
    offered?.crypto?.some((line) => line.tag === tag && line.suite === suite),
  );
  if (isSrtpOffered !== (crypto !== undefined) || isSrtpOffered !== (stream.crypto !== undefined)) {
    return { ok: false, status: 488, reason: "No Common Encryption" };
  }
  // RFC 3264 §7: use the answerer's preferred format among those offered.
  for (const { name, clockRateHz, payloadType } of stream.codecs) {
    const ours = settings.codecs.find((codec) => isSameCodec(codec, name, clockRateHz));
    if (ours !== undefined) {
      const direction = answeredDirection[stream.direction];
      if (!isEarly) settings.srtp?.keys.settle(crypto?.suite);
      const srtp = keysWith(crypto, settings);
      return { ok: true, sdp: answer, audio: negotiated(stream, { ours, payloadType }, direction, srtp) };
    }
  }
  return { ok: false, status: 488, reason: "No Common Codec" };
}

/** The settings that decide whether a stream is usable. */
type StreamSettings = Pick<AudioSettings, "address" | "codecs" | "srtp">;

interface ChosenStream {
  stream: AudioStream;
  codec: ChosenCodec;
}

function chooseStream(streams: readonly AudioStream[], settings: StreamSettings): ChosenStream | undefined {
  for (const stream of streams) {
    const isFit = isReachable(stream, settings) && isEncryptionFit(stream, settings);
    const codec = isFit ? chooseCodec(settings.codecs, stream.codecs) : undefined;
    if (codec !== undefined) return { stream, codec };
  }
  return undefined;
}

/** False for an address of the other IP version. A stream on hold has no address, and a host name may have either. */
function isReachable({ address }: AudioStream, ours: StreamSettings): boolean {
  return isIP(address) === 0 || address === "0.0.0.0" || isIP(address) === isIP(ours.address);
}

function isEncryptionFit({ crypto }: AudioStream, { srtp }: StreamSettings): boolean {
  return crypto === undefined ? srtp?.isRequired !== true : srtp !== undefined && crypto.length > 0;
}

function rejectionReason(streams: readonly AudioStream[], settings: AudioSettings): string {
  if (streams.length === 0) return "No Audio";
  const reachable = streams.filter((stream) => isReachable(stream, settings));
  if (reachable.length === 0) return "Incompatible Network Protocol";
  if (reachable.some((stream) => isEncryptionFit(stream, settings))) return "No Common Codec";
  const hasUnusableKeys = reachable.some(({ crypto }) => crypto?.length === 0);
  return hasUnusableKeys && settings.srtp !== undefined ? "No Usable SRTP Key" : "No Common Encryption";
}

/** RFC 4568 §5.1.2: the chosen line keeps its tag, and each side has its own key. */
function keysWith(
  theirs: CryptoAttribute | undefined,
  { srtp }: AudioSettings,
): (NegotiatedSrtp & { tag: number }) | undefined {
  if (theirs === undefined || srtp === undefined) return undefined;
  const { tag, suite, masterKey, mki } = theirs;
  const localMasterKey = srtp.keys.keyFor(suite);
  return { tag, suite, localMasterKey, remoteMasterKey: masterKey, ...(mki && { remoteMki: mki }) };
}

interface ChosenCodec {
  ours: AudioCodec;
  /** The payload type assigned by the peer. */
  payloadType: number;
}

function chooseCodec(ours: readonly AudioCodec[], offered: readonly OfferedCodec[]): ChosenCodec | undefined {
  for (const codec of ours) {
    const match = offered.find(({ name, clockRateHz }) => isSameCodec(codec, name, clockRateHz));
    if (match !== undefined) return { ours: codec, payloadType: match.payloadType };
  }
  return undefined;
}

/** Encoding names are case-insensitive (RFC 8866 §6.6). */
function isSameCodec(codec: AudioCodec, name: string, clockRateHz: number): boolean {
  return codec.name.toUpperCase() === name.toUpperCase() && codec.clockRateHz === clockRateHz;
}

function negotiated(
  stream: AudioStream,
  { ours, payloadType }: ChosenCodec,
  direction: MediaDirection,
  srtp: (NegotiatedSrtp & { tag: number }) | undefined,
): NegotiatedAudio {
  const maxMs = Math.min(stream.maxPtimeMs ?? MAX_PTIME_MS, MAX_PTIME_MS);
  const ptimeMs = Math.min(stream.ptimeMs ?? DEFAULT_PTIME_MS, maxMs);
  return {
    codec: { ...ours, payloadType },
    remote: { address: stream.address, port: stream.port },
    telephoneEventPayloadType: stream.telephoneEventPayloadType,
    direction,
    ptimeMs: Math.max(MIN_PTIME_MS, Math.floor(ptimeMs)),
    remoteRtcp: stream.rtcp,
    isRtcpMultiplexed: stream.isRtcpMultiplexed,
    srtp: srtp && withoutTag(srtp),
  };
}

function withoutTag({ tag: _tag, ...srtp }: NegotiatedSrtp & { tag: number }): NegotiatedSrtp {
  return srtp;
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

interface AudioLine {
  formats: readonly OfferedCodec[];
  telephoneEventPayloadType: number | undefined;
  direction: MediaDirection;
  /** `undefined` for plain RTP. */
  crypto: readonly CryptoAttribute[] | undefined;
  isRtcpMultiplexed: boolean;
}

function audioLine({ port, ptimeMs = DEFAULT_PTIME_MS }: AudioSettings, line: AudioLine): MediaDescription {
  const { telephoneEventPayloadType: events, crypto } = line;
  const rtp = line.formats.map(({ payloadType, name, clockRateHz }) => ({
    payload: payloadType,
    codec: name,
    rate: clockRateHz,
  }));
  const fmtp: MediaDescription["fmtp"] = [];
  if (events !== undefined) {
    rtp.push({ payload: events, codec: TELEPHONE_EVENT, rate: 8000 });
    // RFC 4733 §2.4.1: digits, star, hash, A to D, and flash.
    fmtp.push({ payload: events, config: "0-16" });
  }
  return {
    type: "audio",
    port,
    protocol: crypto === undefined ? "RTP/AVP" : "RTP/SAVP",
    payloads: rtp.map(({ payload }) => payload).join(" "),
    rtp,
    fmtp,
    ...(crypto !== undefined && { crypto: crypto.map(writeCrypto) }),
    ptime: ptimeMs,
    ...(line.isRtcpMultiplexed && { rtcpMux: "rtcp-mux" }),
    direction: line.direction,
  };
}

/** RFC 3264 §6: a rejected stream keeps its line, with port 0. */
function rejectedLine({ type, protocol, payloads }: MediaDescription): MediaDescription {
  return { type, port: 0, protocol, ...(payloads === undefined ? {} : { payloads }), rtp: [], fmtp: [] };
}
