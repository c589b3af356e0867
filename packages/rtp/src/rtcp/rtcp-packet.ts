/** A receiver's report about one source (RFC 3550 §6.4.1). */
export interface ReceptionReport {
  ssrc: number;
  /** Fraction of packets lost since the previous report, 0 to 1. */
  fractionLost: number;
  /** Total; negative if packets were duplicated. */
  cumulativeLost: number;
  /** 32 bits: cycles and sequence number. */
  highestSequence: number;
  /** In ticks of the source's clock. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report; 0 if there was none. */
  lastSenderReport: number;
  /** Time since that report, in units of 1/65536 s. */
  delaySinceLastSenderReport: number;
}

interface SenderInfo {
  /** Seconds since 1900 and their fraction, 32 bits each. */
  ntpSeconds: number;
  ntpFraction: number;
  rtpTimestamp: number;
  packets: number;
  /** Payload bytes. */
  octets: number;
}

/** A sender report, or a receiver report if `sender` is absent. */
export interface RtcpReport {
  ssrc: number;
  sender: SenderInfo | undefined;
  reports: readonly ReceptionReport[];
}

interface RtcpCompound {
  reports: readonly RtcpReport[];
  /** Sources that have left. */
  leaving: readonly number[];
}

const VERSION = 2;
const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const BYE = 203;
const CNAME = 1;
const HEADER_BYTES = 4;
const SSRC_BYTES = 4;
const SENDER_INFO_BYTES = 20;
const REPORT_BYTES = 24;
const COUNT_MASK = 0x1f;
const PADDING_BIT = 0x20;
const MAX_CUMULATIVE_LOST = 0x7f_ffff;

/** Parses a compound packet; `undefined` if it fails the checks of RFC 3550 A.2. Never throws. */
export function parseRtcp(datagram: Uint8Array): RtcpCompound | undefined {
  const view = new DataView(datagram.buffer, datagram.byteOffset, datagram.length);
  const reports: RtcpReport[] = [];
  const leaving: number[] = [];
  let start = 0;
  while (start < datagram.length) {
    if (start + HEADER_BYTES > datagram.length) return undefined;
    const first = view.getUint8(start);
    const type = view.getUint8(start + 1);
    const end = start + HEADER_BYTES + 4 * view.getUint16(start + 2);
    const isReport = type === SENDER_REPORT || type === RECEIVER_REPORT;
    if (first >> 6 !== VERSION || end > datagram.length || (start === 0 && !isReport)) return undefined;
    // Padding is allowed only at the end of the last packet.
    if ((first & PADDING_BIT) !== 0 && (start === 0 || end < datagram.length)) return undefined;
    const count = first & COUNT_MASK;
    if (isReport) {
      const report = readReport(view, start, end, type === SENDER_REPORT, count);
      if (report === undefined) return undefined;
      reports.push(report);
    } else if (type === BYE) {
      for (let i = 0, at = start + HEADER_BYTES; i < count && at + SSRC_BYTES <= end; i++, at += SSRC_BYTES)
        leaving.push(view.getUint32(at));
    }
    start = end;
  }
  return reports.length === 0 ? undefined : { reports, leaving };
}

function readReport(
  view: DataView,
  start: number,
  end: number,
  isSender: boolean,
  count: number,
): RtcpReport | undefined {
  const infoAt = start + HEADER_BYTES + SSRC_BYTES;
  const reportsAt = infoAt + (isSender ? SENDER_INFO_BYTES : 0);
  if (reportsAt + count * REPORT_BYTES > end) return undefined;
  return {
    ssrc: view.getUint32(start + HEADER_BYTES),
    sender: isSender
      ? {
          ntpSeconds: view.getUint32(infoAt),
          ntpFraction: view.getUint32(infoAt + 4),
          rtpTimestamp: view.getUint32(infoAt + 8),
          packets: view.getUint32(infoAt + 12),
          octets: view.getUint32(infoAt + 16),
        }
      : undefined,
    reports: Array.from({ length: count }, (_, i) => readReception(view, reportsAt + i * REPORT_BYTES)),
  };
}

function readReception(view: DataView, at: number): ReceptionReport {
  return {
    ssrc: view.getUint32(at),
    fractionLost: view.getUint8(at + 4) / 256,
    // 24 bits, signed.
    cumulativeLost: (view.getInt32(at + 4) << 8) >> 8,
    highestSequence: view.getUint32(at + 8),
    jitter: view.getUint32(at + 12),
    lastSenderReport: view.getUint32(at + 16),
    delaySinceLastSenderReport: view.getUint32(at + 20),
  };
}

/**
 * Writes a compound packet: the report, the canonical name of its source (RFC 3550 §6.5.1), and optionally a BYE.
 *
 * @param cname at most 255 bytes.
 */
export function writeRtcp(report: RtcpReport, cname: string, isLeaving: boolean): Uint8Array {
  const { ssrc, sender, reports } = report;
  const name = Buffer.from(cname);
  const reportBytes =
    HEADER_BYTES +
    SSRC_BYTES +
    (sender === undefined ? 0 : SENDER_INFO_BYTES) +
    reports.length * REPORT_BYTES;
  // Type and length of an item, and at least one zero to end the list, padded to a whole word.
  const descriptionBytes = HEADER_BYTES + SSRC_BYTES + 4 * Math.ceil((2 + name.length + 1) / 4);
  const byeBytes = isLeaving ? HEADER_BYTES + SSRC_BYTES : 0;
  const datagram = Buffer.alloc(reportBytes + descriptionBytes + byeBytes);

  const type = sender === undefined ? RECEIVER_REPORT : SENDER_REPORT;
  let at = writeHeader(datagram, 0, type, reports.length, reportBytes, ssrc);
  if (sender !== undefined) {
    const { ntpSeconds, ntpFraction, rtpTimestamp, packets, octets } = sender;
    for (const word of [ntpSeconds, ntpFraction, rtpTimestamp, packets, octets])
      at = datagram.writeUInt32BE(word >>> 0, at);
  }
  for (const reception of reports) at = writeReception(datagram, at, reception);

  const nameAt = writeHeader(datagram, at, SOURCE_DESCRIPTION, 1, descriptionBytes, ssrc);
  datagram[nameAt] = CNAME;
  datagram[nameAt + 1] = name.length;
  datagram.set(name, nameAt + 2);
  if (isLeaving) writeHeader(datagram, at + descriptionBytes, BYE, 1, byeBytes, ssrc);
  return datagram;
}

/** Returns the offset of the contents. */
function writeHeader(
  datagram: Buffer,
  at: number,
  type: number,
  count: number,
  bytes: number,
  ssrc: number,
): number {
  datagram[at] = (VERSION << 6) | count;
  datagram[at + 1] = type;
  datagram.writeUInt16BE(bytes / 4 - 1, at + 2);
  return datagram.writeUInt32BE(ssrc, at + HEADER_BYTES);
}

function writeReception(datagram: Buffer, at: number, report: ReceptionReport): number {
  const lost = Math.max(-MAX_CUMULATIVE_LOST - 1, Math.min(MAX_CUMULATIVE_LOST, report.cumulativeLost));
  datagram.writeUInt32BE(report.ssrc, at);
  datagram.writeInt32BE(lost, at + 4);
  datagram[at + 4] = Math.max(0, Math.min(255, Math.floor(report.fractionLost * 256)));
  datagram.writeUInt32BE(report.highestSequence >>> 0, at + 8);
  datagram.writeUInt32BE(Math.min(0xffff_ffff, Math.floor(report.jitter)), at + 12);
  datagram.writeUInt32BE(report.lastSenderReport >>> 0, at + 16);
  return datagram.writeUInt32BE(report.delaySinceLastSenderReport >>> 0, at + 20);
}
