/** Browsers send audio continuously. One that has sent none for this long is absent. */
const RTP_SILENCE_MS = 2_000;
/** A browser without a microphone still sends RTCP reports, about every 5 s (RFC 3550 §6.2). */
const RTCP_SILENCE_MS = 10_000;
/** Longest absence of a browser before its call ends. */
const ABSENCE_LIMIT_MS = 15_000;
/** If checks are further apart than this, this process was stalled and could not read the browser's packets. */
const STALL_MS = 1_000;

type State = { name: "present" } | { name: "absent"; sinceMs: number } | { name: "abandoned" };

export interface BrowserPresenceOptions {
  /** Time at which the first browser connected. */
  nowMs: number;
  /** Called once, when browsers have been absent for 15 s. */
  onAbandoned: (absentMs: number) => void;
}

/** Whether the browser of a call is there, by the packets that arrive from it. */
export class BrowserPresence {
  readonly #onAbandoned: (absentMs: number) => void;
  #state: State = { name: "present" };
  #rtpAtMs: number;
  #rtcpAtMs = -Infinity;
  #checkedAtMs = -Infinity;

  constructor({ nowMs, onAbandoned }: BrowserPresenceOptions) {
    this.#rtpAtMs = nowMs;
    this.#onAbandoned = onAbandoned;
  }

  /** Audio has arrived, or a new connection can carry it. */
  noteRtp(atMs: number): void {
    this.#rtpAtMs = atMs;
  }

  noteRtcp(atMs: number): void {
    this.#rtcpAtMs = atMs;
  }

  /** The connection is closed or lost: the browser is absent at once. */
  noteDisconnection(): void {
    this.#rtpAtMs = -Infinity;
    this.#rtcpAtMs = -Infinity;
  }

  /** Returns whether the browser is present. Called every frame. */
  check(nowMs: number): boolean {
    const isStalled = nowMs - this.#checkedAtMs > STALL_MS;
    this.#checkedAtMs = nowMs;
    if (nowMs < this.#presentUntilMs) {
      if (this.#state.name === "absent") this.#state = { name: "present" };
      return true;
    }
    // After a stall of this process the browser's packets are still unread: its absence is measured anew.
    if (this.#state.name === "present" || (this.#state.name === "absent" && isStalled))
      this.#state = { name: "absent", sinceMs: nowMs };
    if (this.#state.name === "absent") this.#abandonAfterLimit(nowMs - this.#state.sinceMs);
    return false;
  }

  get #presentUntilMs(): number {
    // A browser that sends reports but no audio has no microphone at the moment, and listens.
    const isMute = this.#rtcpAtMs > this.#rtpAtMs + RTP_SILENCE_MS / 2;
    return isMute ? this.#rtcpAtMs + RTCP_SILENCE_MS : this.#rtpAtMs + RTP_SILENCE_MS;
  }

  #abandonAfterLimit(absentMs: number): void {
    if (absentMs < ABSENCE_LIMIT_MS) return;
    this.#state = { name: "abandoned" };
    this.#onAbandoned(absentMs);
  }
}
