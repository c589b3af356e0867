/** Longest stall whose audio is still processed. Older speech is too old to be answered. */
const MAX_MISSED_FRAMES = 100;

/**
 * Counts the frames of the peer's audio that are due at a tick of the wheel: one, or after a stall of this process one
 * per tick that the wheel dropped. The audio of a stall waits in the socket, which is read after timers: it is due when the
 * event loop has completed a round.
 */
export class DueFrames {
  #lastTick: number | undefined;
  #missed = 0;
  #isUnread = false;

  /** Returns the number of frames due, the last being the tick's own; 0 while packets may be unread. */
  at(tick: number): number {
    const dropped = this.#lastTick === undefined ? 0 : tick - this.#lastTick - 1;
    this.#lastTick = tick;
    if (dropped > 0) this.#waitForSockets();
    const due = Math.min(this.#missed + dropped, MAX_MISSED_FRAMES) + 1;
    this.#missed = this.#isUnread ? due : 0;
    return this.#isUnread ? 0 : due;
  }

  /** Skips this tick and the dropped ones before it: the peer is not heard. Returns their number. */
  skip(tick: number): number {
    const skipped = this.#lastTick === undefined ? 1 : tick - this.#lastTick;
    this.#lastTick = tick;
    this.#missed = 0;
    return skipped;
  }

  #waitForSockets(): void {
    if (this.#isUnread) return;
    this.#isUnread = true;
    setImmediate(() => (this.#isUnread = false));
  }
}
