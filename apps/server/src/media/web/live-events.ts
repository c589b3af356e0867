import type { LiveCallEvent } from "@parley/contract";

/** Transcript items kept for a browser that reconnects. Long calls have fewer. */
const MAX_ITEMS = 1000;

/** Sends the events of a call to its browser, and replays them on a new connection. */
export class LiveEvents {
  readonly #send: (message: string) => void;
  readonly #items: string[] = [];
  #state: LiveCallEvent = { type: "state", state: "listening" };
  /** The message that announced what the agent is saying now. */
  #speech: string | undefined;

  /** @param send Sends to the current connection, if there is one. */
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
      if (this.#items.length > MAX_ITEMS) this.#items.shift();
    }
    this.#send(message);
  }

  /** Brings a new connection up to date. */
  replay(): void {
    this.#send(JSON.stringify(this.#state));
    for (const item of this.#items) this.#send(item);
    if (this.#speech !== undefined) this.#send(this.#speech);
  }
}
