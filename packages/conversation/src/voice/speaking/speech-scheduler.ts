import { Volume } from "@parley/audio";
import type { Dialogue } from "../../dialogue/dialogue.ts";
import type { ToolResultEntry } from "../../dialogue/open-reply.ts";
import type { SampleRateHz } from "../../providers/speech-to-text.ts";
import type { TextToSpeech } from "../../providers/text-to-speech.ts";
import type { TranscriptEntry } from "../../transcript.ts";
import type { AgentVoice, SpeechStyle } from "./agent-voice.ts";
import type { SpeechOutcome } from "./synthesis.ts";
import { Utterance, type UtteranceOptions, phraseText } from "./utterance.ts";
import { FillerSpeech, isTextOverdue } from "./filler-speech.ts";
import type { PhraseBook } from "./speech-phrases.ts";
import type { VoiceSpeeds } from "./voice-speeds.ts";
import { emergencyTexts, textsOf } from "./speech-texts.ts";
import { isReplyAwaited } from "../turns/turn-deadlines.ts";
import type { SpeechContent, TurnEvent, TurnState } from "../turns/turn-state.ts";
import type { AgentActivity, VoiceAgentSettings, VoiceEvent } from "../voice-event.ts";

const FRAME_MS = 20;

export interface SpeechSchedulerOptions {
  sampleRateHz: SampleRateHz;
  agent: VoiceAgentSettings;
  dialogue: Dialogue;
  tts: TextToSpeech;
  /** Voices that replace the agent's own one after a failure, in this order and until the end of the call. */
  fallbackVoices: readonly AgentVoice[];
  /** Recorded phrases for provider failures; without it there are none. */
  phrases: PhraseBook | undefined;
  /** Speeds of all voices of the process. */
  speeds: VoiceSpeeds;
  /** Monotonic milliseconds, for latency figures. */
  now: () => number;
  /** Converts media time to the clock of `now`. */
  toClockMs: (mediaMs: number) => number;
  /** Milliseconds of caller audio heard. */
  mediaMs: () => number;
  /** Reports the progress of speeches to the turn policy. */
  onTurnEvent: (event: TurnEvent) => void;
  /** Adds an entry to the dialogue's history and the transcript. */
  enter: (entry: TranscriptEntry, startMs: number, endMs: number) => void;
  /** The same for a filler phrase, which follows the caller's words that it was played for. */
  enterFiller: (entry: TranscriptEntry, startMs: number, endMs: number) => void;
  onEvent: (event: VoiceEvent) => void;
}

/**
 * The agent's side of a call: plays one utterance at a time, prepares utterances ahead (the greeting, a reply to a
 * possibly complete turn), and fills the wait for them.
 */
export class SpeechScheduler {
  readonly #options: SpeechSchedulerOptions;
  readonly #style: SpeechStyle;
  readonly #filler: FillerSpeech;
  readonly #volume: Volume;
  /** Voices that have not failed; the first one is used. */
  #voices: readonly AgentVoice[];
  #utterance: Utterance | undefined;
  #speechId = 0;
  /** Prepared before the call and not played yet. */
  #greeting: Utterance | undefined;
  /** The message for a mailbox, prepared and not played yet. */
  #message: Utterance | undefined;
  /** A reply to a possibly complete turn of the caller. */
  #prepared: Utterance | undefined;
  /** Tool results that arrived after their reply; the next reply reports them. */
  #lateResults: ToolResultEntry[] = [];
  /** Faded end of an utterance that was stopped or paused. */
  #lastFrame: Int16Array | undefined;
  /** The utterance waits until it is known whether the caller interrupts it. */
  #isPaused = false;
  #agentState: AgentActivity = "listening";
  /** The agent's last message, as far as it was heard. */
  #agentText = "";
  /** Called when the agent has said what it has to say. */
  readonly #saidListeners = new Set<() => void>();

  constructor(options: SpeechSchedulerOptions) {
    const { agent, sampleRateHz, dialogue } = options;
    this.#options = options;
    this.#voices = [{ tts: options.tts, voice: agent.voice }, ...options.fallbackVoices];
    const { language, voiceSpeed: speed, voiceTemperature: temperature } = agent;
    this.#style = { sampleRateHz, language, speed, ...(temperature !== undefined && { temperature }) };
    this.#volume = new Volume(sampleRateHz, agent.voiceVolume ?? 1);
    this.#filler = new FillerSpeech({
      sampleRateHz,
      phrases: () =>
        textsOf(agent).fillers.flatMap((text) => {
          const pcm = this.#findRecording(text);
          return pcm === undefined ? [] : [{ text, pcm }];
        }),
      onSpoken: ({ text, startMs, endMs, isInterrupted }) => {
        const interrupted = isInterrupted ? { interrupted: true } : {};
        options.enterFiller({ type: "message", role: "agent", text, ...interrupted }, startMs, endMs);
      },
    });
    dialogue.onLateResult = (answer) => {
      this.#lateResults.push(answer);
      options.onTurnEvent({ type: "toolAnswered", atMs: options.mediaMs() });
    };
  }

  /** Whether frames are being handed out. */
  get isAudible(): boolean {
    return this.#agentState === "speaking";
  }

  /** Whether the utterance is silent until it is known whether the caller interrupts it. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The words around the current position of the utterance; empty if there is none. */
  get textNearby(): string {
    return this.#utterance?.textNearby ?? "";
  }

  /** Synthesizes the greeting once. Resolves when it can begin at once, when it failed, or on abort. */
  async prepareGreeting(signal: AbortSignal): Promise<void> {
    if (this.#greeting !== undefined) return;
    this.#greeting = this.#createUtterance({ type: "greeting" });
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) return;
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#greeting.ready, aborted]);
    signal.removeEventListener("abort", onAbort);
  }

  /** Starts the synthesis of the phrases for slow or failed providers that no earlier call has recorded. */
  preparePhrases(): void {
    const { agent, phrases } = this.#options;
    void phrases?.prepare(this.#voices, this.#style, emergencyTexts(agent.language, agent.phrases));
  }

  /** Prepares an answer to a possibly complete turn. It leaves no trace until it is spoken. */
  prepareReply(text: string): void {
    this.#enterLateResults();
    const prepared = this.#createUtterance({ type: "preview", text });
    this.#prepared = prepared;
    void prepared.ready.then(() => {
      if (this.#prepared !== prepared) return;
      this.#options.onTurnEvent({ type: "replyReady", atMs: this.#options.mediaMs() });
    });
  }

  /** Synthesizes the message for a mailbox. The greeting is not needed any more. */
  prepareMessage(): void {
    this.#greeting?.settle();
    this.#greeting = undefined;
    this.#message = this.#createUtterance({ type: "voicemail" });
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
    this.#utterance = reply ?? this.#takePrepared(content);
    if (this.#utterance === undefined) {
      this.#enterLateResults();
      this.#utterance = this.#createUtterance(content);
    }
    // A flow's tools wait for it.
    if (content.type === "greeting") this.#utterance.confirm(content);
    this.#showState(false);
  }

  stop(speechId: number, isInterruption: boolean): void {
    if (this.#utterance !== undefined && speechId === this.#speechId)
      this.#settle(this.#utterance, isInterruption);
  }

  /** Drops everything after the current sentence. */
  finishSentence(speechId: number): void {
    if (speechId === this.#speechId) this.#utterance?.finishSentence();
  }

  /** Silences the utterance at once, until `resume` or `stop`. */
  pause(): void {
    this.#isPaused = true;
    this.#lastFrame = faded(this.#utterance?.nextFrame(), "out");
  }

  resume(): void {
    this.#isPaused = false;
    this.#lastFrame = faded(this.#utterance?.nextFrame(), "in");
  }

  /** Ends the utterance before its last `lostMs`, which never left the process. */
  loseAudio(lostMs: number): void {
    const { mediaMs, onTurnEvent } = this.#options;
    const utterance = this.#utterance;
    const atMs = mediaMs();
    if (this.#filler.isPlaying) this.#filler.lose(lostMs, atMs);
    else if (utterance !== undefined) {
      utterance.unplay(lostMs);
      this.#settle(utterance);
      const [speechId, text] = [this.#speechId, this.#agentText];
      onTurnEvent({ type: "speechEnded", atMs, speechId, endsConversation: false, text });
    }
    // The fade would be inaudible too.
    this.#lastFrame = undefined;
    this.#showState(false);
  }

  /** Reports that no audio is handed out for a while, as while a call is on hold. */
  standStill(durationMs: number): void {
    this.#utterance?.withhold(durationMs);
    this.#showState(false);
  }

  /** See `VoiceConversation.whenSaid`. */
  async whenSaid(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => reject(signal.reason);
    this.#saidListeners.add(resolve);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      this.#saidListeners.delete(resolve);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Called once per tick of the media clock, before `nextFrame`. */
  tick(atMs: number, state: TurnState): void {
    this.#utterance?.tick(atMs);
    if (isReplyAwaited(state, atMs)) this.#prepared?.tick(atMs);
  }

  /** The agent's next 20 ms, valid until the next call; `undefined` while it is silent. */
  nextFrame(state: TurnState): Int16Array | undefined {
    const fading = this.#lastFrame;
    this.#lastFrame = undefined;
    const utterance = this.#utterance;
    const frame = fading ?? this.#speechFrame(utterance) ?? this.#fillerFrame(state);
    if (utterance !== undefined) this.#noticeEnd(utterance);
    this.#showState(frame !== undefined);
    if (frame === undefined && this.#hasSaid()) for (const resolve of this.#saidListeners) resolve();
    return frame && this.#volume.apply(frame);
  }

  /** Closes the dialogue and enters the tool results so far. Nothing is spoken afterwards. */
  finish(): void {
    this.#lateResults.push(...this.#options.dialogue.close());
    this.#enterLateResults();
  }

  /** Drops the current and the prepared utterances. Idempotent. */
  close(): void {
    this.#options.dialogue.close();
    this.#greeting?.close();
    this.#message?.close();
    this.#prepared?.close();
    this.#utterance?.close();
    this.#greeting = undefined;
    this.#message = undefined;
    this.#prepared = undefined;
    this.#utterance = undefined;
  }

  #hasSaid(): boolean {
    return this.#utterance === undefined || (!this.#isPaused && this.#utterance.hasPausedForTool);
  }

  /** Takes the prepared greeting or message; `undefined` if it failed, so that a new one is synthesized. */
  #takePrepared({ type }: SpeechContent): Utterance | undefined {
    const prepared = type === "greeting" ? this.#greeting : type === "voicemail" ? this.#message : undefined;
    if (type === "greeting") this.#greeting = undefined;
    if (type === "voicemail") this.#message = undefined;
    if (prepared?.outcome === undefined) return prepared;
    prepared.settle();
    return undefined;
  }

  #createUtterance(content: UtteranceOptions["content"]): Utterance {
    const { agent, dialogue, speeds, now, toClockMs, mediaMs, onEvent } = this.#options;
    const voices = this.#voices;
    return new Utterance({
      content,
      agent,
      dialogue,
      voices,
      style: this.#style,
      findRecording: (text) => this.#findRecording(text),
      onVoice: (index) => {
        this.#voices = voices.slice(index);
      },
      speeds,
      now,
      toClockMs,
      mediaMs,
      onEvent: (event) => {
        if (event.type === "item" && event.item.type === "message") this.#agentText = event.item.text;
        onEvent(event);
      },
    });
  }

  #speechFrame(utterance: Utterance | undefined): Int16Array | undefined {
    if (utterance === undefined) return undefined;
    if (this.#isPaused || this.#filler.isPlaying) {
      utterance.withhold(FRAME_MS);
      return undefined;
    }
    const wasAudible = utterance.isAudible;
    const frame = utterance.nextFrame();
    if (frame !== undefined) this.#filler.reset();
    if (utterance.isAudible && !wasAudible) {
      const { mediaMs, onTurnEvent } = this.#options;
      onTurnEvent({ type: "speechStarted", atMs: mediaMs(), speechId: this.#speechId });
    }
    return frame;
  }

  #fillerFrame(state: TurnState): Int16Array | undefined {
    const atMs = this.#options.mediaMs();
    const isAnswerWaiting = !this.#isPaused && this.#isAnswerDue();
    const moment = {
      atMs,
      // No filler phrase comes before the greeting.
      isSpeechDue:
        !state.isGreetingDue &&
        (isAnswerWaiting || isTextOverdue(state, atMs) || isReplyAwaited(state, atMs)),
      isToolAwaited: this.#utterance?.isAwaitingTool === true,
      isCallerSpeaking: state.isVoiced,
    };
    if (isAnswerWaiting && this.#filler.takeOverdue(moment))
      this.#options.onTurnEvent({ type: "answerOverdue", atMs, speechId: this.#speechId });
    return this.#filler.nextFrame(moment);
  }

  /**
   * Whether an answer is due that a filler phrase may bridge. An answer that has begun and waits only for its voice is
   * not: a phrase would delay it.
   */
  #isAnswerDue(): boolean {
    const utterance = this.#utterance;
    if (utterance?.isAnswer !== true) return false;
    return !(utterance.isAudible && utterance.isAwaitingVoice);
  }

  #findRecording(text: string): Int16Array | undefined {
    // A voice that failed can still be heard from its recordings.
    const { tts, agent, phrases } = this.#options;
    return phrases?.find([...this.#voices, { tts, voice: agent.voice }], this.#style, text);
  }

  #noticeEnd(utterance: Utterance): void {
    const { outcome } = utterance;
    if (this.#filler.isPlaying) return;
    if (outcome === undefined || this.#utterance !== utterance) return;
    this.#settle(utterance);
    this.#options.onTurnEvent(this.#toTurnEvent(outcome));
  }

  #toTurnEvent(outcome: SpeechOutcome): TurnEvent {
    const atMs = this.#options.mediaMs();
    const speechId = this.#speechId;
    if (outcome.type === "ended") {
      const { endsConversation, hasMore } = outcome;
      const more = hasMore ? ({ hasMore } as const) : {};
      return { type: "speechEnded", atMs, speechId, endsConversation, text: this.#agentText, ...more };
    }
    const { part, error } = outcome;
    // Without a working voice only a recorded apology can be played.
    const canApologize = this.#findRecording(phraseText("apology", this.#options.agent)) !== undefined;
    return { type: "speechFailed", atMs, speechId, part, detail: error.message, canApologize };
  }

  #settle(utterance: Utterance, isInterruption = false): void {
    this.#utterance = undefined;
    const lastFrame = utterance.settle(isInterruption);
    // A paused utterance has faded out already.
    if (!this.#isPaused) this.#lastFrame = lastFrame;
    this.#isPaused = false;
  }

  /** Enters late tool results. Called only while no reply is open, since they follow its text. */
  #enterLateResults(): void {
    const { enter, mediaMs } = this.#options;
    for (const answer of this.#lateResults.splice(0)) enter(answer, mediaMs(), mediaMs());
  }

  /** Reports `speaking` only while frames are handed out. */
  #showState(isHandingOut: boolean): void {
    const isListening = this.#utterance === undefined || this.#isPaused;
    const state = isHandingOut ? "speaking" : isListening ? "listening" : "thinking";
    if (state === this.#agentState) return;
    this.#agentState = state;
    this.#options.onEvent({ type: "state", state });
  }
}

/** Fades a frame, because a cut within a word clicks. */
function faded(frame: Int16Array | undefined, direction: "in" | "out"): Int16Array | undefined {
  return frame?.map((sample, at) => {
    const share = (at + 1) / (frame.length + 1);
    return sample * (direction === "in" ? share : 1 - share);
  });
}
