import type { Outcome } from "./run-situation.ts";
import type { Decision } from "./score.ts";

const SILENCE_MS = 800;
const INTERRUPTION_MS = 200;
const SPEECH_PROBABILITY = 0.5;
const SILENCE_PROBABILITY = 0.35;
const WINDOW_MS = 32;

/**
 * A common first rule, applied to the results of the same detector in the same call: 800 ms of silence end a turn, and
 * 200 ms of speech stop the agent.
 */
export function decideByFixedRule(
  { windows, callerFromMs, situation }: Outcome,
  agentEndMs: number,
): Decision {
  let isVoiced = false;
  let voicedMs = 0;
  let lastVoiceMs: number | undefined;
  let stopMs: number | undefined;
  for (const { endMs, probability } of windows) {
    isVoiced = probability >= (isVoiced ? SILENCE_PROBABILITY : SPEECH_PROBABILITY);
    const isOverAgent = situation.expects !== "turn" && endMs < agentEndMs;
    if (isVoiced) {
      voicedMs += WINDOW_MS;
      if (isOverAgent && voicedMs >= INTERRUPTION_MS) stopMs ??= endMs;
      if (situation.expects !== "turn" || endMs > callerFromMs) lastVoiceMs = endMs;
      continue;
    }
    voicedMs = 0;
    if (lastVoiceMs !== undefined && endMs - lastVoiceMs >= SILENCE_MS) {
      const turnAtMs = lastVoiceMs + SILENCE_MS;
      return { turnAtMs, decidedAtMs: turnAtMs, stopMs, isStoppedForGood: stopMs !== undefined };
    }
  }
  return { turnAtMs: undefined, decidedAtMs: undefined, stopMs, isStoppedForGood: stopMs !== undefined };
}
