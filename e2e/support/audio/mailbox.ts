import { readFile } from "node:fs/promises";
import { readWav } from "@parley/audio";
import { withSilence } from "./recordings.ts";

const RATE_HZ = 8_000;
const BEEP_SECONDS = 0.5;

/** Silence, "Hi, you've reached Sam. …", a pause, a beep of 1 kHz, and the silence in which a mailbox records. */
export async function mailbox({ silenceSeconds = 30 } = {}): Promise<{
  pcm: Int16Array;
  beepEndsMs: number;
}> {
  const file = new URL("mailbox.wav", import.meta.url);
  const greeting = withSilence(readWav(await readFile(file)).pcm, { beforeMs: 500, afterMs: 700 });
  const beep = Int16Array.from({ length: BEEP_SECONDS * RATE_HZ }, (_, at) =>
    Math.round(5_000 * Math.sin((2 * Math.PI * 1_000 * at) / RATE_HZ)),
  );
  const pcm = new Int16Array(greeting.length + beep.length + silenceSeconds * RATE_HZ);
  pcm.set(greeting);
  pcm.set(beep, greeting.length);
  return { pcm, beepEndsMs: ((greeting.length + beep.length) * 1_000) / RATE_HZ };
}
