import { randomUUID } from "node:crypto";
import type { Dialogue } from "../dialogue/dialogue.ts";
import type { NoiseSuppressor } from "../providers/noise-suppression.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import type { SampleRateHz, SpeechToText } from "../providers/speech-to-text.ts";
import type { TextToSpeech } from "../providers/text-to-speech.ts";
import type { TurnEndDetector, TurnEndStream } from "../providers/turn-end.ts";
import type { VoiceActivityDetector } from "../providers/voice-activity.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { SpeechScheduler } from "./speaking/speech-scheduler.ts";
import type { AgentVoice } from "./speaking/synthesis.ts";
import { CallerActivity } from "./hearing/caller-activity.ts";
import { CallerHearing } from "./hearing/caller-hearing.ts";
import type { PhraseBook } from "./speaking/speech-phrases.ts";
import { VoiceSpeeds } from "./speaking/voice-speeds.ts";
import { isAgentListening } from "./turns/turn-agent.ts";
import { turnStep } from "./turns/turn-policy.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
  type TurnSettings,
  type TurnState,
} from "./turns/turn-state.ts";
import type { Instruction, VoiceAgentSettings, VoiceEndReason, VoiceEvent } from "./voice-event.ts";

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
  /** What is known of how fast voices are, for all calls of a process; of its own unless given. */
  speeds?: VoiceSpeeds;
  vad: VoiceActivityDetector;
  /** Helps to tell noise from a caller who interrupts; what the recognizer hears stays as it came. */
  noiseSuppressor?: NoiseSuppressor | undefined;
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
  readonly #scheduler: SpeechScheduler;
  readonly #hearing: CallerHearing;
  readonly #activity: CallerActivity;
  readonly #turnEnd: TurnEndStream | undefined;
  readonly #queue: TurnEvent[] = [];
  /** Filler phrases said while the caller's words are still being recognized: the words come first in the transcript. */
  readonly #fillers: { entry: TranscriptEntry; startMs: number; endMs: number }[] = [];
  readonly #now: () => number;
  #state: TurnState;
  #isDispatching = false;
  #samplesHeard = 0;
  #heardAt = 0;
  #wakeAtMs = Infinity;
  #isStarted = false;
  #isOver = false;

  constructor(options: VoiceConversationOptions) {
    const { agent, sampleRateHz } = options;
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#state = initialTurnState(toTurnSettings(agent, options.endpointingDelayMs));
    this.#scheduler = new SpeechScheduler({
      sampleRateHz,
      agent,
      dialogue: options.dialogue,
      tts: options.tts,
      fallbackVoices: options.fallbackVoices ?? [],
      phrases: options.phrases,
      speeds: options.speeds ?? new VoiceSpeeds(),
      now: this.#now,
      toClockMs: (mediaMs) => this.#heardAt - (this.#mediaMs - mediaMs),
      mediaMs: () => this.#mediaMs,
      onTurnEvent: (event) => this.#dispatch(event),
      enter: (entry, startMs, endMs) => this.#enter(entry, startMs, endMs),
      enterFiller: (entry, startMs, endMs) => {
        this.#fillers.push({ entry, startMs, endMs });
        this.#enterFillers();
      },
      onEvent: (event) => {
        if (!this.#isOver) options.onEvent(event);
      },
    });
    this.#hearing = new CallerHearing({
      stt: options.stt,
      stream: { sampleRateHz, language: agent.language, keyterms: agent.sttKeyterms },
      onText: (flushId, heard) => {
        const agentText = this.#scheduler.textNearby;
        this.#dispatch({ type: "transcribed", atMs: this.#mediaMs, flushId, ...heard, agentText });
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
    this.#activity = new CallerActivity({
      sampleRateHz,
      vad: options.vad,
      noiseSuppressor: options.noiseSuppressor,
      isAgentAudible: () => this.#scheduler.isAudible,
      isAgentPaused: () => this.#scheduler.isPaused,
      onWindow: (probability, endSample) =>
        this.#dispatch({
          type: "voice",
          atMs: this.#mediaMs,
          windowEndMs: this.#toMs(endSample),
          probability,
        }),
    });
  }

  /**
   * Makes ready before the call is answered: opens the recognizer and synthesizes the greeting. Resolves when
   * the greeting can begin at once, when that failed (told as a `fault`; `start` tries again), or on abort.
   */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.#isOver) return;
    this.#hearing.open();
    const { startSpeaker, hasGreeting } = this.#state.settings;
    if (startSpeaker === "agent" && hasGreeting) await this.#scheduler.prepareGreeting(signal);
  }

  /** Media flows: the conversation begins. */
  start(): void {
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    this.#hearing.open();
    this.#dispatch({ type: "start", atMs: this.#mediaMs });
    this.#scheduler.preparePhrases();
  }

  /** 20 ms of the caller's audio, or silence where none came. The buffer is the owner's again on return. */
  hear(pcm: Int16Array): void {
    if (!this.#isStarted || this.#isOver) return;
    this.#samplesHeard += pcm.length;
    this.#heardAt = this.#now();
    this.#hearing.write(pcm);
    this.#turnEnd?.write(pcm);
    this.#activity.write(pcm);
    const atMs = this.#mediaMs;
    this.#scheduler.tick(atMs, this.#state);
    if (atMs >= this.#wakeAtMs) {
      this.#wakeAtMs = Infinity;
      this.#dispatch({ type: "timer", atMs });
    }
  }

  /** The agent's next 20 ms, valid until the next call; undefined while it is silent. */
  nextFrame(): Int16Array | undefined {
    return this.#isOver ? undefined : this.#scheduler.nextFrame(this.#state);
  }

  /**
   * None of the last `lostMs` that were handed out has left. The agent's speech ends there: it counts as said as far as it
   * was sent, and the agent is no longer shown as speaking.
   */
  loseAudio(lostMs: number): void {
    if (this.#isOver || !this.#scheduler.isAudible) return;
    this.#options.onEvent({ type: "audioLost", lostMs });
    this.#scheduler.loseAudio(lostMs);
  }

  /** Neither `hear` nor `nextFrame` are called for a while, as on hold: the agent is not shown as speaking meanwhile. */
  standStill(): void {
    if (!this.#isOver) this.#scheduler.standStill();
  }

  /**
   * The caller pressed a key: `0`–`9`, `*`, `#`, `A`–`D`. Keys in a row are one input, which the agent answers after a
   * pause or a `#`.
   */
  dtmf(digit: string): void {
    if (this.#isStarted) this.#dispatch({ type: "key", atMs: this.#mediaMs, digit });
  }

  /** The agent is pressing these keys, as one of its tools has it, from now on for `durationMs`. */
  noteSentKeys(text: string, durationMs: number): void {
    if (this.#isOver) return;
    const startMs = this.#mediaMs;
    const item = { id: randomUUID(), startMs, endMs: startMs + durationMs };
    this.#options.onEvent({ type: "item", item: { ...item, type: "dtmf", text, direction: "sent" } });
  }

  /**
   * Tells the agent something that the caller does not hear. It enters history and transcript at once.
   *
   * @returns false where nobody listens any more: the conversation has not begun, is over or is about to be.
   */
  instruct({ text, speak }: Instruction): boolean {
    if (this.#isOver || !isAgentListening(this.#state)) return false;
    const atMs = this.#mediaMs;
    this.#enter({ type: "instruction", text }, atMs, atMs);
    this.#dispatch({ type: "instructed", atMs, text, speak });
    return true;
  }

  /** Ends the conversation for a reason from outside; `ended` is told before this returns, unless it has been. */
  end(reason: VoiceEndReason, detail?: string): void {
    this.#dispatch({ type: "hangup", atMs: this.#mediaMs, reason, ...(detail !== undefined && { detail }) });
  }

  /** Releases everything. No event follows, so `end` comes first where the end is to be told. Idempotent. */
  close(): void {
    this.#isOver = true;
    this.#scheduler.close();
    this.#activity.close();
    this.#turnEnd?.close();
    this.#hearing.close();
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
    this.#enterFillers();
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
        this.#enter({ type: "message", role: "user", text }, startMs, endMs);
        return this.#enterFillers();
      }
      case "callerKeys": {
        const { text, startMs, endMs } = effect;
        return this.#enter({ type: "dtmf", text, direction: "received" }, startMs, endMs);
      }
      case "prepareReply":
        return this.#scheduler.prepareReply(effect.text);
      case "dropReply":
        return this.#scheduler.dropReply();
      case "speak":
        return this.#scheduler.speak(effect.speechId, effect.content);
      case "stopSpeech":
        return this.#scheduler.stop(effect.speechId);
      case "finishSentence":
        return this.#scheduler.finishSentence(effect.speechId);
      case "pauseSpeech":
        return this.#scheduler.pause();
      case "resumeSpeech":
        return this.#scheduler.resume();
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
    this.#enterFillers(Infinity);
    this.#scheduler.finish();
    this.close();
    this.#options.onEvent({ type: "ended", endReason, ...(endDetail !== undefined && { endDetail }) });
  }

  // ─── what the owner is told ───

  /** Enters the filler phrases that were not said for words that are still being recognized. */
  #enterFillers(wordsSinceMs = this.#state.utterance?.startMs ?? Infinity): void {
    for (
      let next = this.#fillers[0];
      next !== undefined && next.startMs < wordsSinceMs;
      next = this.#fillers[0]
    ) {
      this.#fillers.shift();
      this.#enter(next.entry, next.startMs, next.endMs);
    }
  }

  /** Adds something to the dialogue's history and the transcript. */
  #enter(entry: TranscriptEntry, startMs: number, endMs: number): void {
    this.#options.dialogue.record(entry);
    this.#options.onEvent({ type: "item", item: { ...entry, id: randomUUID(), startMs, endMs } });
  }
}

function toTurnSettings(agent: VoiceAgentSettings, endpointingDelayMs: number | undefined): TurnSettings {
  return {
    startSpeaker: agent.startSpeaker,
    hasGreeting: agent.firstMessageMode === "generated" || agent.firstMessage.trim() !== "",
    firstMessageDelayMs: agent.firstMessageDelayMs,
    endpointingDelayMs,
    language: agent.language,
    interruptionThresholdMs: agent.interruptionThresholdMs,
    disableInterruptions: agent.disableInterruptions,
    interruptionIgnoreWords: agent.interruptionIgnoreWords ?? [],
    minInterruptionWords: agent.minInterruptionWords ?? 0,
    turnTimeoutMs: (agent.turnTimeoutSeconds ?? Infinity) * 1000,
    silenceLimitMs: agent.silenceEndCallTimeoutSeconds * 1000,
    maxDurationMs: agent.maxConversationDurationSeconds * 1000,
  };
}
