import type { ChatActivity } from "@parley/contract";

/** A reply that this node writes: what streams show of it before it is stored. */
export interface LiveReply {
  activity: ChatActivity;
  /** The texts so far. Tool calls stand between them. */
  messages: readonly { id: string; text: string }[];
}

/** What a stream waits for. */
interface Listener {
  /** Called when the live reply changed, and when the stored chat may have (`isStored`). Must not throw. */
  wake: (isStored: boolean) => void;
}

/** The streams of this node by their chat's key, and the replies that it writes. */
export class ChatHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #replies = new Map<string, LiveReply>();

  /** Whether a stream of this chat is open on this node. */
  hasListener(key: string): boolean {
    return this.#listeners.has(key);
  }

  /** Returns a function that unsubscribes. */
  subscribe(key: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  /** The reply that this node writes in this conversation. */
  findReply(conversationId: string): LiveReply | undefined {
    return this.#replies.get(conversationId);
  }

  /** Shows a reply to the streams of the chat; `undefined` once it is stored or dropped. */
  show(key: string, conversationId: string, reply: LiveReply | undefined): void {
    if (reply === undefined) this.#replies.delete(conversationId);
    else this.#replies.set(conversationId, reply);
    this.#wake(key, false);
  }

  /** Has the streams of the chat read what is stored. */
  announce(key: string): void {
    this.#wake(key, true);
  }

  /** Has all streams read what is stored, because announcements may have been missed. */
  announceAll(): void {
    for (const key of this.#listeners.keys()) this.#wake(key, true);
  }

  #wake(key: string, isStored: boolean): void {
    for (const listener of this.#listeners.get(key) ?? []) listener.wake(isStored);
  }
}

/** Key of a chat for its streams: its visitor, whose conversations follow each other, or the conversation of a test. */
export function keyOf(chat: { visitorId: string | null; conversationId: string }): string {
  return chat.visitorId ?? chat.conversationId;
}
