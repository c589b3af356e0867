/** Longest time between a key by INFO and the telephone event of the same key. */
const REPEAT_TIMEOUT_MS = 2000;
/** More keys than a person presses in that time. */
const MAX_UNREPEATED_KEYS = 32;

/**
 * Keys that the caller presses, from telephone events (RFC 4733) and from INFO. Some peers negotiate events and send
 * INFO, others send each key both ways. INFO is heard until the first event; an event that repeats a key by INFO is
 * not heard again.
 */
export class CallerKeys {
  readonly #press: (digit: string) => void;
  readonly #unrepeated: { digit: string; atMs: number }[] = [];
  #hasEvents = false;

  constructor(press: (digit: string) => void) {
    this.#press = press;
  }

  /** Takes a key that arrived by INFO. */
  takeInfo(digit: string, atMs: number): void {
    if (this.#hasEvents) return;
    this.#unrepeated.push({ digit, atMs });
    if (this.#unrepeated.length > MAX_UNREPEATED_KEYS) this.#unrepeated.shift();
    this.#press(digit);
  }

  /** Takes a key that arrived as telephone events, at its end. */
  takeEvent(digit: string, atMs: number): void {
    const isRecent = (key: { digit: string; atMs: number }): boolean => atMs - key.atMs <= REPEAT_TIMEOUT_MS;
    const repeated = this.#unrepeated.findIndex((key) => key.digit === digit && isRecent(key));
    if (repeated < 0) return this.#press(digit);
    this.#unrepeated.splice(0, repeated + 1);
  }

  /** Reports a packet of an event: from now on, INFO is ignored. */
  noticeEvent(): void {
    this.#hasEvents = true;
  }

  /** The call was connected to another party, which may send keys in another way. */
  reset(): void {
    this.#hasEvents = false;
    this.#unrepeated.length = 0;
  }
}
