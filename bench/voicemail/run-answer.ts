import { setImmediate } from "node:timers/promises";
import {
  type AnsweredBy,
  Dialogue,
  VoiceConversation,
  type VoiceActivityDetector,
} from "@parley/conversation";
import { FakeClock, ScriptedLanguageModel } from "@parley/conversation/testing";
import { LocalSpeechToText, LocalTurnEnd } from "@parley/providers";
import { AgentVoice } from "../turns/agent-voice.ts";
import { SAMPLE_RATE_HZ, SAMPLES_PER_MS } from "../turns/sounds.ts";
import { StoredInference, type StoredModels } from "../turns/stored-models.ts";
import type { Answer } from "./answers.ts";

const TICK_MS = 20;
const FRAME_SAMPLES = TICK_MS * SAMPLES_PER_MS;
const WINDOW_SAMPLES = 256;

/** What the conversation decided; times count from the answer. */
export interface Outcome {
  answer: Answer;
  /** Verdicts in order: the last one counts. */
  verdicts: { by: AnsweredBy; atMs: number }[];
  /** The agent's first audio. */
  agentAtMs: number | undefined;
  /** Time in which the agent was audible while the callee spoke. */
  overMs: number;
  /** What the recognizer understood by the last verdict. */
  text: string;
}

const agent = {
  firstMessage: "Hello, this is the library. Do you have a moment?",
  firstMessageDelayMs: 0,
  startSpeaker: "agent",
  silenceEndCallTimeoutSeconds: 60,
  maxConversationDurationSeconds: 600,
  disableInterruptions: false,
  interruptionThresholdMs: 200,
  language: "en",
  voice: "recorded",
  voiceSpeed: 1,
  sttKeyterms: [],
  voicemail: { message: "" },
} as const;

/** Runs one call on a driven clock: real detector, recognizer and conversation. */
export async function runAnswer(
  answer: Answer,
  { vad, models }: { vad: VoiceActivityDetector; models: StoredModels },
): Promise<Outcome> {
  const clock = new FakeClock();
  const inference = new StoredInference(models, clock);
  const outcome: Outcome = { answer, verdicts: [], agentAtMs: undefined, overMs: 0, text: "" };
  const model = new ScriptedLanguageModel([], { timers: clock, fallback: () => "Very well." });
  const progress = { windows: 0, isOver: false };
  const conversation = new VoiceConversation({
    sampleRateHz: SAMPLE_RATE_HZ,
    agent,
    dialogue: new Dialogue({ model, instructions: "Be brief.", timers: clock }),
    stt: new LocalSpeechToText({ inference, size: () => "base" }),
    turnEnd: new LocalTurnEnd({ inference }),
    tts: new AgentVoice({ lines: new Map(), timers: clock, delayMs: 0, hasWordTimings: false }),
    vad: {
      open: (options) =>
        vad.open({
          ...options,
          onProbability: (probability, endSample) => {
            progress.windows += 1;
            options.onProbability(probability, endSample);
          },
        }),
    },
    now: () => clock.nowMs,
    onEvent: (event) => {
      if (event.type === "ended") progress.isOver = true;
    },
    onDecision: (_event, effects) => {
      for (const effect of effects) {
        if (effect.type !== "answeredBy") continue;
        outcome.verdicts.push({ by: effect.by, atMs: effect.endMs });
        outcome.text = effect.text;
      }
    },
  });
  const prepared = conversation.prepare(new AbortController().signal);
  await clock.advance(1_000);
  await prepared;
  conversation.start();
  for (let at = 0; at + FRAME_SAMPLES <= answer.pcm.length && !progress.isOver; at += FRAME_SAMPLES) {
    await clock.advance(TICK_MS);
    conversation.hear(answer.pcm.subarray(at, at + FRAME_SAMPLES));
    const due = Math.floor((at + FRAME_SAMPLES) / WINDOW_SAMPLES);
    while (!progress.isOver && progress.windows < due) await setImmediate();
    await inference.settled();
    const isAudible = conversation.nextFrame() !== undefined;
    const nowMs = (at + FRAME_SAMPLES) / SAMPLES_PER_MS;
    if (isAudible) outcome.agentAtMs ??= nowMs;
    if (isAudible && nowMs > answer.fromMs && nowMs < answer.toMs) outcome.overMs += TICK_MS;
  }
  conversation.close();
  return outcome;
}
