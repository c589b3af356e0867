import type { Clock, Timer } from "../clock.ts";
import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import { LEAST_MIN_SE_SECONDS, readMinSe, readSessionExpires, supports } from "./session-expires.ts";
import type { Refusal } from "./request-rules.ts";

export interface SessionTimerSettings {
  /** How long a session lives without a sign of life. */
  expiresSeconds: number;
  /** The shortest interval that a peer may ask for, 90 or more. */
  minSeconds: number;
}

export const defaultSessionTimer: SessionTimerSettings = {
  expiresSeconds: 1800,
  minSeconds: LEAST_MIN_SE_SECONDS,
};

/** §9: an interval below our minimum is refused, where the peer knows what that means. */
export function refusalOfInterval(
  { headers }: { headers: HeaderList },
  minSeconds: number,
): Refusal | undefined {
  const asked = readSessionExpires(headers);
  const isTooShort = asked !== undefined && asked.seconds < minSeconds;
  if (!isTooShort || !supports(headers, "timer")) return undefined;
  return { status: 422, content: { headers: { "Min-SE": String(minSeconds) } } };
}

interface SessionTimerActions {
  /** Sends a refresh; a 2xx to it comes back through {@link SessionTimer.receiveSuccess}. */
  refresh(): void;
  /** The session has died: no refresh came, or none of ours was answered. */
  expire(): void;
}

/**
 * Keeps one session alive, or notices its death (RFC 4028). Idle until a 2xx agrees on an interval; each later 2xx
 * to INVITE or UPDATE starts the interval again.
 */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #settings: SessionTimerSettings;
  readonly #actions: SessionTimerActions;
  /** Raised where somebody on the way found our interval too short (§7.3). */
  #minSeconds: number;
  #interval: { seconds: number; isRefresher: boolean } | undefined;
  #timers: Timer[] = [];

  constructor(clock: Clock, settings: SessionTimerSettings, actions: SessionTimerActions) {
    this.#clock = clock;
    this.#settings = settings;
    this.#actions = actions;
    this.#minSeconds = settings.minSeconds;
  }

  /** Of a re-INVITE or UPDATE of ours (§7.4): who refreshes now goes on doing so. Nothing while no timer runs. */
  requestFields(): HeaderFields {
    if (this.#interval === undefined) return {};
    const { seconds, isRefresher } = this.#interval;
    return {
      "Session-Expires": `${Math.max(seconds, this.#minSeconds)};refresher=${isRefresher ? "uac" : "uas"}`,
      ...(this.#minSeconds > LEAST_MIN_SE_SECONDS && { "Min-SE": String(this.#minSeconds) }),
    };
  }

  /** §7.3: a 422 names an interval that would do. */
  raise(headers: HeaderList): void {
    this.#minSeconds = Math.max(this.#minSeconds, readMinSe(headers));
  }

  /** §7.2: the 2xx to a request of ours says whether there is a timer, and who refreshes. */
  receiveSuccess(headers: HeaderList): void {
    const agreed = readSessionExpires(headers);
    if (agreed === undefined) this.stop();
    else this.#start(agreed.seconds, agreed.refresher !== "uas");
  }

  refusalOf(request: { headers: HeaderList }): Refusal | undefined {
    return refusalOfInterval(request, this.#settings.minSeconds);
  }

  /** §9: begins the interval with our 2xx to an INVITE or UPDATE; what the 2xx has to say about it. */
  answer({ headers }: { headers: HeaderList }): HeaderFields {
    const asked = readSessionExpires(headers);
    const ours = Math.max(this.#settings.expiresSeconds, readMinSe(headers));
    const seconds = Math.min(asked?.seconds ?? ours, ours);
    // A peer without timers cannot refresh (table 2). One that asked for a timer may; else the wish is ours.
    const isPeerAble = supports(headers, "timer");
    const refresher = !isPeerAble || asked === undefined ? "uas" : (asked.refresher ?? "uac");
    this.#start(seconds, refresher === "uas");
    return {
      "Session-Expires": `${seconds};refresher=${refresher}`,
      ...(refresher === "uac" && { Require: "timer" }),
    };
  }

  /** §10: half the interval before a refresh; for the other side most of it before the session counts as dead. */
  #start(seconds: number, isRefresher: boolean): void {
    this.stop();
    this.#interval = { seconds, isRefresher };
    const expireAfter = isRefresher ? seconds : seconds - Math.min(32, seconds / 3);
    this.#timers.push(this.#clock.schedule(expireAfter * 1000, () => this.#actions.expire()));
    if (isRefresher) this.#timers.push(this.#clock.schedule(seconds * 500, () => this.#actions.refresh()));
  }

  /** Idempotent. */
  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
    this.#interval = undefined;
  }
}
