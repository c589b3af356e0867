import { renderDtmf } from "@parley/audio";
import { dtmfDurationMs, type DtmfPacket, DtmfSender } from "@parley/rtp";
import { RTP_CLOCK_RATE_HZ } from "../audio-codec.ts";

const FRAME_MS = 20;
const FRAME_UNITS = (FRAME_MS * RTP_CLOCK_RATE_HZ) / 1000;
/** Keys follow the agent's words; a gap between two of its sentences is shorter. */
const SILENT_FRAMES_BEFORE = 10;

/** What is sent in place of the agent's audio. */
export type KeypadFrame =
  | { type: "event"; packet: DtmfPacket }
  /** 20 ms, or silence. */
  | { type: "audio"; pcm: Int16Array | undefined };

interface Press {
  keys: string;
  signal: AbortSignal;
  resolve: () => void;
}

type Sending =
  | { type: "events"; sender: DtmfSender; endsAt: number; resolve: () => void }
  | { type: "tones"; pcm: Int16Array; offset: number; resolve: () => void };

export interface KeypadOptions {
  sampleRateHz: 8000 | 16000;
  /** Called when keys begin to be sent. */
  onPress: (keys: string, durationMs: number) => void;
}

/**
 * The keys that an agent presses on a phone call: telephone events (RFC 4733) where the peer takes them, else tones in the
 * audio. They wait until the agent is silent, and nothing of the agent is sent while they are.
 */
export class Keypad {
  readonly #options: KeypadOptions;
  readonly #waiting: Press[] = [];
  #sending: Sending | undefined;
  #silentFrames = 0;

  constructor(options: KeypadOptions) {
    this.#options = options;
  }

  /** Resolves when all keys were sent; rejects with the signal's reason where they had not begun to be. */
  async press(keys: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const press = { keys, signal, resolve };
    this.#waiting.push(press);
    const onAbort = (): void => {
      const index = this.#waiting.indexOf(press);
      if (index < 0) return;
      this.#waiting.splice(index, 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Something is being sent: the agent's audio stands still, and `next` says what takes its place. */
  get isSending(): boolean {
    return this.#sending !== undefined;
  }

  /** Told of every frame of the agent's audio: after enough silence what waits begins with the frame that follows. */
  noticeFrame(isSilent: boolean, timestamp: number, takesEvents: boolean): void {
    this.#silentFrames = isSilent ? this.#silentFrames + 1 : 0;
    if (this.#silentFrames < SILENT_FRAMES_BEFORE) return;
    const press = this.#waiting.shift();
    if (press === undefined) return;
    const { keys, resolve } = press;
    const { sampleRateHz, onPress } = this.#options;
    const durationMs = dtmfDurationMs(keys);
    this.#sending = takesEvents
      ? {
          type: "events",
          sender: new DtmfSender({ digits: keys, clockRateHz: RTP_CLOCK_RATE_HZ }),
          endsAt: timestamp + FRAME_UNITS + (durationMs * RTP_CLOCK_RATE_HZ) / 1000,
          resolve,
        }
      : { type: "tones", pcm: renderDtmf(keys, sampleRateHz), offset: 0, resolve };
    onPress(keys, durationMs);
  }

  /** The frame of this tick; to be called while `isSending`. */
  next(timestamp: number): KeypadFrame {
    const sending = this.#sending;
    if (sending?.type === "events") {
      const packet = sending.sender.next(timestamp, FRAME_UNITS);
      if (sending.sender.isDone && timestamp + FRAME_UNITS >= sending.endsAt) this.#finish(sending);
      return packet === undefined ? { type: "audio", pcm: undefined } : { type: "event", packet };
    }
    if (sending === undefined) return { type: "audio", pcm: undefined };
    const end = sending.offset + (FRAME_MS * this.#options.sampleRateHz) / 1000;
    const pcm = sending.pcm.subarray(sending.offset, end);
    sending.offset = end;
    if (end >= sending.pcm.length) this.#finish(sending);
    return { type: "audio", pcm };
  }

  #finish({ resolve }: Sending): void {
    this.#sending = undefined;
    resolve();
  }
}
