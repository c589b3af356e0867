import type { Dialogue, ToolAnswer } from "../../dialogue/dialogue.ts";
import type { SampleRateHz } from "../../providers/speech-to-text.ts";
import type { TextToSpeech } from "../../providers/text-to-speech.ts";
import type { TranscriptEntry } from "../../transcript.ts";
import type { AgentVoice, SpeechOutcome, SpeechStyle } from "./synthesis.ts";
import { Utterance, type DeliveryOptions, phraseText } from "./utterance.ts";
import { FillerSpeech, isTextOverdue } from "./filler-speech.ts";
import type { PhraseBook } from "./speech-phrases.ts";
import type { VoiceSpeeds } from "./voice-speeds.ts";
import { emergencyTexts, standardTexts } from "./speech-texts.ts";
import { isReplyOwed } from "../turns/turn-deadlines.ts";
import type { SpeechContent, TurnEvent, TurnState } from "../turns/turn-state.ts";
import type { AgentState, VoiceAgentSettings, VoiceEvent } from "../voice-event.ts";

export interface SpeechSchedulerOptions {
  sampleRateHz: SampleRateHz;
  agent: VoiceAgentSettings;
  dialogue: Dialogue;
  tts: TextToSpeech;
  /** Who speaks when the agent's own voice fails, in this order; from then on to the end of the call. */
  fallbackVoices: readonly AgentVoice[];
  /** Where phrases for the failure of a provider are kept ready; without it there are none. */
  phrases: PhraseBook | undefined;
  /** Of all voices of the process. */
  speeds: VoiceSpeeds;
  /** Monotonic milliseconds, for latency figures. */
  now: () => number;
  /** When, by `now`, so much caller audio had been heard. */
  timeOf: (mediaMs: number) => number;
  /** Milliseconds of caller audio heard. */
  mediaMs: () => number;
  /** What has become of what was to be said, for the turn policy. */
  onTurnEvent: (event: TurnEvent) => void;
  /** Adds something to the dialogue's history and the transcript. */
  enter: (entry: TranscriptEntry, startMs: number, endMs: number) => void;
  /** Adds a filler phrase likewise, after the caller's words that it was said for. */
  enterFiller: (entry: TranscriptEntry, startMs: number, endMs: number) => void;
  onEvent: (event: VoiceEvent) => void;
}

/**
 * The agent's side of a call: one speech at a time on its way to the caller's ear, what is made ready before it is
 * wanted (the greeting, a reply to what may be the caller's whole turn), and what fills the wait for it.
 */
export class SpeechScheduler {
  readonly #options: SpeechSchedulerOptions;
  readonly #style: SpeechStyle;
  readonly #holding: FillerSpeech;
  /** Those that have not failed, the one that speaks first. */
  #voices: readonly AgentVoice[];
  #delivery: Utterance | undefined;
  #speechId = 0;
  /** Prepared before the call, and not begun. */
  #greeting: Utterance | undefined;
  /** A reply to what the caller may have finished saying. */
  #prepared: Utterance | undefined;
  /** Of tools whose replies did not wait for them; the next reply tells of them. */
  #lateAnswers: ToolAnswer[] = [];
  /** The faded end of a speech that was stopped or paused. */
  #lastFrame: Int16Array | undefined;
  /** The speech waits until it is known whether the caller interrupts it. */
  #isHeld = false;
  #agentState: AgentState = "listening";
  /** The agent's last message, as far as it was heard. */
  #agentText = "";

  constructor(options: SpeechSchedulerOptions) {
    const { agent, sampleRateHz, dialogue } = options;
    this.#options = options;
    this.#voices = [{ tts: options.tts, voice: agent.voice }, ...options.fallbackVoices];
    this.#style = { sampleRateHz, language: agent.language, speed: agent.voiceSpeed };
    this.#holding = new FillerSpeech({
      sampleRateHz,
      phrases: () =>
        standardTexts(agent.language).holding.flatMap((text) => {
          const pcm = this.#recordingOf(text);
          return pcm === undefined ? [] : [{ text, pcm }];
        }),
      onSaid: ({ text, startMs, endMs, isWhole }) => {
        const interrupted = isWhole ? {} : { interrupted: true };
        options.enterFiller({ type: "message", role: "agent", text, ...interrupted }, startMs, endMs);
      },
    });
    dialogue.onLateAnswer = (answer) => {
      this.#lateAnswers.push(answer);
      options.onTurnEvent({ type: "toolAnswered", atMs: options.mediaMs() });
    };
  }

  /** Frames of it are really handed out. */
  get isHeard(): boolean {
    return this.#agentState === "speaking";
  }

  /** It is silent until it is known whether the caller interrupts it. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** What is being said about now; empty while nothing is. */
  get textNearby(): string {
    return this.#delivery?.textNearby ?? "";
  }

  /** Synthesises the greeting, unless that was begun; resolves when it can begin at once or has failed, or on abort. */
  async prepareGreeting(signal: AbortSignal): Promise<void> {
    if (this.#greeting !== undefined) return;
    this.#greeting = this.#deliver({ type: "greeting" });
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) return;
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#greeting.ready, aborted]);
    signal.removeEventListener("abort", onAbort);
  }

  /** Has what is said when a provider fails or is slow synthesised, where no call has done so before. */
  preparePhrases(): void {
    const { agent, phrases } = this.#options;
    const texts = [...emergencyTexts(agent.language), phraseText("apology", agent)];
    void phrases?.prepare(this.#voices, this.#style, texts);
  }

  /** Begins the answer to what the caller may have finished saying, without a trace until it is spoken. */
  prepareReply(text: string): void {
    this.#enterLateAnswers();
    const prepared = this.#deliver({ type: "preview", text });
    this.#prepared = prepared;
    void prepared.ready.then(() => {
      if (this.#prepared !== prepared) return;
      this.#options.onTurnEvent({ type: "replyReady", atMs: this.#options.mediaMs() });
    });
  }

  dropReply(): void {
    this.#prepared?.settle();
    this.#prepared = undefined;
  }

  speak(speechId: number, content: SpeechContent): void {
    this.#prepared?.confirm(content);
    const reply = this.#prepared;
    this.#prepared = undefined;
    this.#speechId = speechId;
    this.#delivery = reply ?? (content.type === "greeting" ? this.#takeGreeting() : undefined);
    if (this.#delivery === undefined) {
      this.#enterLateAnswers();
      this.#delivery = this.#deliver(content);
    }
    this.#showState(false);
  }

  stop(speechId: number): void {
    if (this.#delivery !== undefined && speechId === this.#speechId) this.#settle(this.#delivery);
  }

  /** What follows the sentence that is being said is dropped. */
  finishSentence(speechId: number): void {
    if (speechId === this.#speechId) this.#delivery?.finishSentence();
  }

  /** Silent at once, until `resume` or `stop`. */
  pause(): void {
    this.#isHeld = true;
    this.#lastFrame = faded(this.#delivery?.nextFrame(), "out");
  }

  resume(): void {
    this.#isHeld = false;
    this.#lastFrame = faded(this.#delivery?.nextFrame(), "in");
  }

  /** The last `lostMs` of what was handed out never left: what is being said has ended there. */
  loseAudio(lostMs: number): void {
    const { mediaMs, onTurnEvent } = this.#options;
    const delivery = this.#delivery;
    const atMs = mediaMs();
    if (this.#holding.isPlaying) this.#holding.lose(lostMs, atMs);
    else if (delivery !== undefined) {
      delivery.unplay(lostMs);
      this.#settle(delivery);
      const [speechId, text] = [this.#speechId, this.#agentText];
      onTurnEvent({ type: "speechEnded", atMs, speechId, endsConversation: false, text });
    }
    // Nobody would hear it fade.
    this.#lastFrame = undefined;
    this.#showState(false);
  }

  /** Nothing is handed out at present, whatever there is to say. */
  standStill(): void {
    this.#showState(false);
  }

  /** Once per tick of the media clock, before `nextFrame`. */
  tick(atMs: number, state: TurnState): void {
    this.#delivery?.tick(atMs);
    if (isReplyOwed(state, atMs)) this.#prepared?.tick(atMs);
  }

  /** The agent's next 20 ms, valid until the next call; undefined while it is silent. */
  nextFrame(state: TurnState): Int16Array | undefined {
    const fading = this.#lastFrame;
    this.#lastFrame = undefined;
    const delivery = this.#delivery;
    const frame = fading ?? this.#speechFrame(delivery) ?? this.#holdingFrame(state);
    if (delivery !== undefined) this.#noticeEnd(delivery);
    this.#showState(frame !== undefined);
    return frame;
  }

  /** Ends the dialogue, and enters what its tools have answered by now. Nothing is said from here on. */
  finish(): void {
    this.#lateAnswers.push(...this.#options.dialogue.close());
    this.#enterLateAnswers();
  }

  /** Drops what is being said or made ready. Idempotent. */
  close(): void {
    this.#options.dialogue.close();
    this.#greeting?.close();
    this.#prepared?.close();
    this.#delivery?.close();
    this.#greeting = undefined;
    this.#prepared = undefined;
    this.#delivery = undefined;
  }

  /** A greeting that has failed already is made once more. */
  #takeGreeting(): Utterance | undefined {
    const greeting = this.#greeting;
    this.#greeting = undefined;
    if (greeting?.outcome === undefined) return greeting;
    greeting.settle();
    return undefined;
  }

  #deliver(content: DeliveryOptions["content"]): Utterance {
    const { agent, dialogue, speeds, now, timeOf, mediaMs, onEvent } = this.#options;
    const voices = this.#voices;
    return new Utterance({
      content,
      agent,
      dialogue,
      voices,
      style: this.#style,
      recordingOf: (text) => this.#recordingOf(text),
      onVoice: (index) => {
        this.#voices = voices.slice(index);
      },
      speeds,
      now,
      timeOf,
      mediaMs,
      onEvent: (event) => {
        if (event.type === "item" && event.item.type === "message") this.#agentText = event.item.text;
        onEvent(event);
      },
    });
  }

  #speechFrame(delivery: Utterance | undefined): Int16Array | undefined {
    if (delivery === undefined || this.#isHeld || this.#holding.isPlaying) return undefined;
    const wasAudible = delivery.isAudible;
    const frame = delivery.nextFrame();
    if (frame !== undefined) this.#holding.reset();
    if (delivery.isAudible && !wasAudible) {
      const { mediaMs, onTurnEvent } = this.#options;
      onTurnEvent({ type: "speechStarted", atMs: mediaMs(), speechId: this.#speechId });
    }
    return frame;
  }

  #holdingFrame(state: TurnState): Int16Array | undefined {
    const atMs = this.#options.mediaMs();
    const isSpeechOwed = !this.#isHeld && this.#isAnswerOwed();
    return this.#holding.nextFrame({
      atMs,
      // The greeting is the first that is said.
      isOwed:
        !state.isGreetingDue && (isSpeechOwed || isTextOverdue(state, atMs) || isReplyOwed(state, atMs)),
      isToolAwaited: this.#delivery?.isAwaitingTool === true,
      isCallerSpeaking: state.isVoiced,
    });
  }

  /** An answer that has begun goes on by itself where only its voice is slow: "one moment" would make it later still. */
  #isAnswerOwed(): boolean {
    const delivery = this.#delivery;
    if (delivery?.isAnswer !== true) return false;
    return !(delivery.isAudible && delivery.isAwaitingVoice);
  }

  #recordingOf(text: string): Int16Array | undefined {
    // A voice that has failed is still good for what it said before.
    const { tts, agent, phrases } = this.#options;
    return phrases?.find([...this.#voices, { tts, voice: agent.voice }], this.#style, text);
  }

  #noticeEnd(delivery: Utterance): void {
    const { outcome } = delivery;
    if (this.#holding.isPlaying) return;
    if (outcome === undefined || this.#delivery !== delivery) return;
    this.#settle(delivery);
    this.#options.onTurnEvent(this.#toTurnEvent(outcome));
  }

  #toTurnEvent(outcome: SpeechOutcome): TurnEvent {
    const atMs = this.#options.mediaMs();
    const speechId = this.#speechId;
    if (outcome.type === "ended") {
      const { endsConversation } = outcome;
      return { type: "speechEnded", atMs, speechId, endsConversation, text: this.#agentText };
    }
    const { part, error } = outcome;
    // A voice that failed cannot say that it did; a recording of it can.
    const canApologize = this.#recordingOf(phraseText("apology", this.#options.agent)) !== undefined;
    return { type: "speechFailed", atMs, speechId, part, detail: error.message, canApologize };
  }

  #settle(delivery: Utterance): void {
    this.#delivery = undefined;
    const lastFrame = delivery.settle();
    // A speech that is silent already has faded out.
    if (!this.#isHeld) this.#lastFrame = lastFrame;
    this.#isHeld = false;
  }

  /** Only while no reply is open: they come after what it says. */
  #enterLateAnswers(): void {
    const { enter, mediaMs } = this.#options;
    for (const answer of this.#lateAnswers.splice(0)) enter(answer, mediaMs(), mediaMs());
  }

  /** `speaking` only while frames are really handed out. */
  #showState(isHandingOut: boolean): void {
    const isListening = this.#delivery === undefined || this.#isHeld;
    const state = isHandingOut ? "speaking" : isListening ? "listening" : "thinking";
    if (state === this.#agentState) return;
    this.#agentState = state;
    this.#options.onEvent({ type: "state", state });
  }
}

/** A speech that falls silent in a word, or goes on in one, clicks unless it fades. */
function faded(frame: Int16Array | undefined, direction: "in" | "out"): Int16Array | undefined {
  return frame?.map((sample, at) => {
    const share = (at + 1) / (frame.length + 1);
    return sample * (direction === "in" ? share : 1 - share);
  });
}
