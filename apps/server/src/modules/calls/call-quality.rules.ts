import type { CallQuality } from "@parley/contract";
import { estimateMos } from "@parley/rtp";
import type { MediaStatistics } from "../../media/media-protocol.ts";

/**
 * The peer's jitter buffer is unknown; it is assumed to delay audio by this multiple of the reported jitter,
 * and by at least one packet.
 */
const PEER_BUFFER_PER_JITTER = 2;

/** Returns the network quality of a call for its record; `undefined` if no audio was sent or received. */
export function toCallQuality(media: MediaStatistics): CallQuality | undefined {
  const { codec, srtpSuite, received, packetsSent, sent, roundTripMs, playoutDelayMs, ptimeMs } = media;
  if (codec === undefined || (received.packets === 0 && packetsSent === 0)) return undefined;
  const oneWayMs = (roundTripMs ?? 0) / 2;
  const missed = received.lost + received.late;
  return {
    codec,
    srtpSuite: srtpSuite ?? null,
    roundTripMs: roundTripMs === undefined ? null : rounded(roundTripMs),
    received: {
      packets: received.packets,
      lost: received.lost,
      late: received.late,
      jitterMs: rounded(received.jitterMs),
      mos:
        received.packets === 0
          ? null
          : estimateMos({
              delayMs: oneWayMs + playoutDelayMs + ptimeMs,
              lossFraction: missed / (received.packets + received.lost),
            }),
    },
    sent: {
      packets: packetsSent,
      lost: sent?.lost ?? null,
      jitterMs: sent === undefined ? null : rounded(sent.jitterMs),
      mos:
        sent === undefined || sent.packets === 0
          ? null
          : estimateMos({
              delayMs: oneWayMs + Math.max(ptimeMs, PEER_BUFFER_PER_JITTER * sent.jitterMs) + ptimeMs,
              lossFraction: sent.lost / sent.packets,
            }),
    },
  };
}

function rounded(milliseconds: number): number {
  return Math.round(10 * milliseconds) / 10;
}
