import { randomUUID } from "node:crypto";
import { ToneDetector } from "@parley/audio";
import type { Dialogue } from "../dialogue/dialogue.ts";
import { errorMessage } from "../error-message.ts";
import type { NoiseSuppressor } from "../providers/noise-suppression.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import type { SampleRateHz, SpeechToText } from "../providers/speech-to-text.ts";
import type { TextToSpeech } from "../providers/text-to-speech.ts";
import type { TurnEndDetector, TurnEndStream } from "../providers/turn-end.ts";
import type { VoiceActivityDetector } from "../providers/voice-activity.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { type AnsweredBy, isWatching } from "./answer/answer-detection.ts";
import type { AnswerJudge } from "./answer/answer-judge.ts";
import { ConversationTranscript } from "./conversation-transcript.ts";
import { toFault } from "./provider-fault.ts";
import { SpeechScheduler } from "./speaking/speech-scheduler.ts";
import type { AgentVoice } from "./speaking/agent-voice.ts";
import { CallerActivity } from "./hearing/caller-activity.ts";
import { CallerHearing } from "./hearing/caller-hearing.ts";
import type { PhraseBook } from "./speaking/speech-phrases.ts";
import { VoiceSpeeds } from "./speaking/voice-speeds.ts";
import { isAgentListening } from "./turns/turn-agent.ts";
import { turnStep } from "./turns/turn-policy.ts";
import { toTurnSettings } from "./turns/turn-settings.ts";
import {
  initialTurnState,
  isAnswerAwaited,
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
  /** Voices that replace the agent's own one after a failure, in this order and until the end of the call. */
  fallbackVoices?: readonly AgentVoice[];
  /** Recorded phrases for provider failures; without it there are none. */
  phrases?: PhraseBook;
  /** Voice speeds shared by all calls of a process; a new one by default. */
  speeds?: VoiceSpeeds;
  vad: VoiceActivityDetector;
  /** Helps to tell noise from a caller who interrupts. The recognizer receives the unchanged audio. */
  noiseSuppressor?: NoiseSuppressor | undefined;
  /** Judges by sound whether a pause ends the turn; without it text and silence decide. */
  turnEnd?: TurnEndDetector;
  /** Asked who answered if words and sounds disagree; without it they decide. Only if `agent.voicemail` is set. */
  answerJudge?: AnswerJudge | undefined;
  onEvent: (event: VoiceEvent) => void;
  /** Silence that ends the caller's turn; by default adapted to the words and the caller's pauses. */
  endpointingDelayMs?: number;
  /** Monotonic milliseconds for latency figures; default `performance.now`. Decisions never read it. */
  now?: () => number;
  /** Receives every event of the turn policy with its effects: a log of them replays the call. */
  onDecision?: (event: TurnEvent, effects: readonly TurnEffect[]) => void;
}

/** What answered, in the transcript's words. A person's and a screening service's own words are in it as those of a caller. */
const ANSWERS: Partial<Record<AnsweredBy, string>> = { machine: "Voicemail", fax: "A fax machine" };

/**
 * A conversation with audio at its edge: carries out the decisions of the turn policy.
 *
 * Its owner calls `hear` and then `nextFrame` once per tick of 20 ms, from `start` on, with silence if no packet
 * arrived, or `standStill` instead of both. The audio heard is the clock of all deadlines, so the conversation has no
 * timers.
 */
export class VoiceConversation {
  readonly #options: VoiceConversationOptions;
  readonly #scheduler: SpeechScheduler;
  readonly #hearing: CallerHearing;
  readonly #activity: CallerActivity;
  readonly #turnEnd: TurnEndStream | undefined;
  /** `undefined` if it is not to be found out who answered. */
  readonly #tones: ToneDetector | undefined;
  readonly #over = new AbortController();
  readonly #queue: TurnEvent[] = [];
  readonly #transcript: ConversationTranscript;
  readonly #now: () => number;
  #state: TurnState;
  #isDispatching = false;
  #samplesHeard = 0;
  #heardAt = 0;
  /** Time on hold since the last audio; the turn policy does not know of it yet. */
  #stillMs = 0;
  #wakeAtMs = Infinity;
  #isStarted = false;
  #isOver = false;

  constructor(options: VoiceConversationOptions) {
    const { agent, sampleRateHz } = options;
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#transcript = new ConversationTranscript(options);
    const { endpointingDelayMs, answerJudge, dialogue } = options;
    this.#state = initialTurnState(
      toTurnSettings(agent, endpointingDelayMs, answerJudge !== undefined, dialogue.hasFlow),
    );
    this.#tones =
      agent.voicemail &&
      new ToneDetector(sampleRateHz, (tone) =>
        this.#dispatch({ type: "tone", atMs: this.#mediaMs, ...tone }),
      );
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
      enter: (entry, startMs, endMs) => this.#transcript.enter(entry, startMs, endMs),
      enterFiller: (entry, startMs, endMs) => {
        this.#transcript.addFiller(entry, startMs, endMs);
        this.#enterFillers();
      },
      onEvent: (event) => {
        if (!this.#isOver) options.onEvent(event);
      },
    });
    this.#hearing = this.#createHearing();
    this.#turnEnd = this.#openTurnEnd();
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
   * Prepares the conversation before the call is answered: opens the recognizer, lets the model prepare, and synthesizes the greeting. Resolves
   * when the greeting can begin at once, when it failed (reported as a `fault`; `start` tries again), or on abort.
   */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.#isOver) return;
    this.#hearing.open();
    this.#options.dialogue.prepare();
    const { startSpeaker, hasGreeting } = this.#state.settings;
    if (startSpeaker === "agent" && hasGreeting) await this.#scheduler.prepareGreeting(signal);
  }

  /** Begins the conversation, when media flows. */
  start(): void {
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    this.#hearing.open();
    this.#dispatch({ type: "start", atMs: this.#mediaMs });
    this.#scheduler.preparePhrases();
  }

  /** Takes 20 ms of the caller's audio, or silence if none arrived. The buffer may be reused after return. */
  hear(pcm: Int16Array): void {
    if (!this.#isStarted || this.#isOver) return;
    this.#reportStill();
    this.#samplesHeard += pcm.length;
    this.#heardAt = this.#now();
    this.#hearing.write(pcm);
    this.#turnEnd?.write(pcm);
    this.#activity.write(pcm);
    const atMs = this.#mediaMs;
    const { answer, voicemail } = this.#state;
    if (voicemail !== undefined || (answer !== undefined && isWatching(answer, atMs)))
      this.#tones?.write(pcm);
    this.#scheduler.tick(atMs, this.#state);
    if (atMs >= this.#wakeAtMs) {
      this.#wakeAtMs = Infinity;
      this.#dispatch({ type: "timer", atMs });
    }
  }

  /** The agent's next 20 ms, valid until the next call; `undefined` while it is silent. */
  nextFrame(): Int16Array | undefined {
    return this.#isOver ? undefined : this.#scheduler.nextFrame(this.#state);
  }

  /**
   * Reports that the last `lostMs` handed out never left the process. The agent's speech ends there: it counts as
   * spoken as far as it was sent, and the agent no longer counts as speaking.
   */
  loseAudio(lostMs: number): void {
    if (this.#isOver || !this.#scheduler.isAudible) return;
    this.#options.onEvent({ type: "audioLost", lostMs });
    this.#scheduler.loseAudio(lostMs);
  }

  /**
   * Reports `durationMs` without `hear` and `nextFrame`, as while the call is on hold. The agent does not count as
   * speaking in that time, which counts only toward the maximum duration.
   */
  standStill(durationMs: number): void {
    if (this.#isOver) return;
    this.#scheduler.standStill(durationMs);
    if (!this.#isStarted) return;
    this.#stillMs += durationMs;
    if (this.#mediaMs + this.#stillMs >= this.#state.maxDurationAtMs) this.end("max_duration");
  }

  /**
   * Takes a key of the caller: `0`–`9`, `*`, `#`, `A`–`D`. Consecutive keys are one input, which the agent answers
   * after a pause or a `#`.
   */
  dtmf(digit: string): void {
    if (this.#isStarted) this.#dispatch({ type: "key", atMs: this.#mediaMs, digit });
  }

  /** Records that the agent, by one of its tools, presses these keys for `durationMs` from now on. */
  noteSentKeys(text: string, durationMs: number): void {
    if (this.#isOver) return;
    const startMs = this.#mediaMs;
    const item = { id: randomUUID(), startMs, endMs: startMs + durationMs };
    this.#options.onEvent({ type: "item", item: { ...item, type: "dtmf", text, direction: "sent" } });
  }

  /** Records a step of a transfer of the call. */
  noteTransfer(text: string): void {
    if (this.#isOver) return;
    const atMs = this.#mediaMs;
    this.#options.onEvent({
      type: "item",
      item: { id: randomUUID(), type: "transfer", text, startMs: atMs, endMs: atMs },
    });
  }

  /**
   * Resolves once the agent has said all that it has to say for now: it is silent, or waits for a tool. Rejects with the signal's
   * reason if it aborts before.
   */
  async whenSaid(signal: AbortSignal): Promise<void> {
    await this.#scheduler.whenSaid(signal);
  }

  /**
   * Gives the agent an instruction that the caller does not hear. It enters history and transcript at once.
   *
   * @returns false if the conversation has not begun, is over or is ending.
   */
  instruct({ text, speak }: Instruction): boolean {
    if (this.#isOver || !isAgentListening(this.#state)) return false;
    const atMs = this.#mediaMs;
    this.#transcript.enter({ type: "instruction", text }, atMs, atMs);
    this.#dispatch({ type: "instructed", atMs, text, speak });
    return true;
  }

  /** Ends the conversation for a reason from outside. `ended` is emitted before this returns, unless it was before. */
  end(reason: VoiceEndReason, detail?: string): void {
    this.#dispatch({ type: "hangup", atMs: this.#mediaMs, reason, ...(detail !== undefined && { detail }) });
  }

  /** Releases everything without emitting an event; call `end` first to report the end. Idempotent. */
  close(): void {
    this.#isOver = true;
    this.#over.abort();
    this.#scheduler.close();
    this.#activity.close();
    this.#turnEnd?.close();
    this.#hearing.close();
  }

  /** What was said so far. */
  get history(): readonly TranscriptEntry[] {
    return this.#options.dialogue.history;
  }

  /** Settings of the turn policy: the head of a log of its decisions. */
  get turnSettings(): TurnSettings {
    return this.#state.settings;
  }

  #createHearing(): CallerHearing {
    const { stt, agent, sampleRateHz, onEvent } = this.#options;
    return new CallerHearing({
      stt: stt,
      stream: { sampleRateHz, language: agent.language, keyterms: agent.sttKeyterms },
      onText: (flushId, heard) => {
        if (heard.text !== "") this.#options.dialogue.expect(heard.text);
        const agentText = this.#scheduler.textNearby;
        this.#dispatch({ type: "transcribed", atMs: this.#mediaMs, flushId, ...heard, agentText });
      },
      onPartial: (text) => {
        if (text !== "") this.#options.dialogue.expect(text);
        if (isAnswerAwaited(this.#state)) this.#dispatch({ type: "partial", atMs: this.#mediaMs, text });
      },
      onRecovered: (error, takenOverBy) => onEvent(toFault("stt", error, takenOverBy)),
      onLost: (error, isFatal) => this.#loseHearing(error, isFatal),
    });
  }

  /** `undefined` if no detector understands the agent's language. */
  #openTurnEnd(): TurnEndStream | undefined {
    const { turnEnd, agent, sampleRateHz } = this.#options;
    if (turnEnd?.supportsLanguage(agent.language) !== true) return undefined;
    return turnEnd.open({
      sampleRateHz,
      onProbability: (requestId, probability) =>
        this.#dispatch({ type: "turnJudged", atMs: this.#mediaMs, requestId, probability }),
    });
  }

  get #mediaMs(): number {
    return this.#toMs(this.#samplesHeard);
  }

  #toMs(samples: number): number {
    return (samples * 1000) / this.#options.sampleRateHz;
  }

  // ─── decisions ───

  /** Applies an event. Events that arise while effects are carried out are queued. */
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
      // An exception in our code or an adapter ends only this call.
      this.#finish("error_internal", errorMessage(error));
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
        this.#transcript.enter({ type: "message", role: "user", text }, startMs, endMs);
        return this.#enterFillers();
      }
      case "callerKeys": {
        const { text, startMs, endMs } = effect;
        return this.#transcript.enter({ type: "dtmf", text, direction: "received" }, startMs, endMs);
      }
      case "prepareReply":
        return this.#scheduler.prepareReply(effect.text);
      case "dropReply":
        return this.#scheduler.dropReply();
      case "speak":
        return this.#scheduler.speak(effect.speechId, effect.content);
      case "stopSpeech":
        return this.#scheduler.stop(effect.speechId, effect.isInterruption === true);
      case "finishSentence":
        return this.#scheduler.finishSentence(effect.speechId);
      case "pauseSpeech":
        return this.#scheduler.pause();
      case "resumeSpeech":
        return this.#scheduler.resume();
      case "judgeAnswer":
        return this.#judgeAnswer(effect.text);
      case "answeredBy":
        return this.#reportAnswer(effect);
      case "prepareMessage":
        return this.#scheduler.prepareMessage();
      case "wakeAt":
        this.#wakeAtMs = effect.atMs;
        return;
      case "end":
        return this.#finish(effect.reason, effect.detail);
    }
  }

  #judgeAnswer(text: string): void {
    const opinion = this.#options.answerJudge?.(text, this.#over.signal);
    void opinion?.then((by) => this.#dispatch({ type: "answerJudged", atMs: this.#mediaMs, by }));
  }

  #reportAnswer({ by, text, startMs, endMs }: TurnEffect & { type: "answeredBy" }): void {
    this.#options.onEvent({ type: "answeredBy", by, atMs: endMs });
    const name = ANSWERS[by];
    if (name === undefined) return;
    const words = text === "" ? "" : ` It said: “${text}”`;
    this.#transcript.enter({ type: "system", text: `${name} answered.${words}` }, startMs, endMs);
  }

  #enterFillers(): void {
    this.#transcript.enterFillers(this.#state.utterance?.startMs);
  }

  #reportStill(): void {
    if (this.#stillMs === 0) return;
    const durationMs = this.#stillMs;
    this.#stillMs = 0;
    this.#dispatch({ type: "stoodStill", atMs: this.#mediaMs, durationMs });
  }

  #loseHearing(error: ProviderError, isFatal: boolean): void {
    const { stt, onEvent } = this.#options;
    onEvent(toFault("stt", error, isFatal ? undefined : stt.name));
    this.#dispatch({ type: "hearingLost", atMs: this.#mediaMs, isFatal, detail: error.message });
  }

  #finish(endReason: VoiceEndReason, endDetail: string | undefined): void {
    this.#queue.length = 0;
    this.#transcript.enterFillers();
    this.#scheduler.finish();
    this.close();
    this.#options.onEvent({ type: "ended", endReason, ...(endDetail !== undefined && { endDetail }) });
  }
}
