/** A longer stall is not made up for: what was said in it is too old to be answered. */
const MAX_MISSED_FRAMES = 100;

/**
 * Counts the frames of the peer's audio that are due at a tick of the wheel: one, and after a stall of this process one
 * for each tick that the wheel had to drop. The audio of a stall has arrived and waits in the socket, which is read
 * after timers: it is due once the event loop has come round.
 */
export class DueFrames {
  #lastTick: number | undefined;
  #missed = 0;
  #isUnread = false;

  /** Returns how many frames are due, of which the tick's own is the last; 0 while packets may wait to be read. */
  at(tick: number): number {
    const dropped = this.#lastTick === undefined ? 0 : tick - this.#lastTick - 1;
    this.#lastTick = tick;
    if (dropped > 0) this.#waitForSockets();
    const due = Math.min(this.#missed + dropped, MAX_MISSED_FRAMES) + 1;
    this.#missed = this.#isUnread ? due : 0;
    return this.#isUnread ? 0 : due;
  }

  /** Nothing of the peer is heard at this tick. */
  skip(tick: number): void {
    this.#lastTick = tick;
    this.#missed = 0;
  }

  #waitForSockets(): void {
    if (this.#isUnread) return;
    this.#isUnread = true;
    setImmediate(() => (this.#isUnread = false));
  }
}
