/** A copy of the text: a V8 substring would keep the whole message in memory for the life of the transaction. */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** A message for retransmission. Stored as a string, because a small Buffer would keep its 8 KiB pool alive. */
export class RetainedMessage {
  readonly #bytes: string;

  constructor(data: Buffer) {
    this.#bytes = data.toString("latin1");
  }

  get data(): Buffer {
    return Buffer.from(this.#bytes, "latin1");
  }
}
