import { type MediaDescription, parse, type SessionDescription } from "sdp-transform";
import { type CryptoAttribute, readCrypto } from "./crypto.ts";

export type MediaDirection = "sendrecv" | "sendonly" | "recvonly" | "inactive";

export interface OfferedCodec {
  payloadType: number;
  /** The encoding name as written, e.g. `PCMU`. */
  name: string;
  clockRateHz: number;
}

/** An audio stream of a session description that is not rejected (port 0), over RTP or SRTP. */
export interface AudioStream {
  /** Its index among the media lines. */
  index: number;
  address: string;
  port: number;
  codecs: readonly OfferedCodec[];
  telephoneEventPayloadType: number | undefined;
  /** As seen by the describing side; a zero connection address means that it receives nothing (RFC 3264 §8.4). */
  direction: MediaDirection;
  ptimeMs: number | undefined;
  maxPtimeMs: number | undefined;
  /** True if RTP and RTCP share one port (RFC 5761). */
  isRtcpMultiplexed: boolean;
  /** Address at which the describing side receives RTCP; by default the port after RTP's (RFC 3605). */
  rtcp: { address: string; port: number };
  /** The usable keys of an RTP/SAVP stream; `undefined` for RTP/AVP. */
  crypto: readonly CryptoAttribute[] | undefined;
}

export interface ParsedDescription {
  session: SessionDescription;
  audio: readonly AudioStream[];
}

/** RFC 3551 §6: supported payload types that need no rtpmap. */
const staticCodecs: readonly OfferedCodec[] = [
  { payloadType: 0, name: "PCMU", clockRateHz: 8000 },
  { payloadType: 8, name: "PCMA", clockRateHz: 8000 },
  { payloadType: 9, name: "G722", clockRateHz: 8000 },
];

const MAX_SDP_LENGTH = 65_535;
/** A browser's longest offers have a few hundred. */
const MAX_SDP_LINES = 1_000;

/** Reads a session description (RFC 8866); `undefined` if it is malformed. Never throws. */
export function parseDescription(text: string): ParsedDescription | undefined {
  if (text.length > MAX_SDP_LENGTH || !/^v=0\s/.test(text) || !/^o=/m.test(text)) return undefined;
  if (text.split(/\r\n|\r|\n/, MAX_SDP_LINES + 1).length > MAX_SDP_LINES) return undefined;
  let session: SessionDescription;
  try {
    session = parse(withoutPortCounts(text));
  } catch {
    return undefined;
  }
  for (const media of session.media) {
    // A media line that the library could not read has no type; an answer needs every line in its place.
    if (!isWellFormed(media)) return undefined;
  }
  return { session, audio: audioStreams(session) };
}

/** RFC 8866 §5.14: `m=audio 40000/2`: several ports for layered streams. We use the first, and the library reads no count. */
function withoutPortCounts(text: string): string {
  return text.replace(/^(m=\w+ \d+)\/\d+(?= )/gm, "$1");
}

function isWellFormed(media: Partial<MediaDescription>): boolean {
  const { type, port, protocol, payloads } = media;
  return (
    typeof type === "string" &&
    typeof port === "number" &&
    port >= 0 &&
    port <= 65_535 &&
    typeof protocol === "string" &&
    payloads !== undefined
  );
}

function audioStreams(session: SessionDescription): AudioStream[] {
  const streams: AudioStream[] = [];
  for (const [index, media] of session.media.entries()) {
    const stream = audioStream(session, media, index);
    if (stream !== undefined) streams.push(stream);
  }
  return streams;
}

/** `undefined` for an unsupported stream, which is rejected by port 0 (RFC 3264 §6). */
function audioStream(
  session: SessionDescription,
  media: MediaDescription,
  index: number,
): AudioStream | undefined {
  const isSecure = media.protocol === "RTP/SAVP";
  if (media.type !== "audio" || media.port === 0 || !(isSecure || media.protocol === "RTP/AVP"))
    return undefined;
  const crypto = isSecure ? readCrypto(media) : undefined;
  const connection: { ip?: unknown } = media.connection ?? session.connection ?? {};
  if (typeof connection.ip !== "string") return undefined;
  const codecs = offeredCodecs(media);
  const isDtmf = ({ name }: OfferedCodec): boolean => name.toLowerCase() === "telephone-event";
  const isMultiplexed = media.rtcpMux !== undefined;
  return {
    index,
    address: connection.ip,
    port: media.port,
    codecs: codecs.filter((codec) => !isDtmf(codec)),
    telephoneEventPayloadType: codecs.find((codec) => isDtmf(codec) && codec.clockRateHz === 8000)
      ?.payloadType,
    direction: directionOf(media.direction ?? session.direction ?? "sendrecv", connection.ip),
    ptimeMs: positive(media.ptime),
    maxPtimeMs: positive(media.maxptime),
    isRtcpMultiplexed: isMultiplexed,
    rtcp: {
      address: media.rtcp?.address ?? connection.ip,
      port: isMultiplexed ? media.port : (positive(media.rtcp?.port) ?? media.port + 1),
    },
    crypto,
  };
}

function positive(value: number | undefined): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

function directionOf(direction: MediaDirection, address: string): MediaDirection {
  const isHeld = address === "0.0.0.0" || address === "::";
  if (!isHeld) return direction;
  return direction === "sendrecv" || direction === "sendonly" ? "sendonly" : "inactive";
}

/** The formats of a media line in order of preference, each with its rtpmap or static meaning. */
function offeredCodecs(media: MediaDescription): OfferedCodec[] {
  const codecs: OfferedCodec[] = [];
  const words = String(media.payloads)
    .split(/\s+/)
    .filter((word) => /^\d{1,3}$/.test(word));
  for (const payloadType of new Set(words.map(Number))) {
    if (payloadType > 127) continue;
    const mapped = media.rtp.find((entry) => entry.payload === payloadType);
    const fixed = staticCodecs.find((entry) => entry.payloadType === payloadType);
    // A codec with more than one channel is a different, unsupported codec.
    const isMono = mapped?.encoding === undefined || mapped.encoding === 1;
    if (mapped !== undefined && isMono && Number(mapped.rate) > 0) {
      codecs.push({ payloadType, name: mapped.codec, clockRateHz: Number(mapped.rate) });
    } else if (mapped === undefined && fixed !== undefined) codecs.push(fixed);
  }
  return codecs;
}
