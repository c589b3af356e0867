import type { AgentVoice, SpeechStyle } from "./agent-voice.ts";

export interface SynthesizeOptions {
  /** Time without an event of the voice after which it counts as failed. */
  deadlineMs: number;
  signal: AbortSignal;
  /** Whether somebody waits for the audio. By default it has lower priority than calls. */
  isUrgent?: boolean;
}

/** Synthesizes a whole text in advance. `undefined` if the voice failed or did not finish. */
export async function synthesize(
  { tts, voice }: AgentVoice,
  style: SpeechStyle,
  text: string,
  { deadlineMs, signal, isUrgent = false }: SynthesizeOptions,
): Promise<Int16Array | undefined> {
  if (signal.aborted) return undefined;
  const chunks: Int16Array[] = [];
  const { promise: isComplete, resolve } = Promise.withResolvers<boolean>();
  const stream = tts.open({
    ...style,
    voice,
    isPreparation: !isUrgent,
    onEvent: (event) => {
      timer.refresh();
      if (event.type === "audio") chunks.push(event.pcm);
      else if (event.type === "ended" || event.type === "failed") resolve(event.type === "ended");
    },
  });
  const giveUp = (): void => resolve(false);
  const timer = setTimeout(giveUp, deadlineMs);
  signal.addEventListener("abort", giveUp, { once: true });
  stream.speak(1, text);
  stream.end();
  const hasSpoken = await isComplete;
  clearTimeout(timer);
  signal.removeEventListener("abort", giveUp);
  stream.close();
  return hasSpoken && chunks.length > 0 ? joined(chunks) : undefined;
}

function joined(chunks: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(chunks.reduce((samples, { length }) => samples + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
