import { setImmediate } from "node:timers/promises";
import {
  Dialogue,
  formatTurnDecision,
  formatTurnSettings,
  type NoiseSuppressor,
  VoiceConversation,
  type VoiceActivityDetector,
  type VoiceConversationOptions,
} from "@parley/conversation";
import { FakeClock, ScriptedLanguageModel } from "@parley/conversation/testing";
import { LocalSpeechToText, LocalTurnEnd } from "@parley/providers";
import { AgentVoice } from "./agent-voice.ts";
import type { Situation } from "./situations.ts";
import { addInto, SAMPLE_RATE_HZ, SAMPLES_PER_MS, scaled } from "./sounds.ts";
import type { SpokenScript } from "./spoken-scripts.ts";
import { StoredInference, type StoredModels } from "./stored-models.ts";

const TICK_MS = 20;
const FRAME_SAMPLES = TICK_MS * SAMPLES_PER_MS;
const WINDOW_SAMPLES = 256;
/** A turn that has not ended this long after the caller's last word counts as missed. */
const TURN_DEADLINE_MS = 8000;
/** Time after the caller's last word during which the call continues, long enough for every rule to decide. */
const RULE_MS = 1200;
const CALL_LIMIT_MS = 40_000;
/** An answer to sound that was not a turn would be audible within this time after the agent's last word. */
const AFTERMATH_MS = 2500;

interface VoiceWindow {
  endMs: number;
  probability: number;
}

interface CallerTurn {
  /** Time at which it was added to the transcript, just before the agent became audible. */
  atMs: number;
  /** Time at which silence and text were sufficient for the decision. */
  decidedAtMs: number;
  text: string;
}

/** Result of a situation; times are on the call's media clock. */
export interface Outcome {
  situation: Situation;
  /** First and last sample of the caller's speech or sound. */
  callerFromMs: number;
  callerToMs: number;
  /** Ends with the agent's first line if nothing interrupts it. */
  windows: VoiceWindow[];
  /** Caller turns as seen by the policy. */
  turns: CallerTurn[];
  /** Whether the agent was audible, per tick of 20 ms. */
  isAgentHeard: boolean[];
  /** Whether the agent's first line was cut off. */
  isInterrupted: boolean;
  /** Transcript of the agent's first line. */
  keptText: string;
  /** Number of its words that the caller heard completely, as reported by the synthesizer. */
  heardWords: number;
  /** Lines of the turn log. */
  log: string[];
}

export interface Bench {
  vad: VoiceActivityDetector;
  /** Corresponds to the agent's `noiseCancellation`; `undefined` is off. */
  noiseSuppressor: NoiseSuppressor | undefined;
  models: StoredModels;
  hasTurnEndModel: boolean;
  /** Endpointing delay; `undefined` uses that of calls. */
  endpointingDelayMs: number | undefined;
  agentLines: ReadonlyMap<string, SpokenScript>;
  hasWordTimings: boolean;
  /** Delay of the language model's first token, and of the synthesis of a clause. */
  firstTokenMs: number;
  synthesisMs: number;
  agent: VoiceConversationOptions["agent"];
}

/** Runs one call: the agent says its line, the caller follows the situation, and the conversation decides. */
export async function runSituation(situation: Situation, bench: Bench): Promise<Outcome> {
  const call = new Call(situation, bench);
  return await call.run();
}

class Call {
  readonly #situation: Situation;
  readonly #bench: Bench;
  readonly #clock = new FakeClock();
  readonly #inference: StoredInference;
  readonly #conversation: VoiceConversation;
  readonly #agentAudio: Int16Array[] = [];
  readonly #outcome: Outcome;
  #windowsHeard = 0;
  #firstSpeechEndedAtMs: number | undefined;

  constructor(situation: Situation, bench: Bench) {
    this.#situation = situation;
    this.#bench = bench;
    this.#inference = new StoredInference(bench.models, this.#clock);
    this.#outcome = {
      situation,
      callerFromMs: Infinity,
      callerToMs: Infinity,
      windows: [],
      turns: [],
      isAgentHeard: [],
      isInterrupted: false,
      keptText: "",
      heardWords: 0,
      log: [],
    };
    const model = new ScriptedLanguageModel(
      Array.from({ length: 99 }, () => [
        { type: "delay" as const, delayMs: bench.firstTokenMs },
        { type: "text" as const, text: "Very well." },
      ]),
      { timers: this.#clock },
    );
    this.#conversation = new VoiceConversation({
      sampleRateHz: SAMPLE_RATE_HZ,
      agent: { ...bench.agent, firstMessage: situation.agentText },
      dialogue: new Dialogue({ model, instructions: "Be brief.", timers: this.#clock }),
      stt: new LocalSpeechToText({ inference: this.#inference, size: () => "base" }),
      ...(bench.hasTurnEndModel && { turnEnd: new LocalTurnEnd({ inference: this.#inference }) }),
      ...(bench.endpointingDelayMs !== undefined && { endpointingDelayMs: bench.endpointingDelayMs }),
      tts: new AgentVoice({
        lines: bench.agentLines,
        timers: this.#clock,
        delayMs: bench.synthesisMs,
        hasWordTimings: bench.hasWordTimings,
      }),
      vad: this.#observedVad(),
      noiseSuppressor: bench.noiseSuppressor,
      now: () => this.#clock.nowMs,
      onEvent: (event) => {
        if (event.type !== "item" || event.item.type !== "message" || event.item.role !== "agent") return;
        if (this.#firstSpeechEndedAtMs !== undefined) return;
        this.#firstSpeechEndedAtMs = this.#nowMs;
        this.#outcome.isInterrupted = event.item.interrupted === true;
        this.#outcome.keptText = event.item.text;
      },
      onDecision: (event, effects) => {
        this.#outcome.log.push(formatTurnDecision(event, effects));
        for (const effect of effects) {
          if (effect.type !== "callerTurn") continue;
          const { decidedAtMs, text } = effect.turn;
          this.#outcome.turns.push({ atMs: this.#nowMs, decidedAtMs, text });
        }
      },
    });
  }

  async run(): Promise<Outcome> {
    const outcome = this.#outcome;
    const { expects, startMs, pcm } = this.#situation;
    await this.#conversation.prepare(new AbortController().signal);
    outcome.log.push(formatTurnSettings(this.#conversation.turnSettings));
    this.#conversation.start();
    if (expects !== "turn") outcome.callerFromMs = startMs;
    while (!this.#isOver()) {
      if (
        expects === "turn" &&
        outcome.callerFromMs === Infinity &&
        this.#firstSpeechEndedAtMs !== undefined
      ) {
        outcome.callerFromMs = this.#firstSpeechEndedAtMs + startMs;
      }
      outcome.callerToMs = outcome.callerFromMs + pcm.length / SAMPLES_PER_MS;
      await this.#tick();
    }
    this.#conversation.close();
    outcome.heardWords = this.#countHeardWords();
    return outcome;
  }

  get #nowMs(): number {
    return this.#outcome.isAgentHeard.length * TICK_MS;
  }

  #isOver(): boolean {
    const { turns, callerFromMs, callerToMs } = this.#outcome;
    if (this.#nowMs >= CALL_LIMIT_MS) return true;
    if (this.#situation.expects === "nothing") {
      return (
        this.#firstSpeechEndedAtMs !== undefined && this.#nowMs > this.#firstSpeechEndedAtMs + AFTERMATH_MS
      );
    }
    const waitMs = turns.some(({ atMs }) => atMs > callerFromMs) ? RULE_MS : TURN_DEADLINE_MS;
    return this.#nowMs > callerToMs + waitMs;
  }

  async #tick(): Promise<void> {
    await this.#clock.advance(TICK_MS);
    const frame = this.#callerFrame();
    this.#conversation.hear(frame);
    const due = Math.floor(((this.#outcome.isAgentHeard.length + 1) * FRAME_SAMPLES) / WINDOW_SAMPLES);
    while (this.#windowsHeard < due) await setImmediate();
    await this.#inference.settled();
    const spoken = this.#conversation.nextFrame();
    this.#agentAudio.push(spoken?.slice() ?? new Int16Array(FRAME_SAMPLES));
    this.#outcome.isAgentHeard.push(spoken !== undefined);
  }

  #callerFrame(): Int16Array {
    const { pcm, noise, echo } = this.#situation;
    const frame = new Int16Array(FRAME_SAMPLES);
    const at = this.#nowMs * SAMPLES_PER_MS;
    if (noise !== undefined) addInto(frame, 0, noise.subarray(at % (noise.length - FRAME_SAMPLES)));
    const { callerFromMs } = this.#outcome;
    if (callerFromMs < Infinity) {
      const from = at - Math.round(callerFromMs * SAMPLES_PER_MS);
      const part = pcm.subarray(Math.max(0, from), Math.max(0, from + FRAME_SAMPLES));
      addInto(frame, Math.max(0, -from), part);
    }
    if (echo !== undefined) {
      const returned = this.#agentAudio.at(-Math.max(1, Math.round(echo.delayMs / TICK_MS)));
      if (returned !== undefined) addInto(frame, 0, scaled(returned, echo.gain));
    }
    return frame;
  }

  #countHeardWords(): number {
    const { isAgentHeard } = this.#outcome;
    const until = Math.floor((this.#firstSpeechEndedAtMs ?? 0) / TICK_MS);
    const heardMs = isAgentHeard.slice(0, until).filter(Boolean).length * TICK_MS;
    const line = this.#bench.agentLines.get(this.#situation.agentText);
    return line?.wordEndsMs.filter((endMs) => endMs <= heardMs).length ?? 0;
  }

  #observedVad(): VoiceActivityDetector {
    return {
      open: (options) =>
        this.#bench.vad.open({
          ...options,
          onProbability: (probability, endSample) => {
            this.#windowsHeard += 1;
            this.#outcome.windows.push({ endMs: endSample / SAMPLES_PER_MS, probability });
            options.onProbability(probability, endSample);
          },
        }),
    };
  }
}
