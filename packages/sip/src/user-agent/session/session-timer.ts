import type { Clock, Timer } from "../../clock.ts";
import type { HeaderFields, HeaderList } from "../../messages/header-list.ts";
import { MIN_SESSION_INTERVAL_SECONDS, readMinSe, readSessionExpires, supports } from "./session-expires.ts";
import type { Rejection } from "../request-rules.ts";

export interface SessionTimerSettings {
  /** The session ends after this time without a refresh. */
  expiresSeconds: number;
  /** The shortest interval that a peer may request; 90 or more. */
  minSeconds: number;
}

export const defaultSessionTimer: SessionTimerSettings = {
  expiresSeconds: 1800,
  minSeconds: MIN_SESSION_INTERVAL_SECONDS,
};

/** §9: rejects an interval below our minimum if the peer supports session timers. */
export function rejectionOfInterval(
  { headers }: { headers: HeaderList },
  minSeconds: number,
): Rejection | undefined {
  const requested = readSessionExpires(headers);
  const isTooShort = requested !== undefined && requested.seconds < minSeconds;
  if (!isTooShort || !supports(headers, "timer")) return undefined;
  return { status: 422, content: { headers: { "Min-SE": String(minSeconds) } } };
}

interface SessionTimerActions {
  /** Sends a refresh; its 2xx is passed to {@link SessionTimer.receiveSuccess}. */
  refresh(): void;
  /** Ends the session: the peer sent no refresh, or did not answer ours. */
  expire(): void;
}

/**
 * Session timer (RFC 4028): refreshes one session, or detects its end. Inactive until a 2xx agrees on an
 * interval; each later 2xx to INVITE or UPDATE restarts the interval.
 */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #settings: SessionTimerSettings;
  readonly #actions: SessionTimerActions;
  /** Raised if a hop finds our interval too short (§7.3). */
  #minSeconds: number;
  #interval: { seconds: number; isRefresher: boolean } | undefined;
  #timers: Timer[] = [];

  constructor(clock: Clock, settings: SessionTimerSettings, actions: SessionTimerActions) {
    this.#clock = clock;
    this.#settings = settings;
    this.#actions = actions;
    this.#minSeconds = settings.minSeconds;
  }

  /** Header fields of our re-INVITE or UPDATE (§7.4): the refresher stays the same. Empty while no timer runs. */
  requestFields(): HeaderFields {
    if (this.#interval === undefined) return {};
    const { seconds, isRefresher } = this.#interval;
    return {
      "Session-Expires": `${Math.max(seconds, this.#minSeconds)};refresher=${isRefresher ? "uac" : "uas"}`,
      ...(this.#minSeconds > MIN_SESSION_INTERVAL_SECONDS && { "Min-SE": String(this.#minSeconds) }),
    };
  }

  /** §7.3: raises the minimum to the one in a 422. */
  raise(headers: HeaderList): void {
    this.#minSeconds = Math.max(this.#minSeconds, readMinSe(headers));
  }

  /** §7.2: the 2xx to our request states the interval, if any, and the refresher. */
  receiveSuccess(headers: HeaderList): void {
    const agreed = readSessionExpires(headers);
    if (agreed === undefined) this.stop();
    else this.#start(agreed.seconds, agreed.refresher !== "uas");
  }

  rejectionOf(request: { headers: HeaderList }): Rejection | undefined {
    return rejectionOfInterval(request, this.#settings.minSeconds);
  }

  /** §9: starts the interval with our 2xx to an INVITE or UPDATE; returns the header fields of the 2xx. */
  answer({ headers }: { headers: HeaderList }): HeaderFields {
    const requested = readSessionExpires(headers);
    const ours = Math.max(this.#settings.expiresSeconds, readMinSe(headers));
    const seconds = Math.min(requested?.seconds ?? ours, ours);
    // A peer without timers cannot refresh (table 2). A peer that requested a timer may; otherwise we choose.
    const isPeerCapable = supports(headers, "timer");
    const refresher = !isPeerCapable || requested === undefined ? "uas" : (requested.refresher ?? "uac");
    this.#start(seconds, refresher === "uas");
    return {
      "Session-Expires": `${seconds};refresher=${refresher}`,
      ...(refresher === "uac" && { Require: "timer" }),
    };
  }

  /** §10: the refresher waits half the interval; the other side waits for most of it before it ends the session. */
  #start(seconds: number, isRefresher: boolean): void {
    this.stop();
    this.#interval = { seconds, isRefresher };
    const expireAfter = isRefresher ? seconds : seconds - Math.min(32, seconds / 3);
    this.#timers.push(this.#clock.schedule(expireAfter * 1000, () => this.#actions.expire()));
    if (isRefresher) this.#timers.push(this.#clock.schedule(seconds * 500, () => this.#actions.refresh()));
  }

  /** Stops the timer. Idempotent. */
  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
    this.#interval = undefined;
  }
}
