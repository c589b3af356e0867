import type { SampleRateHz } from "../providers/speech-to-text.ts";

const FRAME_MS = 20;
/** Frames whose level is remembered: more than detection may lag behind. */
const REMEMBERED_FRAMES = 32;
/** Below this nobody speaks into his telephone. */
const QUIETEST_SPEECH_DB = -50;
/** Below this, speech that comes while the agent speaks is its own, coming back over the line. */
const LOUDEST_ECHO_DB = -40;
/** Speech stands out so far over what is heard all the time, … */
const OVER_AMBIENCE_DB = 8;
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
const SPEECH_PROBABILITY = 0.5;

/**
 * Knows near speech from far: other people's voices and the echo of the agent are speech too for a detector, but
 * quieter than the caller.
 */
export class VoiceGate {
  readonly #frameSamples: number;
  /** Of the last frames; dBFS. */
  readonly #levelsDb = new Float64Array(REMEMBERED_FRAMES).fill(-100);
  #frames = 0;
  #ambienceDb = -70;
  #loudnessDb = -100;
  #callerDb: number | undefined;

  constructor(sampleRateHz: SampleRateHz) {
    this.#frameSamples = (FRAME_MS * sampleRateHz) / 1000;
  }

  /** Takes a frame of 20 ms of the caller's audio. */
  write(pcm: Int16Array): void {
    let sum = 0;
    for (const sample of pcm) sum += sample * sample;
    const power = sum / Math.max(1, pcm.length) / 32_768 ** 2;
    this.#levelsDb[this.#frames % REMEMBERED_FRAMES] = 10 * Math.log10(power + 1e-10);
    this.#frames++;
  }

  /** The probability that the window which ended with `endSample` holds speech of the caller. */
  pass(probability: number, endSample: number, isAgentHeard: boolean): number {
    const frame = Math.max(0, Math.min(this.#frames, Math.floor(endSample / this.#frameSamples)) - 1);
    const levelDb = this.#levelsDb[frame % REMEMBERED_FRAMES] ?? -100;
    const riseShare = isAgentHeard ? RISE_SHARE_UNDER_AGENT : RISE_SHARE;
    this.#ambienceDb += (levelDb - this.#ambienceDb) * (levelDb < this.#ambienceDb ? FALL_SHARE : riseShare);
    this.#loudnessDb = Math.max(levelDb, this.#loudnessDb - DECAY_DB_PER_WINDOW);
    if (this.#loudnessDb < this.#leastDb(isAgentHeard)) return 0;
    if (!isAgentHeard && probability >= SPEECH_PROBABILITY) {
      const callerDb = this.#callerDb ?? this.#loudnessDb;
      this.#callerDb = callerDb + (this.#loudnessDb - callerDb) * CALLER_SHARE;
    }
    return probability;
  }

  #leastDb(isAgentHeard: boolean): number {
    const ambientDb = Math.max(QUIETEST_SPEECH_DB, this.#ambienceDb + OVER_AMBIENCE_DB);
    const callerDb = this.#callerDb === undefined ? LOUDEST_ECHO_DB : this.#callerDb - BELOW_CALLER_DB;
    return Math.min(NEAR_DB, isAgentHeard ? Math.max(ambientDb, callerDb) : ambientDb);
  }
}
