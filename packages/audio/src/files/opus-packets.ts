import { createOpusDecoder } from "../opus.ts";
import { AudioFileError, type MonoAudio, MonoMixer } from "./audio-file.ts";

const SAMPLE_RATE_HZ = 48_000;
const HEAD_BYTES = 19;

/**
 * Decodes Opus packets.
 *
 * @param head Identification header (RFC 7845 §5.1).
 */
export async function decodeOpusPackets(
  head: Uint8Array,
  packets: Iterable<Uint8Array>,
  maxSeconds: number,
): Promise<MonoAudio> {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.byteLength < HEAD_BYTES) throw new AudioFileError("is damaged: its Opus header is incomplete");
  if (view.getUint8(18) !== 0) throw new AudioFileError("has more than two channels");
  let skip = view.getUint16(10, true);
  const mixer = new MonoMixer(SAMPLE_RATE_HZ, maxSeconds);
  using decoder = await createOpusDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  for (const packet of packets) {
    let pcm: Int16Array;
    try {
      pcm = decoder.decode(packet);
    } catch {
      throw new AudioFileError("is damaged: an Opus packet is unreadable");
    }
    const heard = pcm.subarray(skip);
    skip = Math.max(0, skip - pcm.length);
    mixer.add([Float32Array.from(heard, (sample) => sample / 32_768)]);
  }
  return mixer.finish();
}
