import { readFile } from "node:fs/promises";
import { encodePcma, encodePcmu, readWav, Resampler } from "@parley/audio";
import { writeRtp } from "@parley/rtp";
import type { CapturedPacket } from "./pcap.ts";

export const FRAME_SAMPLES = 160;
const FRAME_MS = 20;

/** The words of `go-forward.wav`. */
export const GO_FORWARD = "go forward ten meters";

export const codecs = {
  PCMU: { payloadType: 0, encode: encodePcmu },
  PCMA: { payloadType: 8, encode: encodePcma },
} as const;
export type CodecName = keyof typeof codecs;

/** Reads a recording of a person or of the demo's caller, at 8 kHz. */
export async function readRecording(name: string): Promise<Int16Array> {
  const folder =
    name === "goodbye.wav" ? "../../../apps/server/src/demo/recordings" : "../../../bench/recordings";
  const { sampleRateHz, pcm } = readWav(await readFile(new URL(`${folder}/${name}`, import.meta.url)));
  return sampleRateHz === 16_000 ? new Resampler(16_000, 8000).process(pcm) : pcm;
}

/** Adds silence around speech, as telephones send it. */
export function withSilence(
  pcm: Int16Array,
  { beforeMs, afterMs }: { beforeMs: number; afterMs: number },
): Int16Array {
  const padded = new Int16Array(beforeMs * 8 + pcm.length + afterMs * 8);
  padded.set(pcm, beforeMs * 8);
  return padded;
}

/** Returns the 20 ms packets in which a telephone sends the audio. */
export function toPackets(pcm: Int16Array, codec: CodecName): CapturedPacket[] {
  const { payloadType, encode } = codecs[codec];
  return Array.from({ length: Math.floor(pcm.length / FRAME_SAMPLES) }, (_, index) => ({
    atMs: index * FRAME_MS,
    rtp: writeRtp({
      marker: index === 0,
      payloadType,
      sequenceNumber: 1000 + index,
      timestamp: 160_000 + index * FRAME_SAMPLES,
      ssrc: 0x5eed,
      payload: encode(pcm.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES)),
    }),
  }));
}

/** Normalizes numbers and spellings that mean the same. */
export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\b10\b/g, "ten")
    .replaceAll("metre", "meter")
    .replaceAll(/[^a-z0-9' ]+/g, " ");
}
