import type { DialogClient } from "../dialogs/dialog-client.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import type { OfferAnswer } from "../sdp/offer-answer.ts";
import { holdDirections } from "../sdp/revise.ts";
import type { Hop } from "../transport/transport.ts";
import type { UserAgentCore } from "./core.ts";
import { capabilities } from "./request-rules.ts";
import type { SessionTimer } from "./session-timer.ts";

interface SessionContextOptions {
  core: UserAgentCore;
  dialog: Dialog;
  client: DialogClient;
  media: OfferAnswer;
  timer: SessionTimer;
  contactFor: (peer: Hop) => string;
  isCaller: boolean;
}

/** What the parts of one session share. */
export class SessionContext {
  readonly core: UserAgentCore;
  readonly dialog: Dialog;
  readonly client: DialogClient;
  readonly media: OfferAnswer;
  readonly timer: SessionTimer;
  /** Whether this side sent the INVITE, and so owns the Call-ID (RFC 3261 §14.1). */
  readonly isCaller: boolean;
  /** Whether we hold the peer: our descriptions then ask for nothing. */
  isHolding = false;
  /** Our description as the application means it, not narrowed by our own hold. */
  description = "";
  /** Aborts when the session ends. */
  readonly ending = new AbortController();
  readonly #contactFor: (peer: Hop) => string;
  #allowed: readonly string[] = [];

  constructor(options: SessionContextOptions) {
    this.core = options.core;
    this.dialog = options.dialog;
    this.client = options.client;
    this.media = options.media;
    this.timer = options.timer;
    this.#contactFor = options.contactFor;
    this.isCaller = options.isCaller;
  }

  get isEnded(): boolean {
    return this.ending.signal.aborted;
  }

  /** The Contact value of this side. */
  get contact(): string {
    return this.#contactFor(this.client.peer);
  }

  /** What a request or response that refreshes the target carries (§12.1.1, §12.2.1.1). */
  get fields(): HeaderFields {
    return { Contact: this.contact, ...capabilities };
  }

  /** Takes over a description of the application, and narrows it to what may be sent now. */
  describe(sdp: string): string {
    this.description = sdp;
    return this.isHolding ? holdDirections(sdp) : sdp;
  }

  /** Takes in which methods the peer knows. */
  learnMethods(headers: HeaderList): void {
    if (headers.has("allow")) this.#allowed = headers.getList("allow").map((method) => method.toUpperCase());
  }

  /** Whether the peer has said that it knows this method. */
  allows(method: string): boolean {
    return this.#allowed.includes(method);
  }

  /** Resolves after this time, or at once when the session ends. */
  pause(durationMs: number): Promise<void> {
    const { signal } = this.ending;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const timer = this.core.clock.schedule(durationMs, finish);
      signal.addEventListener("abort", finish);
    });
  }
}
