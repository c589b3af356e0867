import type { LiveCallEvent } from "@parley/contract";

/** Items that are kept for a browser that comes back: more than a long call has. */
const MOST_ITEMS = 1000;

/** What a browser is told of its call as it goes, and again from the beginning on a new connection. */
export class LiveEvents {
  readonly #send: (message: string) => void;
  readonly #items: string[] = [];
  #state: LiveCallEvent = { type: "state", state: "listening" };
  /** What the agent is saying. */
  #speech: string | undefined;

  /** @param send To the connection there is, if any. */
  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  add(event: LiveCallEvent): void {
    const message = JSON.stringify(event);
    if (event.type === "state") this.#state = event;
    if (event.type === "itemStarted") this.#speech = message;
    if (event.type === "item") {
      if (event.item.role === "agent") this.#speech = undefined;
      this.#items.push(message);
      if (this.#items.length > MOST_ITEMS) this.#items.shift();
    }
    this.#send(message);
  }

  /** Tells a new connection where the call stands. */
  replay(): void {
    this.#send(JSON.stringify(this.#state));
    for (const item of this.#items) this.#send(item);
    if (this.#speech !== undefined) this.#send(this.#speech);
  }
}
