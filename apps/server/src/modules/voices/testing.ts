/** Recordings for the tests of voices. */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { readWav, writeWav } from "@parley/audio";
import { seededRandom } from "@parley/testing";
import type { TestResponse, TestServer } from "../testing.ts";

export const SAMPLE_RATE_HZ = 16_000;

/** A man who reads for 12 seconds. */
export async function readMan(): Promise<Int16Array> {
  return await readPassage(["0870", "0890"]);
}

/** The same man for 43 seconds. */
export async function readLong(): Promise<Int16Array> {
  return await readPassage(["0870", "0890", "0870", "0890", "0870", "0890", "0920"]);
}

async function readPassage(parts: readonly string[]): Promise<Int16Array> {
  const folder = new URL("../../../../../bench/recordings/", import.meta.url);
  const read = await Promise.all(
    parts.map(async (part) => readWav(await readFile(new URL(`sense-and-sensibility-${part}.wav`, folder)))),
  );
  return Int16Array.from(read.flatMap(({ pcm }) => [...pcm]));
}

export function toWav(pcm: Int16Array): Uint8Array {
  return writeWav({ sampleRateHz: SAMPLE_RATE_HZ, channels: 1, pcm });
}

/** Samples × gain, within the scale. */
export function amplify(pcm: Int16Array, gain: number): Int16Array {
  return pcm.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * gain))));
}

/** White noise of this root mean square. */
export function noise(length: number, level: number): Int16Array {
  const random = seededRandom(7);
  return Int16Array.from({ length }, () => Math.round((random() - 0.5) * level * Math.sqrt(12)));
}

export function mix(a: Int16Array, b: Int16Array): Int16Array {
  return a.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (b[at] ?? 0))));
}

/** The sound in another format; `undefined` if ffmpeg is not installed. */
export function convert(wav: Uint8Array, format: readonly string[]): Uint8Array | undefined {
  const args = ["-hide_banner", "-loglevel", "error", "-i", "pipe:0", ...format, "pipe:1"];
  const { status, stdout } = spawnSync("ffmpeg", args, { input: wav, maxBuffer: 2 ** 27 });
  return status === 0 ? stdout : undefined;
}

/** Sends a recording with the other fields of a new voice. */
export async function sendVoice(
  server: TestServer,
  { file, fields, apiKey }: { file: Uint8Array; fields: Record<string, string>; apiKey?: string },
): Promise<TestResponse> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("voice", new Blob([Buffer.from(file)]), "sample");
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  return await server.request("POST", "/voices", Buffer.from(await encoded.arrayBuffer()), apiKey, headers);
}
