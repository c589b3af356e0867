import { randomUUID } from "node:crypto";
import type { TranscriptEntry, TranscriptItem } from "../../transcript.ts";
import { withoutStrayQuotes } from "../stray-quotes.ts";
import type { HeardSegment } from "./playout-buffer.ts";

interface Message {
  readonly id: string;
  readonly segment: number;
  startMs: number;
  endMs: number;
}

/**
 * The transcript of one speech. Tool calls are known before the words ahead of them have been spoken, so they wait for
 * those words: items are emitted in the intended order.
 */
export class SpeechTranscript {
  readonly #pending: (Message | TranscriptItem)[] = [];
  /** Steps of the flow that are still to be taken; `Infinity` until it is known. */
  #stepsLeft = Infinity;
  #stepsTaken = 0;
  #hasBegun = false;
  /** Start of the last message taken. */
  #spokenSinceMs = 0;

  addMessage(segment: number): void {
    if (this.#find(segment) !== undefined) return;
    this.#pending.push({ id: randomUUID(), segment, startMs: -1, endMs: -1 });
  }

  addEntry(entry: TranscriptEntry, atMs: number): void {
    this.#pending.push({ ...entry, id: randomUUID(), startMs: atMs, endMs: atMs });
  }

  /** Records a frame of a message; returns the message's id with its first frame. */
  markFrame(segment: number, startMs: number, endMs: number): string | undefined {
    const message = this.#find(segment);
    if (message === undefined) return undefined;
    this.#hasBegun = true;
    const isFirst = message.startMs < 0;
    if (isFirst) message.startMs = startMs;
    message.endMs = endMs;
    return isFirst ? message.id : undefined;
  }

  get hasSeveral(): boolean {
    return this.#pending.length > 1;
  }

  /**
   * Takes the settled items: up to the message that is being spoken, or all if the speech is over.
   *
   * @param isInterruption Whether the caller cut the speech off.
   */
  take(heard: readonly HeardSegment[], isOver: boolean, isInterruption: boolean): TranscriptItem[] {
    const items: TranscriptItem[] = [];
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      if ("segment" in next) {
        const { segment, id, startMs, endMs } = next;
        const { text, isWhole } = heard.find((candidate) => candidate.segment === segment) ?? NOTHING;
        if (!isOver && !(isWhole && this.hasSeveral)) break;
        const interrupted = isInterruption && !isWhole ? { interrupted: true } : {};
        const trimmed = withoutStrayQuotes(text);
        this.#spokenSinceMs = Math.max(this.#spokenSinceMs, startMs);
        if (trimmed !== "") {
          items.push({ id, type: "message", role: "agent", text: trimmed, startMs, endMs, ...interrupted });
        }
      } else if (!isOver && this.#isUncertain(next)) break;
      else if (this.#takeStep(next)) items.push(this.#afterWords(next));
      this.#pending.shift();
    }
    return items;
  }

  /** Sets how many steps of the flow count in the whole speech; later ones are dropped. */
  keepSteps(count: number): void {
    this.#stepsLeft = count - this.#stepsTaken;
  }

  /** Whether it is a step of the flow that does not count if the caller stops the speech now. */
  #isUncertain({ type }: TranscriptItem): boolean {
    return (
      type === "flow" &&
      !this.#hasBegun &&
      !this.#pending.some((other) => "type" in other && other.type !== "flow")
    );
  }

  #takeStep({ type }: TranscriptItem): boolean {
    if (type !== "flow") return true;
    this.#stepsTaken++;
    return this.#stepsLeft-- > 0;
  }

  /** The words ahead of a tool call begin later than the call itself is known. */
  #afterWords(item: TranscriptItem): TranscriptItem {
    const startMs = Math.max(item.startMs, this.#spokenSinceMs);
    return { ...item, startMs, endMs: Math.max(item.endMs, startMs) };
  }

  #find(segment: number): Message | undefined {
    for (const entry of this.#pending) if ("segment" in entry && entry.segment === segment) return entry;
    return undefined;
  }
}

/** Result for a message without a speakable clause. */
const NOTHING: HeardSegment = { segment: -1, text: "", isWhole: true };
