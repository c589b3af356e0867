/** What a call's media is connected with: its conversation, or another call. */
export interface AudioEnd {
  /** Takes 20 ms from the other side. The buffer may be reused after return. */
  hear: (pcm: Int16Array) => void;
  /** The next 20 ms for the other side, valid until the next call; `undefined` for silence. */
  nextFrame: () => Int16Array | undefined;
  /** Takes a key of the other side. */
  dtmf: (digit: string) => void;
}

/** Frames that one side may be ahead of the other. Older ones are dropped: delay would stay for the rest of the call. */
const MAX_FRAMES = 3;

/** Frames from one side to the other, whose ticks are at other times within 20 ms. */
class FrameQueue {
  readonly #frames: Int16Array[] = [];

  push(pcm: Int16Array): void {
    // Takes the oldest frame's memory, so that a long call allocates nothing.
    const frame = this.#frames.length < MAX_FRAMES ? new Int16Array(pcm.length) : this.#frames.shift();
    frame?.set(pcm);
    if (frame !== undefined) this.#frames.push(frame);
  }

  shift(): Int16Array | undefined {
    return this.#frames.shift();
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
 */
export function bridgeAudio(press: Record<keyof AudioBridge, (digit: string) => void>): AudioBridge {
  const toPerson = new FrameQueue();
  const toCaller = new FrameQueue();
  return {
    caller: {
      hear: (pcm) => toPerson.push(pcm),
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
