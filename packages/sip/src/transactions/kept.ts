/**
 * What a transaction keeps, it keeps for half a minute after its call: nothing of it may hold on to more than itself.
 */

/** The same text without the message that it was cut from: V8 keeps the whole of it behind every piece. */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** A message for repeats. A small Buffer is a piece of a pool of 8 KiB, which it would keep alive. */
export class KeptMessage {
  readonly #bytes: string;

  constructor(data: Buffer) {
    this.#bytes = data.toString("latin1");
  }

  get data(): Buffer {
    return Buffer.from(this.#bytes, "latin1");
  }
}
