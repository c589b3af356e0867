import { randomUUID } from "node:crypto";
import type { Dialogue, ToolAnswer } from "../dialogue/dialogue.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import type { SampleRateHz, SpeechToText } from "../providers/speech-to-text.ts";
import type { TextToSpeech } from "../providers/text-to-speech.ts";
import type { TurnEndDetector, TurnEndStream } from "../providers/turn-end.ts";
import type { VoiceActivityDetector, VoiceActivityStream } from "../providers/voice-activity.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { AgentVoice, SpeechOutcome, SpeechStyle } from "./agent-speech.ts";
import { CallerHearing } from "./caller-hearing.ts";
import { Delivery, type DeliveryOptions, phraseText } from "./delivery.ts";
import { HoldingSpeech, isTextOverdue } from "./speech-holding.ts";
import type { PhraseBook } from "./speech-phrases.ts";
import { emergencyTexts, standardTexts } from "./speech-texts.ts";
import { isReplyOwed } from "./turn-deadlines.ts";
import { turnStep } from "./turn-policy.ts";
import {
  initialTurnState,
  type SpeechContent,
  type TurnEffect,
  type TurnEvent,
  type TurnSettings,
  type TurnState,
} from "./turn-state.ts";
import type { AgentState, VoiceAgentSettings, VoiceEndReason, VoiceEvent } from "./voice-event.ts";
import { VoiceGate } from "./voice-gate.ts";

export interface VoiceConversationOptions {
  sampleRateHz: SampleRateHz;
  agent: VoiceAgentSettings;
  /** Closed with the conversation. */
  dialogue: Dialogue;
  stt: SpeechToText;
  tts: TextToSpeech;
  /** Who speaks when the agent's own voice fails, in this order; from then on to the end of the call. */
  fallbackVoices?: readonly AgentVoice[];
  /** Where phrases for the failure of a provider are kept ready; without it there are none. */
  phrases?: PhraseBook;
  vad: VoiceActivityDetector;
  /** Hears whether a pause is the end of a turn; without it text and silence have to tell. */
  turnEnd?: TurnEndDetector;
  onEvent: (event: VoiceEvent) => void;
  /** Silence that ends the caller's turn; unless told, it follows what was said and how the caller pauses. */
  endpointingDelayMs?: number;
  /** Monotonic milliseconds for latency figures; `performance.now` unless told. Decisions never read it. */
  now?: () => number;
  /** Sees every event of the turn policy and what it decided: a log of them replays a call. */
  onDecision?: (event: TurnEvent, effects: readonly TurnEffect[]) => void;
}

/**
 * A conversation with audio at its edge: carries out what the turn policy decides.
 *
 * Its owner calls `hear` and then `nextFrame` once per tick of 20 ms, from `start` on and whether or not a
 * packet came (silence then). The audio heard is the clock of every deadline in it, so it holds no timers.
 */
export class VoiceConversation {
  readonly #options: VoiceConversationOptions;
  readonly #hearing: CallerHearing;
  readonly #vad: VoiceActivityStream;
  readonly #turnEnd: TurnEndStream | undefined;
  readonly #gate: VoiceGate;
  readonly #now: () => number;
  readonly #queue: TurnEvent[] = [];
  #state: TurnState;
  #isDispatching = false;
  #samplesHeard = 0;
  #wakeAtMs = Infinity;
  #delivery: Delivery | undefined;
  #speechId = 0;
  /** Those that have not failed, the one that speaks first. */
  #voices: readonly AgentVoice[];
  readonly #style: SpeechStyle;
  readonly #holding: HoldingSpeech;
  /** Prepared before the call, and not begun. */
  #greeting: Delivery | undefined;
  /** A reply to what the caller may have finished saying. */
  #prepared: Delivery | undefined;
  /** Of tools whose replies did not wait for them; the next reply tells of them. */
  #lateAnswers: ToolAnswer[] = [];
  /** The faded end of a speech that was stopped or paused. */
  #lastFrame: Int16Array | undefined;
  /** The speech waits until it is known whether the caller interrupts it. */
  #isHeld = false;
  #agentState: AgentState = "listening";
  /** The agent's last message, as far as it was heard. */
  #agentText = "";
  #isStarted = false;
  #isOver = false;

  constructor(options: VoiceConversationOptions) {
    const { agent, sampleRateHz } = options;
    this.#options = options;
    this.#gate = new VoiceGate(sampleRateHz);
    this.#now = options.now ?? performance.now.bind(performance);
    this.#voices = [{ tts: options.tts, voice: agent.voice }, ...(options.fallbackVoices ?? [])];
    this.#style = { sampleRateHz, language: agent.language, speed: agent.voiceSpeed };
    this.#holding = new HoldingSpeech({
      sampleRateHz,
      phrases: () =>
        standardTexts(agent.language).holding.flatMap((text) => {
          const pcm = this.#recordingOf(text);
          return pcm === undefined ? [] : [{ text, pcm }];
        }),
      onSaid: ({ text, startMs, endMs, isWhole }) => {
        const interrupted = isWhole ? {} : { interrupted: true };
        this.#enter({ type: "message", role: "agent", text, ...interrupted }, startMs, endMs);
      },
    });
    this.#state = initialTurnState({
      startSpeaker: agent.startSpeaker,
      hasGreeting: agent.firstMessageMode === "generated" || agent.firstMessage.trim() !== "",
      firstMessageDelayMs: agent.firstMessageDelayMs,
      endpointingDelayMs: options.endpointingDelayMs,
      language: agent.language,
      interruptionThresholdMs: agent.interruptionThresholdMs,
      disableInterruptions: agent.disableInterruptions,
      interruptionIgnoreWords: agent.interruptionIgnoreWords ?? [],
      minInterruptionWords: agent.minInterruptionWords ?? 0,
      turnTimeoutMs: (agent.turnTimeoutSeconds ?? Infinity) * 1000,
      silenceLimitMs: agent.silenceEndCallTimeoutSeconds * 1000,
      maxDurationMs: agent.maxConversationDurationSeconds * 1000,
    });
    this.#hearing = new CallerHearing({
      stt: options.stt,
      stream: { sampleRateHz, language: agent.language, keyterms: agent.sttKeyterms },
      onText: (flushId, text) => {
        const agentText = this.#delivery?.textNearby ?? "";
        this.#dispatch({ type: "transcribed", atMs: this.#mediaMs, flushId, text, agentText });
      },
      onRecovered: ({ provider, message }) =>
        options.onEvent({ type: "fault", part: "stt", provider, message }),
      onLost: (error, isFatal) => this.#loseHearing(error, isFatal),
    });
    const { turnEnd } = options;
    this.#turnEnd = turnEnd?.isAble(agent.language)
      ? turnEnd.open({
          sampleRateHz,
          onProbability: (requestId, probability) =>
            this.#dispatch({ type: "turnJudged", atMs: this.#mediaMs, requestId, probability }),
        })
      : undefined;
    options.dialogue.onLateAnswer = (answer) => {
      this.#lateAnswers.push(answer);
      this.#dispatch({ type: "toolAnswered", atMs: this.#mediaMs });
    };
    this.#vad = options.vad.open({
      sampleRateHz,
      onProbability: (probability, endSample) => {
        const near = this.#gate.pass(probability, endSample, this.#agentState === "speaking");
        const windowEndMs = this.#toMs(endSample);
        this.#dispatch({ type: "voice", atMs: this.#mediaMs, windowEndMs, probability: near });
      },
    });
  }

  /**
   * Makes ready before the call is answered: opens the recogniser and synthesises the greeting. Resolves when
   * the greeting can begin at once, when that failed (told as a `fault`; `start` tries again), or on abort.
   */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.#isOver) return;
    this.#hearing.open();
    const { startSpeaker, hasGreeting } = this.#state.settings;
    if (startSpeaker !== "agent" || !hasGreeting || this.#greeting !== undefined) return;
    this.#greeting = this.#deliver({ type: "greeting" });
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) return;
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#greeting.ready, aborted]);
    signal.removeEventListener("abort", onAbort);
  }

  /** Media flows: the conversation begins. */
  start(): void {
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    this.#hearing.open();
    this.#dispatch({ type: "start", atMs: this.#mediaMs });
    const { agent } = this.#options;
    const texts = [...emergencyTexts(agent.language), phraseText("apology", agent)];
    void this.#options.phrases?.prepare(this.#voices, this.#style, texts);
  }

  /** 20 ms of the caller's audio, or silence where none came. The buffer is the owner's again on return. */
  hear(pcm: Int16Array): void {
    if (!this.#isStarted || this.#isOver) return;
    this.#samplesHeard += pcm.length;
    this.#hearing.write(pcm);
    this.#gate.write(pcm);
    this.#turnEnd?.write(pcm);
    this.#vad.write(pcm);
    const atMs = this.#mediaMs;
    this.#delivery?.tick(atMs);
    if (isReplyOwed(this.#state, atMs)) this.#prepared?.tick(atMs);
    if (atMs >= this.#wakeAtMs) {
      this.#wakeAtMs = Infinity;
      this.#dispatch({ type: "timer", atMs });
    }
  }

  /** The agent's next 20 ms, valid until the next call; undefined while it is silent. */
  nextFrame(): Int16Array | undefined {
    if (this.#isOver) return undefined;
    const fading = this.#lastFrame;
    this.#lastFrame = undefined;
    const delivery = this.#delivery;
    const frame = fading ?? this.#speechFrame(delivery) ?? this.#holdingFrame();
    if (delivery !== undefined) this.#noticeEnd(delivery);
    this.#showState(frame !== undefined);
    return frame;
  }

  /** The caller pressed a key: `0`–`9`, `*`, `#`, `A`–`D`. The agent sees it with the caller's next words. */
  dtmf(digit: string): void {
    if (!this.#isStarted || this.#isOver) return;
    this.#enter({ type: "dtmf", text: digit }, this.#mediaMs, this.#mediaMs);
    this.#dispatch({ type: "key", atMs: this.#mediaMs });
  }

  /** Ends the conversation for a reason from outside; `ended` is told before this returns, unless it has been. */
  end(reason: VoiceEndReason, detail?: string): void {
    this.#dispatch({ type: "hangup", atMs: this.#mediaMs, reason, ...(detail !== undefined && { detail }) });
  }

  /** Releases everything. No event follows, so `end` comes first where the end is to be told. Idempotent. */
  close(): void {
    this.#isOver = true;
    this.#options.dialogue.close();
    this.#vad.close();
    this.#turnEnd?.close();
    this.#hearing.close();
    this.#greeting?.close();
    this.#prepared?.close();
    this.#delivery?.close();
    this.#greeting = undefined;
    this.#prepared = undefined;
    this.#delivery = undefined;
  }

  /** What the turn policy goes by: the head of a log of its decisions. */
  get turnSettings(): TurnSettings {
    return this.#state.settings;
  }

  get #mediaMs(): number {
    return this.#toMs(this.#samplesHeard);
  }

  #toMs(samples: number): number {
    return (samples * 1000) / this.#options.sampleRateHz;
  }

  // ─── decisions ───

  /** Events that arise while effects are carried out wait for their turn. */
  #dispatch(event: TurnEvent): void {
    if (this.#isOver) return;
    if (this.#isDispatching) {
      this.#queue.push(event);
      return;
    }
    this.#isDispatching = true;
    try {
      this.#step(event);
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#step(next);
    } catch (error) {
      // A fault of ours or of an adapter costs this call alone.
      this.#finish("error_internal", error instanceof Error ? error.message : String(error));
    } finally {
      this.#isDispatching = false;
    }
  }

  #step(event: TurnEvent): void {
    const { state, effects } = turnStep(this.#state, event);
    this.#state = state;
    this.#options.onDecision?.(event, effects);
    for (const effect of effects) this.#execute(effect);
  }

  #execute(effect: TurnEffect): void {
    switch (effect.type) {
      case "startUtterance":
        this.#turnEnd?.startUtterance(effect.leadMs);
        return this.#hearing.startUtterance(effect.leadMs);
      case "flush":
        return this.#hearing.flush(effect.flushId);
      case "judgeTurn":
        return this.#turnEnd?.judge(effect.requestId);
      case "endUtterance":
        return this.#hearing.endUtterance();
      case "callerTurn": {
        const { text, startMs, endMs } = effect.turn;
        return this.#enter({ type: "message", role: "user", text }, startMs, endMs);
      }
      case "prepareReply":
        return this.#prepare(effect.text);
      case "dropReply":
        this.#prepared?.settle();
        this.#prepared = undefined;
        return;
      case "speak":
        return this.#speak(effect.speechId, effect.content);
      case "stopSpeech":
        if (this.#delivery !== undefined && effect.speechId === this.#speechId) this.#settle(this.#delivery);
        return;
      case "pauseSpeech":
        this.#isHeld = true;
        this.#lastFrame = faded(this.#delivery?.nextFrame(), "out");
        return;
      case "resumeSpeech":
        this.#isHeld = false;
        this.#lastFrame = faded(this.#delivery?.nextFrame(), "in");
        return;
      case "wakeAt":
        this.#wakeAtMs = effect.atMs;
        return;
      case "end":
        return this.#finish(effect.reason, effect.detail);
    }
  }

  #loseHearing(error: ProviderError, isFatal: boolean): void {
    const { provider, message } = error;
    this.#options.onEvent({ type: "fault", part: "stt", provider, message });
    this.#dispatch({ type: "hearingLost", atMs: this.#mediaMs, isFatal, detail: error.message });
  }

  #finish(endReason: VoiceEndReason, endDetail: string | undefined): void {
    this.#queue.length = 0;
    this.#lateAnswers.push(...this.#options.dialogue.close());
    this.#enterLateAnswers();
    this.close();
    this.#options.onEvent({ type: "ended", endReason, ...(endDetail !== undefined && { endDetail }) });
  }

  // ─── speech ───

  #prepare(text: string): void {
    this.#enterLateAnswers();
    const prepared = this.#deliver({ type: "preview", text });
    this.#prepared = prepared;
    void prepared.ready.then(() => {
      if (this.#prepared === prepared) this.#dispatch({ type: "replyReady", atMs: this.#mediaMs });
    });
  }

  #speak(speechId: number, content: SpeechContent): void {
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

  /** A greeting that has failed already is made once more. */
  #takeGreeting(): Delivery | undefined {
    const greeting = this.#greeting;
    this.#greeting = undefined;
    if (greeting?.outcome === undefined) return greeting;
    greeting.settle();
    return undefined;
  }

  #deliver(content: DeliveryOptions["content"]): Delivery {
    const { agent, dialogue, onEvent } = this.#options;
    const voices = this.#voices;
    return new Delivery({
      content,
      agent,
      dialogue,
      voices,
      style: this.#style,
      recordingOf: (text) => this.#recordingOf(text),
      onVoice: (index) => {
        this.#voices = voices.slice(index);
      },
      now: this.#now,
      mediaMs: () => this.#mediaMs,
      onEvent: (event) => {
        if (this.#isOver) return;
        if (event.type === "item" && event.item.type === "message") this.#agentText = event.item.text;
        onEvent(event);
      },
    });
  }

  #speechFrame(delivery: Delivery | undefined): Int16Array | undefined {
    if (delivery === undefined || this.#isHeld || this.#holding.isPlaying) return undefined;
    const wasAudible = delivery.isAudible;
    const frame = delivery.nextFrame();
    if (frame !== undefined) this.#holding.reset();
    if (delivery.isAudible && !wasAudible) {
      this.#dispatch({ type: "speechStarted", atMs: this.#mediaMs, speechId: this.#speechId });
    }
    return frame;
  }

  #holdingFrame(): Int16Array | undefined {
    const atMs = this.#mediaMs;
    const isSpeechOwed = this.#delivery !== undefined && !this.#isHeld;
    return this.#holding.nextFrame({
      atMs,
      isOwed: isSpeechOwed || isTextOverdue(this.#state, atMs) || isReplyOwed(this.#state, atMs),
      isToolAwaited: this.#delivery?.isAwaitingTool === true,
      isCallerSpeaking: this.#state.isVoiced,
    });
  }

  #recordingOf(text: string): Int16Array | undefined {
    // A voice that has failed is still good for what it said before.
    const { tts, agent, phrases } = this.#options;
    return phrases?.find([...this.#voices, { tts, voice: agent.voice }], this.#style, text);
  }

  #noticeEnd(delivery: Delivery): void {
    const { outcome } = delivery;
    if (this.#holding.isPlaying) return;
    if (outcome === undefined || this.#delivery !== delivery) return;
    this.#settle(delivery);
    this.#dispatch(this.#toTurnEvent(outcome));
  }

  #toTurnEvent(outcome: SpeechOutcome): TurnEvent {
    const atMs = this.#mediaMs;
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

  #settle(delivery: Delivery): void {
    this.#delivery = undefined;
    const lastFrame = delivery.settle();
    // A speech that is silent already has faded out.
    if (!this.#isHeld) this.#lastFrame = lastFrame;
    this.#isHeld = false;
  }

  // ─── what the owner is told ───

  /** Adds what the caller did to the dialogue's history and the transcript. */
  #enter(entry: TranscriptEntry, startMs: number, endMs: number): void {
    this.#options.dialogue.record(entry);
    this.#options.onEvent({ type: "item", item: { ...entry, id: randomUUID(), startMs, endMs } });
  }

  /** Only while no reply is open: they come after what it says. */
  #enterLateAnswers(): void {
    for (const answer of this.#lateAnswers.splice(0)) this.#enter(answer, this.#mediaMs, this.#mediaMs);
  }

  /** `speaking` only while frames are really handed out. */
  #showState(isHandingOut: boolean): void {
    const isListening = this.#delivery === undefined || this.#isHeld;
    const state = isHandingOut ? "speaking" : isListening ? "listening" : "thinking";
    if (state === this.#agentState || this.#isOver) return;
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
