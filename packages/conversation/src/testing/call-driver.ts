import { Dialogue, type DialogueOptions } from "../dialogue/dialogue.ts";
import type { SampleRateHz } from "../providers/speech-to-text.ts";
import type { TranscriptItem } from "../transcript.ts";
import type { AnswerJudge } from "../voice/answer/answer-judge.ts";
import type { TurnEffect, TurnEvent } from "../voice/turns/turn-state.ts";
import type { PhraseBook } from "../voice/speaking/speech-phrases.ts";
import { VoiceSpeeds } from "../voice/speaking/voice-speeds.ts";
import { VoiceConversation } from "../voice/voice-conversation.ts";
import type { AgentActivity, VoiceAgentSettings, VoiceEvent } from "../voice/voice-event.ts";
import { EnergyVoiceActivityDetector } from "./energy-voice-activity.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeSpeechToText } from "./fake-speech-to-text.ts";
import { FakeTextToSpeech } from "./fake-text-to-speech.ts";
import { ScriptedLanguageModel, type ModelScript } from "./scripted-language-model.ts";
import { tone } from "./tone.ts";

const TICK_MS = 20;
const CALLER_AMPLITUDE = 6000;

export interface CallDriverOptions {
  agent?: Partial<VoiceAgentSettings>;
  /** The model's answers, one per request. */
  replies?: readonly ModelScript[];
  /** Answers of a second model; without them there is none. */
  fallbackReplies?: readonly ModelScript[];
  dialogue?: Partial<DialogueOptions>;
  sampleRateHz?: SampleRateHz;
  /** Whether the agent has a second voice, `fallback`. */
  hasFallback?: boolean;
  phrases?: PhraseBook;
  /** Voice speeds; by default as measured for the fakes. */
  speeds?: VoiceSpeeds;
  /** Silence that ends the caller's turn, default 600 ms; `adaptive`: as in calls. */
  endpointing?: number | "adaptive";
  answerJudge?: AnswerJudge;
}

/** A whole call on a fake clock: a scripted caller and scripted providers around a real `VoiceConversation`. */
export class CallDriver {
  readonly clock = new FakeClock();
  readonly stt = new FakeSpeechToText(this.clock);
  readonly tts = new FakeTextToSpeech(this.clock);
  readonly fallback = new FakeTextToSpeech(this.clock);
  readonly model: ScriptedLanguageModel;
  readonly fallbackModel: ScriptedLanguageModel;
  readonly dialogue: Dialogue;
  readonly conversation: VoiceConversation;
  readonly events: VoiceEvent[] = [];
  readonly states: { state: AgentActivity; atMs: number }[] = [];
  readonly decisions: { event: TurnEvent; effects: readonly TurnEffect[] }[] = [];
  /** The agent's frame in each tick. */
  readonly frames: (Int16Array | undefined)[] = [];
  /** Time on hold. */
  heldMs = 0;
  readonly #sampleRateHz: SampleRateHz;
  readonly #silence: Int16Array;

  constructor(options: CallDriverOptions = {}) {
    this.#sampleRateHz = options.sampleRateHz ?? 8000;
    this.#silence = new Int16Array((TICK_MS * this.#sampleRateHz) / 1000);
    this.model = new ScriptedLanguageModel(options.replies ?? [], { timers: this.clock });
    this.fallbackModel = new ScriptedLanguageModel(options.fallbackReplies ?? [], {
      timers: this.clock,
      modelId: "second",
    });
    this.dialogue = new Dialogue({
      model: this.model,
      ...(options.fallbackReplies !== undefined && { fallbackModels: [this.fallbackModel] }),
      instructions: "Be brief.",
      endCall: {},
      timers: this.clock,
      ...options.dialogue,
    });
    const { endpointing = 600 } = options;
    this.conversation = new VoiceConversation({
      sampleRateHz: this.#sampleRateHz,
      ...(endpointing !== "adaptive" && { endpointingDelayMs: endpointing }),
      agent: { ...DEFAULT_AGENT, ...options.agent },
      dialogue: this.dialogue,
      stt: this.stt,
      tts: this.tts,
      ...(options.hasFallback === true && { fallbackVoices: [{ tts: this.fallback, voice: "second" }] }),
      ...(options.phrases !== undefined && { phrases: options.phrases }),
      speeds: options.speeds ?? this.#measuredSpeeds(),
      vad: new EnergyVoiceActivityDetector(),
      answerJudge: options.answerJudge,
      onEvent: (event) => {
        this.events.push(event);
        if (event.type === "state") this.states.push({ state: event.state, atMs: this.nowMs });
      },
      now: () => this.clock.nowMs,
      onDecision: (event, effects) => this.decisions.push({ event, effects }),
    });
  }

  start(): void {
    this.conversation.start();
  }

  /** Lets the caller speak for `durationMs`. */
  async say(text: string, durationMs: number): Promise<void> {
    this.stt.hearWords(text);
    await this.makeNoise(durationMs);
  }

  /** Sends a single tone. */
  async beep(durationMs: number, frequencyHz = 1000): Promise<void> {
    const pcm = tone(durationMs, this.#sampleRateHz, CALLER_AMPLITUDE, frequencyHz);
    const frame = this.#silence.length;
    for (let at = 0; at + frame <= pcm.length; at += frame) await this.#tick(pcm.subarray(at, at + frame));
  }

  /** Sends sound that passes for speech but has no words. */
  async makeNoise(durationMs: number): Promise<void> {
    const pcm = tone(TICK_MS, this.#sampleRateHz, CALLER_AMPLITUDE);
    for (let ms = 0; ms < durationMs; ms += TICK_MS) await this.#tick(pcm);
  }

  async stayQuiet(durationMs: number): Promise<void> {
    for (let ms = 0; ms < durationMs; ms += TICK_MS) await this.#tick(this.#silence);
  }

  /** Puts the agent on hold, up to the end of the call. */
  async hold(durationMs: number): Promise<void> {
    for (let ms = 0; ms < durationMs && this.end === undefined; ms += TICK_MS) {
      await this.clock.advance(TICK_MS);
      this.conversation.standStill(TICK_MS);
      this.heldMs += TICK_MS;
    }
  }

  /**
   * Sends silence until the condition holds.
   *
   * @throws Error if it does not hold within `limitMs` of call time.
   */
  async waitUntil(condition: () => boolean, limitMs = 30_000): Promise<void> {
    for (let ms = 0; !condition(); ms += TICK_MS) {
      if (ms >= limitMs) throw new Error(`still waiting after ${limitMs} ms of the call`);
      await this.#tick(this.#silence);
    }
  }

  /** Sends silence until the agent has finished speaking. */
  async letAgentFinish(): Promise<void> {
    await this.waitUntil(() => this.isSpeaking || this.end !== undefined);
    await this.waitUntil(() => this.state === "listening" || this.end !== undefined, 120_000);
  }

  #measuredSpeeds(): VoiceSpeeds {
    const speeds = new VoiceSpeeds();
    const text = "We are open from nine to five.";
    const audioMs = this.tts.durationMs(text);
    const tookMs = (audioMs * this.tts.chunkIntervalMs) / this.tts.chunkMs;
    for (const [tts, voice] of [
      [this.tts, DEFAULT_AGENT.voice],
      [this.fallback, "second"],
    ] as const)
      speeds.observe({ tts, voice }, { text, speed: 1, tookMs, audioMs });
    return speeds;
  }

  async #tick(pcm: Int16Array): Promise<void> {
    await this.clock.advance(TICK_MS);
    this.conversation.hear(pcm);
    this.frames.push(this.conversation.nextFrame()?.slice());
  }

  get items(): TranscriptItem[] {
    return this.events.flatMap((event) => (event.type === "item" ? [event.item] : []));
  }

  /** The transcript as lines like `agent: Hello.`, `user: …`, `tool_call: {…}`. */
  get transcript(): string[] {
    return this.items.map((item) => `${item.type === "message" ? item.role : item.type}: ${item.text}`);
  }

  get state(): AgentActivity {
    return this.states.at(-1)?.state ?? "listening";
  }

  get isSpeaking(): boolean {
    return this.frames.at(-1) !== undefined;
  }

  get end(): (VoiceEvent & { type: "ended" }) | undefined {
    return this.events.find((event) => event.type === "ended");
  }

  get nowMs(): number {
    return this.frames.length * TICK_MS;
  }
}

const DEFAULT_AGENT: VoiceAgentSettings = {
  firstMessage: "",
  firstMessageDelayMs: 0,
  startSpeaker: "agent",
  silenceEndCallTimeoutSeconds: 30,
  maxConversationDurationSeconds: 600,
  disableInterruptions: false,
  interruptionThresholdMs: 160,
  language: "en",
  voice: "fake",
  voiceSpeed: 1,
  sttKeyterms: [],
};
