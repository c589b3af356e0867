import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { readEvents } from "@parley/client/events";
import type { WidgetChat, WidgetEvent, WidgetMessage, WidgetSession } from "@parley/contract";
import type { Platform } from "../support/platform/platform.ts";

/** Between attempts at a node that does not answer. */
const PAUSE_MS = 50;

interface ChatVisitorOptions {
  /** The nodes that a load balancer would choose, in this order, without those that have died. */
  nodes: readonly Platform[];
  widgetKey: string;
  index: number;
}

/** A visitor of a widget whose stream and messages go to another node when theirs has died. */
export class ChatVisitor {
  /** Stored messages in the order in which the stream has brought them. */
  readonly messages: WidgetMessage[] = [];
  /** Streams that were opened. */
  connections = 0;
  readonly #options: ChatVisitorOptions;
  readonly #closing = new AbortController();
  readonly #headers: Record<string, string>;
  #lastEventId: string | undefined;
  /** The reply that is being written. */
  #reply: string | undefined;

  constructor(options: ChatVisitorOptions) {
    this.#options = options;
    this.#headers = { "content-type": "application/json", "x-forwarded-for": `10.0.0.${options.index}` };
  }

  get replies(): WidgetMessage[] {
    return this.messages.filter(({ role }) => role === "agent");
  }

  /** Whether a part of a reply was shown that is not stored yet. */
  get unfinished(): boolean {
    return this.#reply !== undefined;
  }

  textOf(turn: number): string {
    return `Question #${this.#options.index}-${turn}`;
  }

  async start(): Promise<void> {
    const { sessionToken } = await this.#ask<WidgetSession>("POST", "/sessions", {});
    this.#headers["authorization"] = `Bearer ${sessionToken}`;
    void this.#follow();
  }

  /** Repeats the message, with its id, until a node has accepted it. */
  async send(turn: number): Promise<void> {
    await this.#ask("POST", "/chat/messages", { id: randomUUID(), text: this.textOf(turn) });
  }

  async read(): Promise<readonly WidgetMessage[]> {
    return (await this.#ask<WidgetChat>("GET", "/chat")).messages;
  }

  close(): void {
    this.#closing.abort();
  }

  get #url(): string {
    const node = this.#options.nodes.find(({ process }) => !process.killed);
    return `${node?.url}/widget/${this.#options.widgetKey}`;
  }

  async #ask<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
    for (;;) {
      this.#closing.signal.throwIfAborted();
      const init = { method, headers: this.#headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(this.#url + path, init).catch(() => undefined);
      if (response?.ok === true) return ((await response.json()) as { data: T }).data;
      if (response !== undefined) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      await sleep(PAUSE_MS);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#followOnce().catch(() => {});
      if (!signal.aborted) await sleep(PAUSE_MS);
    }
  }

  async #followOnce(): Promise<void> {
    const { signal } = this.#closing;
    const place = this.#lastEventId === undefined ? {} : { "last-event-id": this.#lastEventId };
    const response = await fetch(`${this.#url}/chat/events`, {
      headers: { ...this.#headers, ...place },
      signal,
    });
    if (!response.ok || response.body === null) return;
    this.connections += 1;
    // What was not stored is shown anew.
    this.#reply = undefined;
    for await (const { id, data } of readEvents(response.body, signal)) {
      if (id !== undefined) this.#lastEventId = id;
      this.#take(JSON.parse(data) as WidgetEvent);
    }
  }

  #take(event: WidgetEvent): void {
    if (event.type === "message") this.messages.push(event.message);
    if (event.type === "replyPart") this.#reply = event.messageId;
    if (event.type === "replyDiscarded" && event.messageId === this.#reply) this.#reply = undefined;
    if (event.type === "message" && event.message.id === this.#reply) this.#reply = undefined;
  }
}
