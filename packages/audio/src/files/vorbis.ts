import { StbVorbis } from "stb-vorbis";
import { AudioFileError, type MonoAudio, MonoMixer } from "./audio-file.ts";

const HEADER_BYTES = 30;
const MAX_CHANNELS = 8;
/** Short blocks make more packets for the same time. */
const SHORT_BLOCKS_FACTOR = 4;

/**
 * Decodes an Ogg file with Vorbis sound (Vorbis I specification).
 *
 * @param head Identification header, the first packet.
 * @param packets The other packets: their number limits the memory that the decoder takes.
 */
export async function decodeVorbis(
  bytes: Uint8Array,
  head: Uint8Array,
  packets: Iterable<Uint8Array>,
  maxSeconds: number,
): Promise<MonoAudio> {
  if (head.length < HEADER_BYTES) throw new AudioFileError("is a damaged Ogg file");
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const [channels, sampleRateHz] = [view.getUint8(11), view.getUint32(12, true)];
  if (channels === 0 || channels > MAX_CHANNELS)
    throw new AudioFileError(`has ${channels} channels: record it with one or two`);
  const mixer = new MonoMixer(sampleRateHz, maxSeconds);
  const samplesPerPacket = 2 ** (view.getUint8(28) >> 4) / 2;
  const maxPackets = (SHORT_BLOCKS_FACTOR * maxSeconds * sampleRateHz) / samplesPerPacket;
  let count = 0;
  for (const _packet of packets)
    if (++count > maxPackets) throw new AudioFileError(`is longer than ${maxSeconds} seconds`);
  await StbVorbis.ready;
  mixer.add(decode(bytes));
  return mixer.finish();
}

function decode(bytes: Uint8Array): Float32Array[] {
  try {
    return StbVorbis.decode(bytes).channels;
  } catch (cause) {
    throw new AudioFileError("is a damaged Ogg Vorbis file", { cause });
  }
}
