import { randomUUID } from "node:crypto";
import type { Dialogue, Reply } from "../dialogue/dialogue.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import type { SampleRateHz, SpeechToText } from "../providers/speech-to-text.ts";
import type { TextToSpeech } from "../providers/text-to-speech.ts";
import type { VoiceActivityDetector, VoiceActivityStream } from "../providers/voice-activity.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { AgentSpeech, type SpeechOutcome } from "./agent-speech.ts";
import { CallerHearing } from "./caller-hearing.ts";
import { SpeechTranscript } from "./speech-transcript.ts";
import {
  DEFAULT_ENDPOINTING_DELAY_MS,
  initialTurnState,
  turnStep,
  type CallerTurn,
  type SpeechContent,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
} from "./turn-policy.ts";
import type { AgentState, ProviderPart, VoiceEndReason, VoiceEvent } from "./voice-event.ts";

/** What of an agent's configuration matters to a voice conversation; texts have their variables filled in. */
export interface VoiceAgentSettings {
  /** Empty: the agent waits for the caller. */
  firstMessage: string;
  firstMessageDelayMs: number;
  startSpeaker: "agent" | "user";
  silenceEndCallTimeoutSeconds: number;
  maxConversationDurationSeconds: number;
  disableInterruptions: boolean;
  interruptionThresholdMs: number;
  /** BCP 47. */
  language: string;
  /** In the naming of the speech provider. */
  voice: string;
  voiceSpeed: number;
  sttKeyterms: readonly string[];
  /** Said before a call ends because a provider failed. */
  apologyMessage?: string;
  /** Said when what the caller said was lost. */
  repeatRequestMessage?: string;
}

export interface VoiceConversationOptions {
  sampleRateHz: SampleRateHz;
  agent: VoiceAgentSettings;
  dialogue: Dialogue;
  stt: SpeechToText;
  tts: TextToSpeech;
  vad: VoiceActivityDetector;
  onEvent: (event: VoiceEvent) => void;
  /** Silence that ends the caller's turn; 600 ms unless told. */
  endpointingDelayMs?: number;
  /** Monotonic milliseconds for latency figures; `performance.now` unless told. Decisions never read it. */
  now?: () => number;
  /** Sees every event of the turn policy and what it decided: a log of them replays a call. */
  onDecision?: (event: TurnEvent, effects: readonly TurnEffect[]) => void;
}

const FRAME_MS = 20;
const APOLOGY = "I'm sorry, I'm having technical difficulties. Please try again later. Goodbye.";
const REPEAT_REQUEST = "I'm sorry, could you say that again?";

/** A speech under way, and what its end is entered under. */
interface Speaking {
  speechId: number;
  speech: AgentSpeech;
  transcript: SpeechTranscript;
  reply: Reply | undefined;
  /** The caller's turn that it answers, and when that was decided. */
  answers: { turn: CallerTurn; decidedAtMs: number; decidedAt: number } | undefined;
  isAudible: boolean;
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
  readonly #now: () => number;
  readonly #queue: TurnEvent[] = [];
  #state: TurnState;
  #isDispatching = false;
  #samplesHeard = 0;
  #wakeAtMs = Infinity;
  #speaking: Speaking | undefined;
  #greeting: Speaking | undefined;
  /** The faded end of a speech that was stopped. */
  #lastFrame: Int16Array | undefined;
  #agentState: AgentState = "listening";
  #isStarted = false;
  #isOver = false;

  constructor(options: VoiceConversationOptions) {
    const { agent, sampleRateHz } = options;
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#state = initialTurnState({
      startSpeaker: agent.startSpeaker,
      hasGreeting: agent.firstMessage.trim() !== "",
      firstMessageDelayMs: agent.firstMessageDelayMs,
      endpointingDelayMs: options.endpointingDelayMs ?? DEFAULT_ENDPOINTING_DELAY_MS,
      interruptionThresholdMs: agent.interruptionThresholdMs,
      disableInterruptions: agent.disableInterruptions,
      silenceLimitMs: agent.silenceEndCallTimeoutSeconds * 1000,
      maxDurationMs: agent.maxConversationDurationSeconds * 1000,
    });
    this.#hearing = new CallerHearing({
      stt: options.stt,
      stream: { sampleRateHz, language: agent.language, keyterms: agent.sttKeyterms },
      onText: (flushId, text) => this.#dispatch({ type: "transcribed", atMs: this.#mediaMs, flushId, text }),
      onLost: (error, isFatal) => this.#loseHearing(error, isFatal),
    });
    this.#vad = options.vad.open({
      sampleRateHz,
      onProbability: (probability, endSample) => {
        const windowEndMs = this.#toMs(endSample);
        this.#dispatch({ type: "voice", atMs: this.#mediaMs, windowEndMs, probability });
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
    this.#greeting = this.#openSpeech(0, { type: "greeting" });
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) return;
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#greeting.speech.ready, aborted]);
    signal.removeEventListener("abort", onAbort);
  }

  /** Media flows: the conversation begins. */
  start(): void {
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    this.#hearing.open();
    this.#dispatch({ type: "start", atMs: this.#mediaMs });
  }

  /** 20 ms of the caller's audio, or silence where none came. The buffer is the owner's again on return. */
  hear(pcm: Int16Array): void {
    if (!this.#isStarted || this.#isOver) return;
    this.#samplesHeard += pcm.length;
    this.#hearing.write(pcm);
    this.#vad.write(pcm);
    const atMs = this.#mediaMs;
    this.#speaking?.speech.tick(atMs);
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
    const speaking = this.#speaking;
    const frame = fading ?? (speaking === undefined ? undefined : this.#playFrame(speaking));
    if (speaking !== undefined) this.#noticeEnd(speaking);
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
    this.#vad.close();
    this.#hearing.close();
    this.#greeting?.speech.close();
    this.#speaking?.speech.close();
    this.#greeting = undefined;
    this.#speaking = undefined;
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
    this.#queue.push(event);
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    try {
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
        return this.#hearing.startUtterance(effect.leadMs);
      case "flush":
        return this.#hearing.flush(effect.flushId);
      case "endUtterance":
        return this.#hearing.endUtterance();
      case "callerTurn": {
        const { text, startMs, endMs } = effect.turn;
        return this.#enter({ type: "message", role: "user", text }, startMs, endMs);
      }
      case "speak":
        return this.#speak(effect.speechId, effect.content);
      case "stopSpeech":
        return this.#stopSpeech(effect.speechId);
      case "wakeAt":
        this.#wakeAtMs = effect.atMs;
        return;
      case "end":
        return this.#finish(effect.reason, effect.detail);
    }
  }

  #loseHearing(error: ProviderError, isFatal: boolean): void {
    this.#fault("stt", error);
    this.#dispatch({ type: "hearingLost", atMs: this.#mediaMs, isFatal, detail: error.message });
  }

  #finish(endReason: VoiceEndReason, endDetail: string | undefined): void {
    this.#queue.length = 0;
    this.close();
    this.#options.onEvent({ type: "ended", endReason, ...(endDetail !== undefined && { endDetail }) });
  }

  // ─── speech ───

  #speak(speechId: number, content: SpeechContent): void {
    const prepared = content.type === "greeting" ? this.#greeting : undefined;
    this.#greeting = undefined;
    if (prepared !== undefined && prepared.speech.outcome === undefined) {
      prepared.speechId = speechId;
      this.#speaking = prepared;
    } else {
      prepared?.speech.close();
      this.#speaking = this.#openSpeech(speechId, content);
    }
    this.#showState(false);
  }

  #openSpeech(speechId: number, content: SpeechContent): Speaking {
    const { tts, sampleRateHz, agent, dialogue } = this.#options;
    const controller = new AbortController();
    const reply = content.type === "reply" ? dialogue.respond({ type: "continue" }, controller) : undefined;
    const transcript = new SpeechTranscript();
    const speech = new AgentSpeech({
      tts,
      voice: { voice: agent.voice, sampleRateHz, language: agent.language, speed: agent.voiceSpeed },
      source: reply ?? this.#fixedText(content),
      controller,
      now: this.#now,
      onMessage: (segment) => transcript.addMessage(segment),
      onTool: (part) => {
        const { toolCallId, toolName } = part;
        const entry: TranscriptEntry =
          part.type === "toolCall"
            ? { type: "tool_call", toolCallId, toolName, text: part.input }
            : { type: "tool_result", toolCallId, toolName, text: part.output, isError: part.isError };
        transcript.addEntry(entry, this.#mediaMs);
      },
      onFault: (part, error) => this.#fault(part, error),
    });
    const turn = content.type === "reply" ? content.turn : undefined;
    const answers = turn && { turn, decidedAtMs: this.#mediaMs, decidedAt: this.#now() };
    return { speechId, speech, transcript, reply, answers, isAudible: false };
  }

  #fixedText(content: SpeechContent): string {
    const { firstMessage, apologyMessage, repeatRequestMessage } = this.#options.agent;
    if (content.type !== "phrase") return firstMessage;
    return content.phrase === "apology"
      ? (apologyMessage ?? APOLOGY)
      : (repeatRequestMessage ?? REPEAT_REQUEST);
  }

  #playFrame(speaking: Speaking): Int16Array | undefined {
    const { speech, transcript, speechId } = speaking;
    const segment = speech.output.playingSegment;
    const frame = speech.output.nextFrame();
    if (frame === undefined || segment === undefined) return undefined;
    const atMs = this.#mediaMs;
    const begunId = transcript.markFrame(segment, atMs, atMs + FRAME_MS);
    if (begunId !== undefined) {
      const text = speech.output.textOf(segment);
      this.#options.onEvent({ type: "itemStarted", id: begunId, role: "agent", text, startMs: atMs });
    }
    if (transcript.hasSeveral) this.#emitItems(speaking, false);
    if (!speaking.isAudible) {
      speaking.isAudible = true;
      this.#dispatch({ type: "speechStarted", atMs, speechId });
      this.#reportLatency(speaking);
    }
    return frame;
  }

  #noticeEnd(speaking: Speaking): void {
    const outcome = speaking.speech.outcome;
    if (outcome === undefined || this.#speaking !== speaking) return;
    this.#settle(speaking);
    this.#dispatch(this.#toTurnEvent(speaking.speechId, outcome));
  }

  #toTurnEvent(speechId: number, outcome: SpeechOutcome): TurnEvent {
    const atMs = this.#mediaMs;
    if (outcome.type === "ended") {
      return { type: "speechEnded", atMs, speechId, endsConversation: outcome.endsConversation };
    }
    return { type: "speechFailed", atMs, speechId, part: outcome.part, detail: outcome.error.message };
  }

  #stopSpeech(speechId: number): void {
    const speaking = this.#speaking;
    if (speaking?.speechId !== speechId) return;
    this.#lastFrame = speaking.isAudible ? speaking.speech.output.fadeOut() : undefined;
    this.#settle(speaking);
  }

  /** The speech is over, said or cut: what was heard of it enters the transcript and the dialogue's history. */
  #settle(speaking: Speaking): void {
    this.#speaking = undefined;
    speaking.speech.close();
    const heard = speaking.speech.output.heard();
    const items = this.#emitItems(speaking, true);
    const { dialogue } = this.#options;
    if (speaking.reply === undefined) for (const item of items) dialogue.record(item);
    else {
      const delivered: string[] = [];
      for (const { segment, text } of heard) delivered[segment] = text;
      dialogue.settle(speaking.reply.id, delivered);
    }
  }

  // ─── what the owner is told ───

  #emitItems(speaking: Speaking, isOver: boolean): ReturnType<SpeechTranscript["take"]> {
    const items = speaking.transcript.take(speaking.speech.output.heard(), isOver);
    for (const item of items) this.#options.onEvent({ type: "item", item });
    return items;
  }

  /** Adds what the caller did to the dialogue's history and the transcript. */
  #enter(entry: TranscriptEntry, startMs: number, endMs: number): void {
    this.#options.dialogue.record(entry);
    this.#options.onEvent({ type: "item", item: { ...entry, id: randomUUID(), startMs, endMs } });
  }

  #reportLatency({ answers, speech }: Speaking): void {
    if (answers === undefined) return;
    const { turn, decidedAtMs, decidedAt } = answers;
    const { firstTextMs = decidedAt, firstClauseMs = decidedAt, firstAudioMs = decidedAt } = speech.marks;
    const decisionMs = decidedAtMs - turn.endMs;
    const latency = {
      endpointingMs: turn.endpointingMs,
      sttMs: turn.sttMs,
      decisionMs,
      llmFirstTokenMs: firstTextMs - decidedAt,
      clauseMs: firstClauseMs - firstTextMs,
      ttsFirstByteMs: firstAudioMs - firstClauseMs,
      totalMs: decisionMs + this.#now() - decidedAt,
    };
    this.#options.onEvent({ type: "turn", latency });
  }

  #fault(part: ProviderPart, error: ProviderError): void {
    this.#options.onEvent({ type: "fault", part, provider: error.provider, message: error.message });
  }

  /** `speaking` only while frames are really handed out. */
  #showState(isHandingOut: boolean): void {
    const state = isHandingOut ? "speaking" : this.#speaking === undefined ? "listening" : "thinking";
    if (state === this.#agentState || this.#isOver) return;
    this.#agentState = state;
    this.#options.onEvent({ type: "state", state });
  }
}
