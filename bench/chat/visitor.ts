import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, get, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

export interface Widget {
  url: string;
  widgetKey: string;
}

interface WidgetEventOfBench {
  type: string;
  message?: { role: string };
}

/** A visitor with an open stream of events. */
export class Visitor {
  readonly #widget: Widget;
  readonly #headers: Record<string, string>;
  /** Kept open, as browsers do. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #stream: IncomingMessage | undefined;
  #firstPart = Promise.withResolvers<number>();
  #stored = Promise.withResolvers<void>();

  constructor(widget: Widget, index: number) {
    this.#widget = widget;
    const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    this.#headers = { "content-type": "application/json", "x-forwarded-for": address };
  }

  async open(): Promise<void> {
    const session = JSON.parse(await this.#post("/sessions", {})) as { data: { sessionToken: string } };
    this.#headers["authorization"] = `Bearer ${session.data.sessionToken}`;
    const url = `${this.#widget.url}/widget/${this.#widget.widgetKey}/chat/events`;
    const opening = get(url, { headers: this.#headers, agent: false });
    const [stream] = (await once(opening, "response")) as [IncomingMessage];
    this.#stream = stream;
    let rest = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const atMs = performance.now();
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block, atMs);
    });
    stream.on("error", () => {});
  }

  #take(block: string, atMs: number): void {
    const data = block.split("\n").find((line) => line.startsWith("data: "));
    if (data === undefined) return;
    const event = JSON.parse(data.slice(6)) as WidgetEventOfBench;
    const isStored = event.type === "message" && event.message?.role === "agent";
    if (event.type === "replyPart" || isStored) this.#firstPart.resolve(atMs);
    if (isStored) this.#stored.resolve();
  }

  /** Writes a message. Returns the milliseconds until the first word of the reply, once all of it is stored. */
  async ask(question: string): Promise<number> {
    this.#firstPart = Promise.withResolvers();
    this.#stored = Promise.withResolvers();
    const sentMs = performance.now();
    await this.#post("/chat/messages", { id: randomUUID(), text: question });
    const tookMs = (await this.#firstPart.promise) - sentMs;
    await this.#stored.promise;
    return tookMs;
  }

  close(): void {
    this.#stream?.destroy();
    this.#agent.destroy();
  }

  async #post(path: string, body: object): Promise<string> {
    const { url, widgetKey } = this.#widget;
    const sending = request(`${url}/widget/${widgetKey}${path}`, {
      method: "POST",
      headers: this.#headers,
      agent: this.#agent,
    });
    sending.end(JSON.stringify(body));
    const [response] = (await once(sending, "response")) as [IncomingMessage];
    const answer = await text(response);
    if (response.statusCode !== 201) throw new Error(`${path}: ${response.statusCode} ${answer}`);
    return answer;
  }
}
