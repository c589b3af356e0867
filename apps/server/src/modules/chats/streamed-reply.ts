import { randomUUID } from "node:crypto";
import type { Dialogue, TranscriptEntry } from "@parley/conversation";
import type { ReplyFailures } from "../conversations/text/reply-failures.ts";
import type { LiveReply } from "./chat-hub.ts";

/** Has a dialogue answer its history, and shows the reply while it is written. */
export class StreamedReply {
  readonly #show: (reply: LiveReply) => void;
  /** By segment. */
  readonly #messages: { id: string; text: string }[] = [];

  constructor(show: (reply: LiveReply) => void) {
    this.#show = show;
  }

  /**
   * Returns what the reply adds to the conversation; its messages have the ids under which they were shown. After a failure
   * it has no text, only what its tools did: the next attempt continues after them and does not call them again.
   */
  async run(
    dialogue: Dialogue,
    signal: AbortSignal,
    failures: Pick<ReplyFailures, "note" | "noteEnd">,
  ): Promise<{ entries: (TranscriptEntry & { id?: string })[]; error: unknown }> {
    const known = dialogue.history.length;
    const reply = dialogue.respond({ type: "continue" }, { signal });
    this.#show({ activity: "writing", messages: [] });
    let error: unknown;
    try {
      for await (const part of reply) {
        failures.note(part);
        if (part.type === "text") this.#add(part.segment, part.text);
        const activity = part.type === "toolCall" || part.type === "wait" ? "working" : "writing";
        this.#show({ activity, messages: this.#messages.filter(({ text }) => text.trim() !== "") });
      }
    } catch (cause) {
      error = cause;
    }
    failures.noteEnd(error);
    dialogue.settle(reply.id, error === undefined ? undefined : []);
    return { entries: this.#identify(dialogue.history.slice(known)), error };
  }

  #add(segment: number, text: string): void {
    const message = (this.#messages[segment] ??= { id: randomUUID(), text: "" });
    message.text += text;
  }

  /** Segments without words have no message. */
  #identify(entries: readonly TranscriptEntry[]): (TranscriptEntry & { id?: string })[] {
    const ids = this.#messages.filter(({ text }) => text.trim() !== "").map(({ id }) => id);
    return entries.map((entry) => {
      const id = entry.type === "message" ? ids.shift() : undefined;
      return id === undefined ? entry : { ...entry, id };
    });
  }
}
