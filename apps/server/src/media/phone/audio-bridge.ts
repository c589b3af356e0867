import type { NoiseSuppressionStream } from "@parley/conversation";

/** What a call's media is connected with: its conversation, or another call. */
export interface AudioEnd {
  /** Takes 20 ms from the other side. The buffer may be reused after return. */
  hear: (pcm: Int16Array) => void;
  /** The next 20 ms for the other side, to be used at once; `undefined` for silence. */
  nextFrame: () => Int16Array | undefined;
  /** Takes a key of the other side. */
  dtmf: (digit: string) => void;
}

/** Frames that one side may be ahead of the other. Older ones are dropped: delay would stay for the rest of the call. */
const MAX_FRAMES = 3;

/** Frames from one side to the other, whose ticks are at other times within 20 ms: a ring, which allocates nothing later. */
class FrameQueue {
  readonly #ring: Int16Array[] = [];
  #first = 0;
  #count = 0;

  push(pcm: Int16Array): void {
    if (this.#count === MAX_FRAMES) this.#first = (this.#first + 1) % MAX_FRAMES;
    else this.#count++;
    const at = (this.#first + this.#count - 1) % MAX_FRAMES;
    const frame = this.#ring[at];
    if (frame?.length === pcm.length) frame.set(pcm);
    else this.#ring[at] = pcm.slice();
  }

  /** The oldest frame, to be used at once: its memory takes a later one. */
  shift(): Int16Array | undefined {
    if (this.#count === 0) return undefined;
    const frame = this.#ring[this.#first];
    this.#first = (this.#first + 1) % MAX_FRAMES;
    this.#count--;
    return frame;
  }
}

/** The two ends of a bridge: each hears what the other one is given. */
export interface AudioBridge {
  caller: AudioEnd;
  person: AudioEnd;
}

/**
 * Connects two calls of one process, whose frames have the same sample rate.
 *
 * @param press Presses a key towards one side.
 * @param noiseSuppression Removes the caller's noise for the person.
 */
export function bridgeAudio(
  press: Record<keyof AudioBridge, (digit: string) => void>,
  noiseSuppression?: Pick<NoiseSuppressionStream, "process">,
): AudioBridge {
  const toPerson = new FrameQueue();
  const toCaller = new FrameQueue();
  return {
    caller: {
      hear: (pcm) => toPerson.push(noiseSuppression?.process(pcm) ?? pcm),
      nextFrame: () => toCaller.shift(),
      dtmf: (digit) => press.person(digit),
    },
    person: {
      hear: (pcm) => toCaller.push(pcm),
      nextFrame: () => toPerson.shift(),
      dtmf: (digit) => press.caller(digit),
    },
  };
}
