/** Recordings in the browser: any format that it plays becomes WAV, which the server takes. */

export const MIN_SECONDS = 8;
export const MAX_SECONDS = 40;
const HEADER_BYTES = 44;

/** Decodes a file to one channel. Rejects with a message for people if the browser cannot. */
export async function decodeSound(file: Blob): Promise<AudioBuffer> {
  const context = new AudioContext();
  try {
    return await context.decodeAudioData(await file.arrayBuffer());
  } catch {
    throw new Error("This browser cannot read the file. Convert it to WAV first.");
  } finally {
    await context.close();
  }
}

/** What is wrong with the length; `undefined` if nothing is. */
export function findLengthProblem({ duration }: AudioBuffer): string | undefined {
  if (duration >= MIN_SECONDS && duration <= MAX_SECONDS) return undefined;
  return `is ${duration.toFixed(0)} seconds long: ${MIN_SECONDS} to ${MAX_SECONDS} seconds are needed`;
}

/** Mono WAV with 16 bits. */
export function encodeWav(sound: AudioBuffer): Blob {
  const channels = Array.from({ length: sound.numberOfChannels }, (_, index) => sound.getChannelData(index));
  const bytes = new DataView(new ArrayBuffer(HEADER_BYTES + sound.length * 2));
  writeHeader(bytes, sound.sampleRate);
  for (let at = 0; at < sound.length; at++) {
    const sum = channels.reduce((total, samples) => total + (samples[at] ?? 0), 0);
    const sample = Math.max(-1, Math.min(1, sum / channels.length));
    bytes.setInt16(HEADER_BYTES + at * 2, Math.round(sample * 32_767), true);
  }
  return new Blob([bytes.buffer], { type: "audio/wav" });
}

function writeHeader(bytes: DataView<ArrayBuffer>, sampleRateHz: number): void {
  const write = (at: number, tag: string): void => {
    for (let index = 0; index < tag.length; index++) bytes.setUint8(at + index, tag.charCodeAt(index));
  };
  write(0, "RIFF");
  bytes.setUint32(4, bytes.byteLength - 8, true);
  write(8, "WAVEfmt ");
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true);
  bytes.setUint16(22, 1, true);
  bytes.setUint32(24, sampleRateHz, true);
  bytes.setUint32(28, sampleRateHz * 2, true);
  bytes.setUint16(32, 2, true);
  bytes.setUint16(34, 16, true);
  write(36, "data");
  bytes.setUint32(40, bytes.byteLength - HEADER_BYTES, true);
}
