/** RFC 7587 §4.1: whatever is coded. */
export const OPUS_CLOCK_RATE_HZ = 48_000;
/** Of a conversation in the browser: what recognition hears, and Opus codes without conversion. */
export const WEB_SAMPLE_RATE_HZ = 16_000;
export const FRAME_MS = 20;
export const FRAME_SAMPLES = (FRAME_MS * WEB_SAMPLE_RATE_HZ) / 1000;
/** Of the RTP clock. */
export const FRAME_UNITS = (FRAME_MS * OPUS_CLOCK_RATE_HZ) / 1000;

/** RFC 6716 §3.1, table 2: frames of SILK, of both, and of CELT, in samples of 48 kHz by configuration. */
const silkFrames = [480, 960, 1920, 2880] as const;
const hybridFrames = [480, 960] as const;
const celtFrames = [120, 240, 480, 960] as const;
/** RFC 6716 §3.2.5: 120 ms. */
const MOST_SAMPLES = 5760;

/** Length of a packet's sound in samples of 48 kHz; undefined where it is none of Opus. */
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
  return samples === 0 || samples > MOST_SAMPLES ? undefined : samples;
}

/**
 * The packet that says "nothing" in place of one like `packet` (RFC 6716 §2.1.9, §3.2.1): the same configuration, one frame,
 * empty. Decoders go on with silence or the noise before it.
 */
export function emptyOpusPacket(packet: Uint8Array): Uint8Array {
  return Uint8Array.of((packet[0] ?? 0) & 0xfc);
}
