const FRAME_MS = 20;
/** Highest sample value of a frame without speech. */
const QUIET_PEAK = 300;
/** Pause of the other side after which it begins anew. */
const PAUSE_MS = 600;
/** Silence after which the tester has finished its sentence. */
const OWN_PAUSE_MS = 300;
/** Longest time until the tester begins to speak. If it says nothing, it listens again. */
const SHUT_MS = 6_000;

/**
 * Listens to the other side for a while, and then to nothing until it has spoken itself. The conversation behind it
 * takes the other side's turn for ended and replies, while the other side still speaks.
 */
export class ImpatientEar {
  readonly #afterMs: number;
  #speechMs = 0;
  #pauseMs = 0;
  /** `undefined` while it listens. */
  #shutForMs: number | undefined;
  #isSpeaking = false;
  #hasSpoken = false;
  #ownPauseMs = 0;

  /** @param afterMs Time from the begin of the other side's speech until it is interrupted. */
  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** Takes 20 ms of the other side's audio. Returns whether they are listened to. */
  takesIn(frame: Int16Array): boolean {
    if (this.#shutForMs !== undefined) {
      this.#shutForMs += FRAME_MS;
      if (!this.#isDone(this.#shutForMs)) return false;
      this.#shutForMs = undefined;
      this.#speechMs = 0;
    }
    this.#pauseMs = isQuiet(frame) ? this.#pauseMs + FRAME_MS : 0;
    if (this.#pauseMs >= PAUSE_MS || this.#isSpeaking) this.#speechMs = 0;
    else if (this.#speechMs > 0 || this.#pauseMs === 0) this.#speechMs += FRAME_MS;
    if (this.#speechMs <= this.#afterMs || this.#pauseMs > 0) return true;
    this.#shutForMs = 0;
    this.#hasSpoken = false;
    return false;
  }

  /** Notes whether the tester speaks in this frame. */
  noteOwnFrame(isSpeaking: boolean): void {
    this.#isSpeaking = isSpeaking;
    this.#hasSpoken ||= isSpeaking;
    this.#ownPauseMs = isSpeaking ? 0 : this.#ownPauseMs + FRAME_MS;
  }

  #isDone(shutForMs: number): boolean {
    return this.#hasSpoken ? this.#ownPauseMs >= OWN_PAUSE_MS : shutForMs >= SHUT_MS;
  }
}

function isQuiet(frame: Int16Array): boolean {
  return frame.every((sample) => Math.abs(sample) <= QUIET_PEAK);
}
