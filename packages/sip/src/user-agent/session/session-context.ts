import type { DialogClient } from "../../dialogs/dialog-client.ts";
import type { Dialog } from "../../dialogs/dialog.ts";
import type { HeaderFields, HeaderList } from "../../messages/header-list.ts";
import type { OfferAnswer } from "../../sdp/offer-answer.ts";
import { holdDirections } from "../../sdp/revise.ts";
import type { Hop } from "../../transport/transport.ts";
import type { UserAgentCore } from "../core.ts";
import { capabilities } from "../request-rules.ts";
import type { SessionTimer } from "./session-timer.ts";

interface SessionContextOptions {
  core: UserAgentCore;
  dialog: Dialog;
  client: DialogClient;
  media: OfferAnswer;
  timer: SessionTimer;
  contactFor: (peer: Hop) => string;
  isCaller: boolean;
  /** Returns the application's description for an offer; `undefined` if it has no handler. */
  buildOffer: () => string | undefined;
}

/** State shared by the parts of one session. */
export class SessionContext {
  readonly core: UserAgentCore;
  readonly dialog: Dialog;
  readonly client: DialogClient;
  readonly media: OfferAnswer;
  readonly timer: SessionTimer;
  /** True if this side sent the INVITE and therefore owns the Call-ID (RFC 3261 §14.1). */
  readonly isCaller: boolean;
  /** True while the peer is on our hold: our descriptions then stop its audio. */
  isHolding = false;
  /** The application's description, not narrowed by our hold. */
  description = "";
  /** Aborts when the session ends. */
  readonly ending = new AbortController();
  readonly #contactFor: (peer: Hop) => string;
  readonly #buildOffer: () => string | undefined;
  #allowed: readonly string[] = [];

  constructor(options: SessionContextOptions) {
    this.core = options.core;
    this.dialog = options.dialog;
    this.client = options.client;
    this.media = options.media;
    this.timer = options.timer;
    this.#contactFor = options.contactFor;
    this.isCaller = options.isCaller;
    this.#buildOffer = options.buildOffer;
  }

  get isEnded(): boolean {
    return this.ending.signal.aborted;
  }

  /** The Contact value of this side. */
  get contact(): string {
    return this.#contactFor(this.client.peer);
  }

  /** Header fields of a request or response that refreshes the target (§12.1.1, §12.2.1.1). */
  get fields(): HeaderFields {
    return { Contact: this.contact, ...capabilities };
  }

  /** The description to offer next, not narrowed by our hold. */
  get nextOffer(): string {
    let offer: string | undefined;
    this.core.guard(() => (offer = this.#buildOffer()));
    return offer ?? this.description;
  }

  /** Stores the application's description and narrows it to the current direction. */
  describe(sdp: string): string {
    this.description = sdp;
    return this.isHolding ? holdDirections(sdp) : sdp;
  }

  /** Stores the methods that the peer supports. */
  setAllowedMethods(headers: HeaderList): void {
    if (headers.has("allow")) this.#allowed = headers.getList("allow").map((method) => method.toUpperCase());
  }

  /** True if the peer has announced this method. */
  allows(method: string): boolean {
    return this.#allowed.includes(method);
  }

  /** Resolves after this time, or when the session ends. */
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
