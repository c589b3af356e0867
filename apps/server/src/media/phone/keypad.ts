import { renderDtmf } from "@parley/audio";
import { dtmfDurationMs, type DtmfPacket, DtmfSender } from "@parley/rtp";
import { RTP_CLOCK_RATE_HZ } from "../audio-codec.ts";

const FRAME_MS = 20;
const FRAME_UNITS = (FRAME_MS * RTP_CLOCK_RATE_HZ) / 1000;
/** Silence after which keys are sent. Gaps between the agent's sentences are shorter. */
const SILENT_FRAMES_BEFORE = 10;

/** Content of a tick while keys are sent. */
export type KeypadFrame =
  | { type: "event"; packet: DtmfPacket }
  /** 20 ms of a tone; `undefined` for silence. */
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
  /** Called when the sending of keys starts. */
  onPress: (keys: string, durationMs: number) => void;
}

/**
 * Sends the keys that an agent presses on a phone call: telephone events (RFC 4733) if negotiated, else tones in the
 * audio. Keys wait until the agent is silent. Meanwhile no audio of the agent is sent.
 */
export class Keypad {
  readonly #options: KeypadOptions;
  readonly #waiting: Press[] = [];
  #sending: Sending | undefined;
  #silentFrames = 0;

  constructor(options: KeypadOptions) {
    this.#options = options;
  }

  /** Resolves when all keys are sent. Rejects with the signal's reason if it aborts before the first one. */
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

  /** Whether keys are being sent. If so, the agent's audio is paused and `next` returns the frames. */
  get isSending(): boolean {
    return this.#sending !== undefined;
  }

  /** Observes every frame of the agent's audio. After enough silence, waiting keys start with the next frame. */
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

  /** Returns the frame of this tick. Call it only while `isSending`. */
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
