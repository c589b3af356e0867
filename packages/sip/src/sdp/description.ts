import { type MediaDescription, parse, type SessionDescription } from "sdp-transform";

export type MediaDirection = "sendrecv" | "sendonly" | "recvonly" | "inactive";

export interface OfferedCodec {
  payloadType: number;
  /** The encoding name as written, e.g. `PCMU`. */
  name: string;
  clockRateHz: number;
}

/** The first audio stream of a session description that is not refused (port 0). */
export interface AudioStream {
  /** Its place among the media lines. */
  index: number;
  address: string;
  port: number;
  codecs: readonly OfferedCodec[];
  telephoneEventPayloadType: number | undefined;
  /** As the describing side sees it; a connection address of zero means that it takes nothing (RFC 3264 §8.4). */
  direction: MediaDirection;
  ptimeMs: number | undefined;
}

export interface ParsedDescription {
  session: SessionDescription;
  audio: AudioStream | undefined;
}

/** RFC 3551 §6: payload types whose meaning needs no rtpmap; Parley has a use for these. */
const staticCodecs: readonly OfferedCodec[] = [
  { payloadType: 0, name: "PCMU", clockRateHz: 8000 },
  { payloadType: 8, name: "PCMA", clockRateHz: 8000 },
  { payloadType: 9, name: "G722", clockRateHz: 8000 },
];

const MAX_SDP_LENGTH = 65_535;

/** Reads a session description (RFC 8866); `undefined` where it is none. Never throws. */
export function parseDescription(text: string): ParsedDescription | undefined {
  if (text.length > MAX_SDP_LENGTH || !/^v=0\s/.test(text) || !/^o=/m.test(text)) return undefined;
  let session: SessionDescription;
  try {
    session = parse(text);
  } catch {
    return undefined;
  }
  for (const media of session.media) {
    // A line that the library could not read has no type; answering needs every one in its place.
    if (!isWellFormed(media)) return undefined;
  }
  return { session, audio: firstAudio(session) };
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

function firstAudio(session: SessionDescription): AudioStream | undefined {
  for (const [index, media] of session.media.entries()) {
    // Only plain RTP can be answered now; a stream of another profile is refused by port 0 (RFC 3264 §6).
    if (media.type !== "audio" || media.port === 0 || media.protocol !== "RTP/AVP") continue;
    const connection: { ip?: unknown } = media.connection ?? session.connection ?? {};
    if (typeof connection.ip !== "string") continue;
    const codecs = offeredCodecs(media);
    const isDtmf = ({ name }: OfferedCodec): boolean => name.toLowerCase() === "telephone-event";
    return {
      index,
      address: connection.ip,
      port: media.port,
      codecs: codecs.filter((codec) => !isDtmf(codec)),
      telephoneEventPayloadType: codecs.find((codec) => isDtmf(codec) && codec.clockRateHz === 8000)
        ?.payloadType,
      direction: directionOf(media.direction ?? session.direction ?? "sendrecv", connection.ip),
      ptimeMs: typeof media.ptime === "number" && media.ptime > 0 ? media.ptime : undefined,
    };
  }
  return undefined;
}

function directionOf(direction: MediaDirection, address: string): MediaDirection {
  const isHeld = address === "0.0.0.0" || address === "::";
  if (!isHeld) return direction;
  return direction === "sendrecv" || direction === "sendonly" ? "sendonly" : "inactive";
}

/** The formats of a media line in their order of preference, each with its rtpmap or static meaning. */
function offeredCodecs(media: MediaDescription): OfferedCodec[] {
  const codecs: OfferedCodec[] = [];
  for (const word of String(media.payloads).split(/\s+/)) {
    const payloadType = Number(word);
    if (!/^\d{1,3}$/.test(word) || payloadType > 127) continue;
    const mapped = media.rtp.find((entry) => entry.payload === payloadType);
    const fixed = staticCodecs.find((entry) => entry.payloadType === payloadType);
    // More than one channel is a codec of its own, which is not ours.
    const isMono = mapped?.encoding === undefined || mapped.encoding === 1;
    if (mapped !== undefined && isMono && Number(mapped.rate) > 0) {
      codecs.push({ payloadType, name: mapped.codec, clockRateHz: Number(mapped.rate) });
    } else if (mapped === undefined && fixed !== undefined) codecs.push(fixed);
  }
  return codecs;
}
