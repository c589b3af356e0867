import type { VoiceConversation } from "@parley/conversation";

const FRAME_MS = 20;
/** Longer than the longest packet (60 ms), shorter than a pause at the end of a sentence. */
const LIMIT_MS = 200;

/**
 * Compares the agent's audio with the packets that are sent. If the agent speaks and no packet is sent, its utterance ends
 * and counts as spoken only up to the last packet.
 */
export class SpeakingWatch {
  readonly #conversation: Pick<VoiceConversation, "loseAudio">;
  #packetsSent = 0;
  #unsentMs = 0;

  constructor(conversation: Pick<VoiceConversation, "loseAudio">) {
    this.#conversation = conversation;
  }

  /**
   * Called once per tick, before its frame.
   *
   * @param packetsSent Audio packets sent so far.
   */
  check(packetsSent: number): void {
    if (packetsSent > this.#packetsSent) this.#unsentMs = 0;
    this.#packetsSent = packetsSent;
    if (this.#unsentMs < LIMIT_MS) return;
    this.#conversation.loseAudio(this.#unsentMs);
    this.#unsentMs = 0;
  }

  /** Notes the agent's frame of this tick; `undefined` if the agent is silent. */
  noteFrame(frame: Int16Array | undefined): void {
    this.#unsentMs = frame === undefined ? 0 : this.#unsentMs + FRAME_MS;
  }
}
