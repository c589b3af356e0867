import {
  type AgentVoice,
  type Briefing,
  type SpeechStyle,
  synthesize,
  type VoiceAgentSettings,
} from "@parley/conversation";
import type { WarmTransferSetup } from "../media-protocol.ts";
import type { AudioEnd } from "./audio-bridge.ts";
import { type Announcement, createHoldAudio } from "./announcement.ts";
import { createHoldMusic } from "./hold-music.ts";

export interface WarmTransferOptions {
  setup: WarmTransferSetup;
  sampleRateHz: 8000 | 16000;
  /** Its voice speaks the announcements. */
  agent: VoiceAgentSettings;
  /** In the order in which they replace each other. */
  voices: readonly AgentVoice[];
  /** Creates the talk with the person. Aborts the summary with the signal. */
  createBriefing: (signal: AbortSignal) => Briefing;
  /** Adds a step to the transcript. */
  onStep: (text: string) => void;
}

/** The message on hold and the introduction are synthesized whole, while the telephone rings. */
const ANNOUNCEMENT_DEADLINE_MS = 15_000;
/** Silence of a voice after which the next one speaks. */
const SILENCE_BEFORE_FALLBACK_TIMEOUT_MS = 3_000;

/**
 * What one attempt at a warm transfer needs beside the two calls: the caller's hold, the briefing of the person, and the
 * introduction of both. Its owner closes it.
 */
export class WarmTransfer {
  /** What the caller hears until the introduction. */
  readonly hold: AudioEnd;
  readonly briefing: Briefing;
  /** What both hear before they are connected; `undefined` for nothing. Never rejects. */
  readonly introduction: Promise<Announcement | undefined>;
  /** Whether the recording goes on with the two people. */
  readonly isRecordingContinued: boolean;
  readonly #options: WarmTransferOptions;
  readonly #over = new AbortController();

  constructor(options: WarmTransferOptions) {
    const { setup, sampleRateHz, createBriefing, onStep } = options;
    this.#options = options;
    this.isRecordingContinued = setup.isRecordingContinued;
    this.briefing = createBriefing(this.#over.signal);
    const message = this.#speak(setup.holdMessage);
    const music = setup.hasHoldMusic ? createHoldMusic(sampleRateHz) : undefined;
    this.hold = createHoldAudio(message, music, (text) => onStep(`The caller hears: “${text}”`));
    this.introduction = this.#speak(setup.introMessage);
  }

  /** Prepares the briefing while the person's telephone rings. */
  prepare(): void {
    void this.briefing.prepare(this.#over.signal);
  }

  /** Idempotent. */
  close(): void {
    this.#over.abort();
    this.briefing.close();
  }

  /** Speaks a text in advance. `undefined` if it is empty, or if no voice speaks it in time. */
  async #speak(text: string): Promise<Announcement | undefined> {
    if (text.trim() === "") return undefined;
    const { voices, sampleRateHz, agent, onStep } = this.#options;
    const { language, voiceSpeed: speed, voiceTemperature: temperature, voiceVolume: volume = 1 } = agent;
    const style: SpeechStyle = {
      sampleRateHz,
      language,
      speed,
      ...(temperature !== undefined && { temperature }),
    };
    const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(ANNOUNCEMENT_DEADLINE_MS)]);
    for (const [index, voice] of voices.entries()) {
      const isLast = index + 1 === voices.length;
      const deadlineMs = isLast ? ANNOUNCEMENT_DEADLINE_MS : SILENCE_BEFORE_FALLBACK_TIMEOUT_MS;
      const pcm = await synthesize(voice, style, text, { deadlineMs, signal, isUrgent: true });
      if (pcm !== undefined) return { text, pcm, sampleRateHz, volume };
    }
    if (!this.#over.signal.aborted) onStep(`No voice spoke in time: “${text}”`);
    return undefined;
  }
}
