import type { VoiceConversation } from "@parley/conversation";

const FRAME_MS = 20;
/** More than the longest packet holds (60 ms), and less than a caller takes for the end of a sentence. */
const LIMIT_MS = 200;

/**
 * Proves that the agent speaks against the packets that leave: where it hands out audio and none of it leaves, what it says
 * ends there, and counts as said only as far as it was sent.
 */
export class SpeakingWatch {
  readonly #conversation: Pick<VoiceConversation, "loseAudio">;
  #packetsSent = 0;
  #unsentMs = 0;

  constructor(conversation: Pick<VoiceConversation, "loseAudio">) {
    this.#conversation = conversation;
  }

  /**
   * Once per tick, before its frame is handed out.
   *
   * @param packetsSent Packets of audio that the network has taken so far.
   */
  check(packetsSent: number): void {
    if (packetsSent > this.#packetsSent) this.#unsentMs = 0;
    this.#packetsSent = packetsSent;
    if (this.#unsentMs < LIMIT_MS) return;
    this.#conversation.loseAudio(this.#unsentMs);
    this.#unsentMs = 0;
  }

  /** The agent's frame of this tick, on its way to the network; undefined: it is silent. */
  noteFrame(frame: Int16Array | undefined): void {
    this.#unsentMs = frame === undefined ? 0 : this.#unsentMs + FRAME_MS;
  }
}
