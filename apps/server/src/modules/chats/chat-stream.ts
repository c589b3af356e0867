import type { ChatActivity, ChatEndReason, TranscriptItem } from "@parley/contract";
import type { PlacedItem } from "../conversations/conversations.service.ts";
import type { ChatHub, LiveReply } from "./chat-hub.ts";

/** What is stored of the conversation that a stream shows. */
export interface StoredChat {
  conversationId: string;
  beganAt: Date;
  /** `null` if it has not ended. */
  endReason: ChatEndReason | null;
  /** Whether a reply is due or being written, on any node. */
  isReplying: boolean;
  /** Items after the stream's place, in their order. */
  items: readonly PlacedItem[];
  /** Whether there may be items after these. */
  hasMore: boolean;
}

/** The place of a stream: the last item that its client has. */
export interface StreamPlace {
  conversationId: string;
  sequence: number;
}

/** An event before it is given the form of its route. */
export type StreamEvent =
  | { type: "activity"; activity: ChatActivity }
  | { type: "item"; conversationId: string; beganAt: Date; item: TranscriptItem }
  | { type: "replyPart"; messageId: string; offset: number; text: string }
  | { type: "replyDiscarded"; messageId: string }
  | { type: "replyFailed" }
  | { type: "ended"; conversationId: string; reason: ChatEndReason };

export interface ChatStreamOptions {
  hub: ChatHub;
  /** Key of the chat in the hub. */
  key: string;
  /** Reads what is stored after a place; `undefined` while there is no conversation. */
  read: (place: StreamPlace | undefined) => Promise<StoredChat | undefined>;
  /** Returns the event as its route sends it; `undefined` if the route does not show it. */
  present: (event: StreamEvent) => object | undefined;
  place: StreamPlace | undefined;
  /** Whether the stream ends with the conversation. */
  endsWithChat: boolean;
  signal: AbortSignal;
}

type Send = (event: StreamEvent, place?: StreamPlace) => void;

/** Below the 60 s without a byte after which servers and proxies close a connection. */
const KEEP_ALIVE_MS = 15_000;
const MAX_DURATION_MS = 3600_000;
/** Items whose id begins so are notes that no reply comes. */
export const FAILED_REPLY_PREFIX = "reply-failed-";

/**
 * Server-sent events of a chat. It compares the chat's state with what it has sent, whenever the hub wakes it: a slow client
 * gets fewer and larger parts, and nothing is queued for it.
 */
export class ChatStream {
  readonly #options: ChatStreamOptions;
  #place: StreamPlace | undefined;
  #activity: ChatActivity | undefined;
  /** Characters that the client has of messages that are not stored yet. */
  readonly #parts = new Map<string, number>();
  /** The conversation whose end was sent. */
  #endedId: string | undefined;
  /** Sent after everything else of the conversation. */
  #unsentEnd: StreamEvent | undefined;
  #isReplying = false;
  #mustRead = true;
  #wake: () => void = () => {};

  constructor(options: ChatStreamOptions) {
    this.#options = options;
    this.#place = options.place;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    const { hub, key, signal } = this.#options;
    const endsAtMs = performance.now() + MAX_DURATION_MS;
    const unsubscribe = hub.subscribe(key, {
      wake: (isStored) => {
        this.#mustRead ||= isStored;
        this.#wake();
      },
    });
    try {
      while (!signal.aborted && performance.now() < endsAtMs) {
        // Created first: what happens while events are sent wakes the next wait.
        const woken = this.#wait();
        const text = await this.#collect();
        if (text !== "") yield text;
        if (this.#endedId !== undefined && this.#options.endsWithChat) return;
        if ((await woken) === "time") yield ": keep-alive\n\n";
      }
    } finally {
      unsubscribe();
      this.#wake();
    }
  }

  /** Resolves when there may be something to send, at the latest after the interval of comments. */
  async #wait(): Promise<"woken" | "time"> {
    const { signal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<"woken" | "time">();
    const timer = setTimeout(() => resolve("time"), KEEP_ALIVE_MS);
    const end = (): void => resolve("woken");
    this.#wake = end;
    signal.addEventListener("abort", end, { once: true });
    const outcome = await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    return outcome;
  }

  /** Returns what the client does not have yet. */
  async #collect(): Promise<string> {
    let text = "";
    const send: Send = (event, place) => {
      const data = this.#options.present(event);
      if (data === undefined) return;
      if (place !== undefined) text += `id: ${formatPlace(place)}\n`;
      text += `data: ${JSON.stringify(data)}\n\n`;
    };
    while (this.#mustRead) {
      this.#mustRead = false;
      await this.#sendStored(send);
    }
    this.#sendLive(send);
    if (this.#unsentEnd !== undefined) send(this.#unsentEnd);
    this.#unsentEnd = undefined;
    return text;
  }

  async #sendStored(send: Send): Promise<void> {
    for (;;) {
      const stored = await this.#options.read(this.#place);
      if (stored === undefined) return this.#noteDeletion();
      const { conversationId, beganAt, endReason, items, hasMore } = stored;
      this.#isReplying = stored.isReplying;
      for (const { item, sequence } of items) {
        this.#place = { conversationId, sequence };
        this.#parts.delete(item.id);
        if (item.id.startsWith(FAILED_REPLY_PREFIX)) send({ type: "replyFailed" });
        send({ type: "item", conversationId, beganAt, item }, this.#place);
      }
      if (hasMore) continue;
      if (this.#place?.conversationId !== conversationId) this.#place = { conversationId, sequence: 0 };
      if (endReason !== null) this.#noteEnd(conversationId, endReason);
      return;
    }
  }

  #noteDeletion(): void {
    const conversationId = this.#place?.conversationId;
    this.#place = undefined;
    this.#isReplying = false;
    if (conversationId !== undefined) this.#noteEnd(conversationId, "deleted");
  }

  #noteEnd(conversationId: string, reason: ChatEndReason): void {
    if (this.#endedId === conversationId) return;
    this.#endedId = conversationId;
    this.#unsentEnd = { type: "ended", conversationId, reason };
  }

  #sendLive(send: Send): void {
    const conversationId = this.#place?.conversationId;
    const live = conversationId === undefined ? undefined : this.#options.hub.findReply(conversationId);
    this.#sendParts(live?.messages ?? [], send);
    const activity = live?.activity ?? (this.#isReplying ? "writing" : "idle");
    if (activity === this.#activity) return;
    this.#activity = activity;
    send({ type: "activity", activity });
  }

  #sendParts(messages: LiveReply["messages"], send: Send): void {
    // What was stored has left the parts before.
    for (const messageId of this.#parts.keys()) {
      if (messages.some(({ id }) => id === messageId)) continue;
      send({ type: "replyDiscarded", messageId });
      this.#parts.delete(messageId);
    }
    for (const { id: messageId, text } of messages) {
      const offset = this.#parts.get(messageId) ?? 0;
      if (text.length <= offset) continue;
      send({ type: "replyPart", messageId, offset, text: text.slice(offset) });
      this.#parts.set(messageId, text.length);
    }
  }
}

/** The `id` of an event, which clients send as `Last-Event-ID`. */
export function formatPlace({ conversationId, sequence }: StreamPlace): string {
  return `${conversationId}.${sequence}`;
}

/** Reads a `Last-Event-ID`; `undefined` if there is none or it is not one of ours. */
export function readPlace(lastEventId: string | undefined): StreamPlace | undefined {
  const [, conversationId, sequence] = /^([\da-f-]{36})\.(\d{1,9})$/.exec(lastEventId ?? "") ?? [];
  return conversationId === undefined || sequence === undefined
    ? undefined
    : { conversationId, sequence: Number(sequence) };
}
