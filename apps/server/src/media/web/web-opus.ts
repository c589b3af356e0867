/** RTP clock rate of Opus at any sampling rate (RFC 7587 §4.1). */
export const OPUS_CLOCK_RATE_HZ = 48_000;
/** Sampling rate of browser conversations: that of the recognizers, which Opus encodes without conversion. */
export const WEB_SAMPLE_RATE_HZ = 16_000;
export const FRAME_MS = 20;
export const FRAME_SAMPLES = (FRAME_MS * WEB_SAMPLE_RATE_HZ) / 1000;
/** Units of the RTP clock in a frame. */
export const FRAME_UNITS = (FRAME_MS * OPUS_CLOCK_RATE_HZ) / 1000;

/** Frame lengths by configuration, in samples at 48 kHz, of SILK, hybrid and CELT frames (RFC 6716 §3.1, table 2). */
const silkFrames = [480, 960, 1920, 2880] as const;
const hybridFrames = [480, 960] as const;
const celtFrames = [120, 240, 480, 960] as const;
/** 120 ms (RFC 6716 §3.2.5). */
const MAX_SAMPLES = 5760;

/** Duration of a packet in samples at 48 kHz; `undefined` if it is not an Opus packet. */
export function opusSamplesIn(packet: Uint8Array): number | undefined {
  const [toc, counts] = packet;
  if (toc === undefined) return undefined;
  const configuration = toc >> 3;
  const frame =
    configuration < 12
      ? silkFrames[configuration & 3]
      : configuration < 16
        ? hybridFrames[configuration & 1]
        : celtFrames[configuration & 3];
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (counts ?? 0) & 0x3f;
  const samples = (frame ?? 0) * frames;
  return samples === 0 || samples > MAX_SAMPLES ? undefined : samples;
}

/**
 * DTX packet that stands for silence after `packet` (RFC 6716 §2.1.9, §3.2.1): the same configuration with one empty frame.
 * Decoders continue with silence or the previous background noise.
 */
export function emptyOpusPacket(packet: Uint8Array): Uint8Array {
  return Uint8Array.of((packet[0] ?? 0) & 0xfc);
}
