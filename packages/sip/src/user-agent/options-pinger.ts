import type { Timer } from "../clock.ts";
import { retryAfterMs } from "../messages/delta-seconds.ts";
import type { NextHop } from "../transport/locate.ts";
import type { UserAgentCore } from "./core.ts";
import { type Party, uriOf } from "./identity.ts";
import { StandaloneRequests } from "./standalone.ts";

export interface PingOptions {
  to: Party;
  from: Party;
  /** Default: derived from the URI of `to`. */
  destination?: NextHop;
  /** Time between OPTIONS requests, with 10 % jitter. Default 30 s. */
  intervalMs?: number;
  /** An answer that takes longer counts as missing. Default 5 s. */
  timeoutMs?: number;
  /** Failures in a row before the peer is down. Default 2, because one ping may be lost. */
  failuresUntilDown?: number;
  /**
   * Called for each change of {@link OptionsPinger.state} between up and down, and for each new reason of an
   * outage.
   */
  onChange?: (state: PeerState) => void;
}

/** Availability of a peer according to its answers to OPTIONS (RFC 3261 §11). */
export type PeerState =
  | { status: "unknown" }
  | { status: "up"; roundTripMs: number }
  | { status: "down"; reason: string };

type Verdict = { ok: true; roundTripMs: number } | { ok: false; reason: string; pauseMs: number };

const DEFAULT_INTERVAL_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_FAILURES_UNTIL_DOWN = 2;

/** Upper limit of a peer's Retry-After. */
const MAX_PAUSE_MS = 300_000;

/** Statuses that mean calls would fail. Every other answer, also a rejection, shows that the peer is available. */
const failingStatuses = new Set([408, 500, 502, 503, 504]);

/** Pings a peer with OPTIONS at intervals until closed. */
export class OptionsPinger {
  readonly #core: UserAgentCore;
  readonly #options: PingOptions;
  readonly #onClosed: () => void;
  #state: PeerState = { status: "unknown" };
  #failures = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(core: UserAgentCore, options: PingOptions, onClosed: () => void) {
    this.#core = core;
    this.#options = options;
    this.#onClosed = onClosed;
    this.#ping();
  }

  get state(): PeerState {
    return this.#state;
  }

  #ping(): void {
    const { clock, reportError } = this.#core;
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const silent: Verdict = { ok: false, reason: "no answer", pauseMs: 0 };
    this.#timer = clock.schedule(this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => resolve(silent));
    this.#sendPing().then(resolve, reportError);
    promise.then((verdict) => this.#receive(verdict)).catch(reportError);
  }

  async #sendPing(): Promise<Verdict> {
    const { locator, clock } = this.#core;
    const { to, from, destination } = this.#options;
    const requestUri = uriOf(to);
    const target = await locator.locate(destination ?? requestUri).catch(() => undefined);
    if (target === undefined) return { ok: false, reason: "the name has no address", pauseMs: 0 };
    const startedAtMs = clock.nowMs();
    const reply = await new StandaloneRequests(this.#core).send(
      {
        method: "OPTIONS",
        requestUri,
        to,
        from,
        fields: (hop) => ({ Contact: this.#core.contactFor(undefined, hop), Accept: "application/sdp" }),
      },
      target,
    );
    if ("failure" in reply) {
      const reason = reply.failure === "transport" ? "cannot be reached" : "no answer";
      return { ok: false, reason, pauseMs: 0 };
    }
    const { status, reason } = reply.response;
    if (!failingStatuses.has(status)) return { ok: true, roundTripMs: clock.nowMs() - startedAtMs };
    return { ok: false, reason: `${status} ${reason}`, pauseMs: retryAfterMs(reply.response) ?? 0 };
  }

  #receive(verdict: Verdict): void {
    if (this.#isClosed) return;
    this.#timer?.cancel();
    if (verdict.ok) this.#change({ status: "up", roundTripMs: verdict.roundTripMs });
    else if (++this.#failures >= (this.#options.failuresUntilDown ?? DEFAULT_FAILURES_UNTIL_DOWN)) {
      this.#change({ status: "down", reason: verdict.reason });
    }
    if (verdict.ok) this.#failures = 0;
    const { intervalMs = DEFAULT_INTERVAL_MS } = this.#options;
    const spreadMs = intervalMs * (0.9 + 0.2 * this.#core.random());
    const pauseMs = verdict.ok ? 0 : Math.min(verdict.pauseMs, MAX_PAUSE_MS);
    if (this.#isClosed) return;
    this.#timer = this.#core.clock.schedule(Math.max(spreadMs, pauseMs), () => this.#ping());
  }

  #change(state: PeerState): void {
    const before = this.#state;
    this.#state = state;
    const isSame = before.status === state.status;
    const isSameReason =
      before.status === "down" && state.status === "down" && before.reason === state.reason;
    if (isSame && (state.status === "up" || isSameReason)) return;
    this.#core.guard(() => this.#options.onChange?.(state));
  }

  /** Stops the pings. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#onClosed();
  }
}
