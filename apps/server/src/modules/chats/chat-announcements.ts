import type { Bus } from "../../platform/bus/bus.ts";
import type { Queries } from "../../platform/database/database.ts";
import type { ChatHub } from "./chat-hub.ts";
import type { ChatReplies } from "./chat-replies.ts";

const TOPIC = "chats";

/**
 * Announces changed chats to the other nodes; this node's streams learn of them directly. A node that has the chat's stream
 * writes its reply.
 */
export class ChatAnnouncements {
  readonly #bus: Bus;
  readonly #nodeId: string;

  constructor(bus: Bus, nodeId: string) {
    this.#bus = bus;
    this.#nodeId = nodeId;
  }

  async publish(transaction: Queries, key: string): Promise<void> {
    await this.#bus.publish(transaction, TOPIC, `${key}@${this.#nodeId}`);
  }

  /** @returns a function that unsubscribes. */
  listen(hub: ChatHub, replies: ChatReplies, onError: (error: unknown) => void): () => void {
    const stops = [
      this.#bus.subscribe(TOPIC, (announcement) => {
        const [key = "", nodeId] = announcement.split("@");
        if (nodeId === this.#nodeId || !hub.hasListener(key)) return;
        hub.announce(key);
        replies.takeUp(key).catch(onError);
      }),
      this.#bus.onReconnect(() => hub.announceAll()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }
}
