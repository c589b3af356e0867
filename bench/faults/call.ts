import {
  type AgentVoice,
  Dialogue,
  type LanguageModel,
  type PhraseBook,
  type SpeechToText,
  VoiceConversation,
  type VoiceEvent,
} from "@parley/conversation";
import { EnergyVoiceActivityDetector, tone } from "@parley/conversation/testing";

export const TICK_MS = 20;
const SAMPLE_RATE_HZ = 8000;
const QUESTION_MS = 1200;
/** Time from the end of the agent's answer to the caller's next question. */
const REFLECTION_MS = 800;
/** Silence that ends a turn: this long after the end of a question the agent owes its answer. */
const ENDPOINTING_MS = 600;

export const QUESTION = "When are you open?";
export const ANSWER =
  "We are open from nine to five. On Saturday we close at noon. Parking is behind the house. Shall I book you a place?";
const GREETING = "Hello, how can I help you today?";

export interface FaultCallProviders {
  stt: SpeechToText;
  model: LanguageModel;
  voices: readonly [AgentVoice, ...AgentVoice[]];
  phrases: PhraseBook;
}

export interface FaultCallResult {
  /** Periods without audio while the agent owed speech. */
  silencesMs: number[];
  questions: number;
  /** Number of questions whose answer was heard word for word. */
  wholeAnswers: number;
  fillerPhrases: number;
  endReason: string | undefined;
  faults: number;
}

const speech = tone(TICK_MS, SAMPLE_RATE_HZ, 6000);
const silence = new Int16Array(speech.length);

/** One call with a caller who repeats a question; its owner calls `tick` every 20 ms. */
export class FaultCall {
  readonly result: FaultCallResult = {
    silencesMs: [],
    questions: 0,
    wholeAnswers: 0,
    fillerPhrases: 0,
    endReason: undefined,
    faults: 0,
  };
  readonly #conversation: VoiceConversation;
  #nowMs = 0;
  #askUntilMs = 0;
  /** Infinity if the agent owes nothing. */
  #owedFromMs = 0;
  #silentMs = 0;
  #quietSinceMs = 0;
  #hasAnswer = false;

  constructor({ stt, model, voices, phrases }: FaultCallProviders) {
    const [{ tts, voice }, ...fallbackVoices] = voices;
    this.#conversation = new VoiceConversation({
      sampleRateHz: SAMPLE_RATE_HZ,
      agent: {
        firstMessage: GREETING,
        firstMessageDelayMs: 0,
        startSpeaker: "agent",
        silenceEndCallTimeoutSeconds: 60,
        maxConversationDurationSeconds: 600,
        disableInterruptions: false,
        interruptionThresholdMs: 200,
        language: "en",
        voice,
        voiceSpeed: 1,
        sttKeyterms: [],
      },
      dialogue: new Dialogue({ model, instructions: "Be brief." }),
      stt,
      tts,
      fallbackVoices,
      phrases,
      vad: new EnergyVoiceActivityDetector(),
      endpointingDelayMs: ENDPOINTING_MS,
      onEvent: (event) => this.#receive(event),
    });
  }

  /** Prepares the call as a media process does before it answers. */
  async prepare(): Promise<void> {
    await this.#conversation.prepare(AbortSignal.timeout(2_500));
  }

  start(): void {
    this.#conversation.start();
  }

  tick(): void {
    if (this.result.endReason !== undefined) return;
    const isAsking = this.#nowMs < this.#askUntilMs;
    this.#conversation.hear(isAsking ? speech : silence);
    const frame = this.#conversation.nextFrame();
    this.#nowMs += TICK_MS;
    if (frame !== undefined) this.#quietSinceMs = this.#nowMs;
    if (frame !== undefined || this.#nowMs <= this.#owedFromMs) this.#endSilence();
    else this.#silentMs += TICK_MS;
    const isAnswered = this.#hasAnswer && frame === undefined;
    if (isAnswered) this.#owedFromMs = Infinity;
    if (isAnswered && !isAsking && this.#nowMs - this.#quietSinceMs >= REFLECTION_MS) this.#ask();
  }

  close(): void {
    this.#endSilence();
    this.#conversation.close();
  }

  #ask(): void {
    this.#hasAnswer = false;
    this.result.questions++;
    this.#askUntilMs = this.#nowMs + QUESTION_MS;
    this.#owedFromMs = this.#askUntilMs + ENDPOINTING_MS;
  }

  #endSilence(): void {
    if (this.#silentMs > 0) this.result.silencesMs.push(this.#silentMs);
    this.#silentMs = 0;
  }

  #receive(event: VoiceEvent): void {
    if (event.type === "fault") this.result.faults++;
    if (event.type === "ended") {
      this.#endSilence();
      this.result.endReason = event.endReason;
    }
    if (event.type !== "item" || event.item.type !== "message" || event.item.role !== "agent") return;
    const { text } = event.item;
    if (text === ANSWER) this.result.wholeAnswers++;
    if (ANSWER.startsWith(text.slice(0, 10)) || text === GREETING || text.includes("say that again"))
      this.#hasAnswer = true;
    else this.result.fillerPhrases++;
  }
}
