import type { SampleRateHz } from "../../providers/speech-to-text.ts";

const FRAME_MS = 20;
/** Frames whose level is remembered: more than detection may lag behind. */
const REMEMBERED_FRAMES = 32;
/** Below this nobody speaks into his telephone. */
const MIN_SPEECH_DB = -50;
/** Below this, speech that comes while the agent speaks is its own, coming back over the line. */
const MAX_ECHO_DB = -40;
/** Speech stands out so far over what is heard all the time, … */
const OVER_AMBIENCE_DB = 8;
/** … or so far where that is noise, which the detector itself does not take for speech, … */
const OVER_NOISE_DB = 2;
/** … and is not so far below how loudly the caller has spoken before. */
const BELOW_CALLER_DB = 16;
/** The ends of words are quieter than their middles: what was loud stays loud, falling so fast. */
const DECAY_DB_PER_WINDOW = 2;
/** The ambience follows silence within half a second, and noise within several. */
const FALL_SHARE = 0.06;
const RISE_SHARE = 0.007;
/** While the agent speaks the caller mostly does not. */
const RISE_SHARE_UNDER_AGENT = 0.03;
/** What is as loud as this is always near. */
const NEAR_DB = -28;
const CALLER_SHARE = 0.05;
/** The ambience is voices where more than this of it sounds so, lately. */
const MIN_VOICES_SHARE = 0.3;
const VOICES_SHARE = 0.012;
/** While the agent speaks, what sounds like speech is rarely the caller. */
const VOICES_RISE_UNDER_AGENT = 0.08;
const SPEECH_PROBABILITY = 0.5;
/** Suppression takes so much from speech in noise, and more from noise. */
const SPEECH_LOSS_DB = 6;

/**
 * Knows near speech from far: other people's voices and the echo of the agent are speech too for a detector, but
 * quieter than the caller.
 */
export class VoiceGate {
  readonly #frameSamples: number;
  /** Of the last frames; dBFS. */
  readonly #levelsDb = new Float64Array(REMEMBERED_FRAMES).fill(-100);
  /** The same without noise, where it was taken out; else infinite. */
  readonly #suppressedDb = new Float64Array(REMEMBERED_FRAMES).fill(Infinity);
  #frames = 0;
  #ambienceDb = -70;
  #loudnessDb = -100;
  /** How much of what is no louder than the ambience sounds like speech. */
  #voiceShare = 0;
  #callerDb: number | undefined;

  constructor(sampleRateHz: SampleRateHz) {
    this.#frameSamples = (FRAME_MS * sampleRateHz) / 1000;
  }

  /** Takes a frame of 20 ms of the caller's audio. */
  write(pcm: Int16Array): void {
    const slot = this.#frames % REMEMBERED_FRAMES;
    this.#levelsDb[slot] = measureLevelDb(pcm);
    this.#suppressedDb[slot] = Infinity;
    this.#frames++;
  }

  /** Takes what is left of a frame without noise: the last one, or one from so many frames before it. */
  writeSuppressed(pcm: Int16Array, framesAgo: number): void {
    if (framesAgo >= Math.min(this.#frames, REMEMBERED_FRAMES)) return;
    this.#suppressedDb[(this.#frames - 1 - framesAgo) % REMEMBERED_FRAMES] = measureLevelDb(pcm);
  }

  /** The probability that the window which ended with `endSample` holds speech of the caller. */
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
  for (const sample of pcm) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, pcm.length) / 32_768 ** 2 + 1e-10);
}
