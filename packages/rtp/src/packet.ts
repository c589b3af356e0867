/** An RTP packet (RFC 3550 §5.1). CSRC list, header extension and padding are checked and omitted. */
export interface RtpPacket {
  marker: boolean;
  /** 0–127. */
  payloadType: number;
  /** 16 bits. */
  sequenceNumber: number;
  /** 32 bits, in ticks of the payload's clock. */
  timestamp: number;
  /** 32 bits. */
  ssrc: number;
  /** A view into the datagram if returned by `parseRtp`, not a copy. */
  payload: Uint8Array;
}

const VERSION = 2;
const FIXED_HEADER_BYTES = 12;

/**
 * True if a datagram on a port shared by RTP and RTCP is RTCP (RFC 5761 §4): its packet types 192–223 equal the
 * payload types 64–95 with the marker set, so RTP does not use those.
 */
export function isRtcp(datagram: Uint8Array): boolean {
  const type = datagram[1] ?? 0;
  return (datagram[0] ?? 0) >> 6 === VERSION && type >= 192 && type <= 223;
}

/**
 * Length of an RTP header including CSRC list and extension (RFC 3550 §5.1, §5.3.1); `undefined` if the datagram
 * is shorter or not RTP.
 */
export function rtpHeaderBytes(datagram: Uint8Array): number | undefined {
  const first = datagram[0] ?? 0;
  if (datagram.length < FIXED_HEADER_BYTES || first >> 6 !== VERSION || isRtcp(datagram)) {
    return undefined;
  }
  let bytes = FIXED_HEADER_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) !== 0) {
    bytes += 4 + 4 * (((datagram[bytes + 2] ?? 0) << 8) | (datagram[bytes + 3] ?? 0));
  }
  return bytes > datagram.length ? undefined : bytes;
}

/** Parses an RTP packet. Returns `undefined` if malformed (RFC 3550 A.1); never throws. */
export function parseRtp(datagram: Uint8Array): RtpPacket | undefined {
  const start = rtpHeaderBytes(datagram);
  if (start === undefined) {
    return undefined;
  }
  let end = datagram.length;
  if ((byteAt(datagram, 0) & 0x20) !== 0) {
    const padding = byteAt(datagram, end - 1);
    if (padding === 0) {
      return undefined;
    }
    end -= padding;
  }
  if (start > end) {
    return undefined;
  }
  const second = byteAt(datagram, 1);
  return {
    marker: second >= 0x80,
    payloadType: second & 0x7f,
    sequenceNumber: (byteAt(datagram, 2) << 8) | byteAt(datagram, 3),
    timestamp: uint32At(datagram, 4),
    ssrc: uint32At(datagram, 8),
    payload: datagram.subarray(start, end),
  };
}

/** Avoids a `DataView`, which would be one more object per packet. */
function byteAt(datagram: Uint8Array, at: number): number {
  return datagram[at] ?? 0;
}

function uint32At(datagram: Uint8Array, at: number): number {
  const high = (byteAt(datagram, at) << 8) | byteAt(datagram, at + 1);
  const low = (byteAt(datagram, at + 2) << 8) | byteAt(datagram, at + 3);
  return high * 0x10000 + low;
}

/** Writes an RTP packet without CSRC list, header extension or padding. Numbers are truncated to their width. */
export function writeRtp(packet: RtpPacket): Uint8Array {
  const datagram = Buffer.allocUnsafe(FIXED_HEADER_BYTES + packet.payload.length);
  datagram[0] = VERSION << 6;
  datagram[1] = (packet.marker ? 0x80 : 0) | (packet.payloadType & 0x7f);
  datagram.writeUInt16BE(packet.sequenceNumber & 0xffff, 2);
  datagram.writeUInt32BE(packet.timestamp >>> 0, 4);
  datagram.writeUInt32BE(packet.ssrc >>> 0, 8);
  datagram.set(packet.payload, FIXED_HEADER_BYTES);
  return datagram;
}
