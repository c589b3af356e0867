/** If checks are further apart than this, this process was stalled and could not read the peer's packets. */
const STALL_MS = 2_000;

type State =
  | { name: "unmeasured" }
  | { name: "measuring"; sinceMs: number; checkedAtMs: number }
  | { name: "reported" };

/** Measures how long a peer that must send has sent nothing. Reports once. */
export class PeerSilence {
  #state: State = { name: "unmeasured" };

  /** Measures anew: from now on the peer must send, or is on hold. */
  restart(): void {
    if (this.#state.name === "measuring") this.#state = { name: "unmeasured" };
  }

  /**
   * To be called at least every second. Returns the silence in milliseconds the first time that it reaches the limit.
   *
   * @param lastActivityAtMs Arrival of the peer's last packet; `undefined` if there was none.
   */
  check(nowMs: number, lastActivityAtMs: number | undefined, limitMs: number): number | undefined {
    if (this.#state.name === "reported") return undefined;
    const sinceMs = this.#measureSince(this.#state, nowMs);
    this.#state = { name: "measuring", sinceMs, checkedAtMs: nowMs };
    const silentMs = nowMs - Math.max(sinceMs, lastActivityAtMs ?? -Infinity);
    if (silentMs < limitMs) return undefined;
    this.#state = { name: "reported" };
    return silentMs;
  }

  #measureSince(state: Exclude<State, { name: "reported" }>, nowMs: number): number {
    // After a stall of this process the peer's packets are still unread.
    if (state.name === "unmeasured" || nowMs - state.checkedAtMs > STALL_MS) return nowMs;
    return state.sinceMs;
  }
}
