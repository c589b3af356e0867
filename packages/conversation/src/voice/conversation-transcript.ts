import { randomUUID } from "node:crypto";
import type { Dialogue } from "../dialogue/dialogue.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { VoiceEvent } from "./voice-event.ts";

export interface ConversationTranscriptOptions {
  dialogue: Dialogue;
  onEvent: (event: VoiceEvent) => void;
}

/** Adds entries to the dialogue's history and to the transcript, in the order in which they were heard. */
export class ConversationTranscript {
  readonly #options: ConversationTranscriptOptions;
  /**
   * Filler phrases played while the caller's words were still being recognized: the words come first in the transcript.
   */
  readonly #fillers: { entry: TranscriptEntry; startMs: number; endMs: number }[] = [];

  constructor(options: ConversationTranscriptOptions) {
    this.#options = options;
  }

  enter(entry: TranscriptEntry, startMs: number, endMs: number): void {
    const { dialogue, onEvent } = this.#options;
    dialogue.record(entry);
    onEvent({ type: "item", item: { ...entry, id: randomUUID(), startMs, endMs } });
  }

  /** Keeps a filler phrase for the next `enterFillers`. */
  addFiller(entry: TranscriptEntry, startMs: number, endMs: number): void {
    this.#fillers.push({ entry, startMs, endMs });
  }

  /**
   * Enters filler phrases.
   *
   * @param wordsSinceMs Start of words that are still being recognized: phrases played since then wait for them.
   */
  enterFillers(wordsSinceMs = Infinity): void {
    for (
      let next = this.#fillers[0];
      next !== undefined && next.startMs < wordsSinceMs;
      next = this.#fillers[0]
    ) {
      this.#fillers.shift();
      this.enter(next.entry, next.startMs, next.endMs);
    }
  }
}
