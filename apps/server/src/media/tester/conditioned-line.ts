import { ComfortNoise } from "@parley/audio";
import type { LineConditions } from "../media-protocol.ts";
import { ImpatientEar } from "./impatient-ear.ts";

const FRAME_MS = 20;

/** The conditions under which a tester calls, applied to its own side of the line. */
export class ConditionedLine {
  readonly #noise: ComfortNoise | undefined;
  readonly #ear: ImpatientEar | undefined;
  readonly #packetLoss: number;
  readonly #mixed: Int16Array;
  readonly #background: Int16Array;
  #state = 1;

  /** @param sampleRateHz Of the frames, which have 20 ms each. */
  constructor({ noiseLevelDb, packetLoss, interruptsAfterMs }: LineConditions, sampleRateHz: number) {
    const samplesPerFrame = (FRAME_MS * sampleRateHz) / 1000;
    this.#packetLoss = packetLoss;
    this.#mixed = new Int16Array(samplesPerFrame);
    this.#background = new Int16Array(samplesPerFrame);
    this.#ear = interruptsAfterMs === undefined ? undefined : new ImpatientEar(interruptsAfterMs);
    if (noiseLevelDb === undefined) return;
    this.#noise = new ComfortNoise();
    this.#noise.describe(Uint8Array.of(-noiseLevelDb));
  }

  /** Whether the line loses the next packet. The same packets are lost in every call. */
  losesPacket(): boolean {
    if (this.#packetLoss === 0) return false;
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0;
    return (this.#state >>> 0) / 2 ** 32 < this.#packetLoss;
  }

  /** Changes a frame of the agent to what the tester takes in of it. */
  hear(frame: Int16Array): void {
    if (this.#ear?.takesIn(frame) === false) frame.fill(0);
  }

  /**
   * Returns a frame of the tester with its surroundings, valid until the next call.
   *
   * @param frame `undefined` while the tester is silent.
   */
  say(frame: Int16Array | undefined): Int16Array | undefined {
    this.#ear?.noteOwnFrame(frame !== undefined);
    if (this.#noise === undefined) return frame;
    this.#noise.render(this.#background);
    for (const [index, noise] of this.#background.entries())
      this.#mixed[index] = Math.max(-32_768, Math.min(32_767, (frame?.[index] ?? 0) + noise));
    return this.#mixed;
  }
}
