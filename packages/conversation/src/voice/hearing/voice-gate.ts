import type { SampleRateHz } from "../../providers/speech-to-text.ts";

const FRAME_MS = 20;
/** Number of frames whose level is kept; exceeds the delay of detection. */
const REMEMBERED_FRAMES = 32;
/** Minimum level of telephone speech. */
const MIN_SPEECH_DB = -50;
/** Maximum level of the agent's own speech returning over the line, used until the caller has spoken. */
const MAX_ECHO_DB = -40;
/** Level that speech has above an ambience of voices. */
const OVER_AMBIENCE_DB = 8;
/** Level that speech has above an ambience of noise, which the detector itself rejects. */
const OVER_NOISE_DB = 2;
/** Maximum difference below the caller's previous level. */
const BELOW_CALLER_DB = 16;
/** Decay of the loudness per window, because ends of words are quieter than their middles. */
const DECAY_DB_PER_WINDOW = 2;
/**
 * Share by which the ambience follows a falling level (within half a second) and a rising one (within several seconds).
 */
const FALL_SHARE = 0.06;
const RISE_SHARE = 0.007;
/** The rising share while the agent speaks, when the caller is mostly silent. */
const RISE_SHARE_UNDER_AGENT = 0.03;
/** Level from which speech is always near. */
const NEAR_DB = -28;
const CALLER_SHARE = 0.05;
/** Share of speech-like windows from which the ambience counts as voices. */
const MIN_VOICES_SHARE = 0.3;
const VOICES_SHARE = 0.012;
/** Share while the agent speaks, when speech-like sound is rarely the caller. */
const VOICES_RISE_UNDER_AGENT = 0.08;
const SPEECH_PROBABILITY = 0.5;
/** Level that suppression takes from speech in noise; it takes more from noise. */
const SPEECH_LOSS_DB = 6;

/**
 * Separates near speech from far. Other people's voices and the agent's echo are speech to a detector, but quieter than
 * the caller.
 */
export class VoiceGate {
  readonly #frameSamples: number;
  /** Levels of the last frames in dBFS. */
  readonly #levelsDb = new Float64Array(REMEMBERED_FRAMES).fill(-100);
  /** The same levels with noise suppressed; `Infinity` without suppression. */
  readonly #suppressedDb = new Float64Array(REMEMBERED_FRAMES).fill(Infinity);
  #frames = 0;
  #ambienceDb = -70;
  #loudnessDb = -100;
  /** Share of the windows at ambience level that sound like speech. */
  #voiceShare = 0;
  #callerDb: number | undefined;

  constructor(sampleRateHz: SampleRateHz) {
    this.#frameSamples = (FRAME_MS * sampleRateHz) / 1000;
  }

  /** Takes 20 ms of the caller's audio. */
  write(pcm: Int16Array): void {
    const slot = this.#frames % REMEMBERED_FRAMES;
    this.#levelsDb[slot] = measureLevelDb(pcm);
    this.#suppressedDb[slot] = Infinity;
    this.#frames++;
  }

  /** Takes a frame with its noise suppressed: the last frame, or one `framesAgo` before it. */
  writeSuppressed(pcm: Int16Array, framesAgo: number): void {
    if (framesAgo >= Math.min(this.#frames, REMEMBERED_FRAMES)) return;
    this.#suppressedDb[(this.#frames - 1 - framesAgo) % REMEMBERED_FRAMES] = measureLevelDb(pcm);
  }

  /** Probability that the window ending at `endSample` contains caller speech. */
  pass(probability: number, endSample: number, isAgentAudible: boolean): number {
    const frame = Math.max(0, Math.min(this.#frames, Math.floor(endSample / this.#frameSamples)) - 1);
    const slot = frame % REMEMBERED_FRAMES;
    const levelDb = this.#levelsDb[slot] ?? -100;
    const riseShare = isAgentAudible ? RISE_SHARE_UNDER_AGENT : RISE_SHARE;
    this.#ambienceDb += (levelDb - this.#ambienceDb) * (levelDb < this.#ambienceDb ? FALL_SHARE : riseShare);
    const speechDb = Math.min(levelDb, (this.#suppressedDb[slot] ?? Infinity) + SPEECH_LOSS_DB);
    this.#loudnessDb = Math.max(speechDb, this.#loudnessDb - DECAY_DB_PER_WINDOW);
    this.#learnVoices(probability, isAgentAudible);
    if (this.#loudnessDb < this.#thresholdDb(isAgentAudible)) return 0;
    if (!isAgentAudible && probability >= SPEECH_PROBABILITY) {
      const callerDb = this.#callerDb ?? this.#loudnessDb;
      this.#callerDb = callerDb + (this.#loudnessDb - callerDb) * CALLER_SHARE;
    }
    return probability;
  }

  #learnVoices(probability: number, isAgentAudible: boolean): void {
    if (this.#loudnessDb >= this.#ambienceDb + OVER_AMBIENCE_DB) return;
    const isVoice = probability >= SPEECH_PROBABILITY;
    const share = isVoice && isAgentAudible ? VOICES_RISE_UNDER_AGENT : VOICES_SHARE;
    this.#voiceShare += ((isVoice ? 1 : 0) - this.#voiceShare) * share;
  }

  #thresholdDb(isAgentAudible: boolean): number {
    const overDb = this.#voiceShare < MIN_VOICES_SHARE ? OVER_NOISE_DB : OVER_AMBIENCE_DB;
    const ambientDb = Math.max(MIN_SPEECH_DB, this.#ambienceDb + overDb);
    const callerDb = this.#callerDb === undefined ? MAX_ECHO_DB : this.#callerDb - BELOW_CALLER_DB;
    return Math.min(NEAR_DB, isAgentAudible ? Math.max(ambientDb, callerDb) : ambientDb);
  }
}

function measureLevelDb(pcm: Int16Array): number {
  let sum = 0;
  // By index: `for…of` takes four times as long, and this runs for every frame of every call.
  for (let at = 0; at < pcm.length; at++) {
    const sample = pcm[at] ?? 0;
    sum += sample * sample;
  }
  return 10 * Math.log10(sum / Math.max(1, pcm.length) / 32_768 ** 2 + 1e-10);
}
