/**
 * RTP for telephone audio: packets, a jitter buffer, RTCP, SRTP, telephone events, and a pacing wheel.
 *
 * @module rtp
 */
export { AudioPacketizer, type AudioPacket } from "./audio-packetizer.ts";
export { DtmfReceiver, type DtmfDigit, type DtmfReceiverOptions } from "./dtmf/dtmf-receiver.ts";
export { dtmfDurationMs, DtmfSender, type DtmfPacket, type DtmfSenderOptions } from "./dtmf/dtmf-sender.ts";
export {
  JitterBuffer,
  type JitterBufferCounters,
  type JitterBufferOptions,
  type JitterBufferResult,
} from "./jitter-buffer.ts";
export { isRtcp, parseRtp, writeRtp, type RtpPacket } from "./packet.ts";
export { LAG_BOUNDS_MS } from "./lag-statistics.ts";
export {
  MediaWheel,
  type MediaWheelOptions,
  type WheelHandle,
  type WheelMember,
  type WheelScheduler,
} from "./media-wheel.ts";
export { PortPool, slicePortRange, type PortRange } from "./port-pool.ts";
export { estimateMos } from "./call-quality.ts";
export { RtcpReporter, type RtcpReporterOptions, type StreamStatistics } from "./rtcp/rtcp-reporter.ts";
export { RtpSession, type RtpSessionCounters, type RtpSessionOptions } from "./rtp-session.ts";
export type { SrtpKeys } from "./srtp/srtp-session.ts";
export type { SrtpSuite } from "./srtp/suites.ts";
export type { TransportAddress } from "./source-latch.ts";
