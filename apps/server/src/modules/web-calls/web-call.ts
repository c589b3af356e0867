import { randomBytes } from "node:crypto";
import type { LiveCallEvent } from "@parley/contract";
import type { WebMediaLeg, WebMediaLegHandlers } from "../../media/media-legs.ts";
import type { WebJoinResult } from "../../media/media-protocol.ts";
import { readFragment } from "../../media/web/web-sdp-fragment.ts";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { CallOutcome, CallSignaling, ActiveCall } from "../active-calls/active-call.ts";

export interface WebCallOptions {
  /** Sets up the conversation and opens its media. */
  openMedia: (handlers: WebMediaLegHandlers) => Promise<WebMediaLeg>;
  /** Whether the browser is a visitor's, who sees what is said but not tools, instructions and errors. */
  isPublic?: boolean;
}

/** An SDP answer or fragment, and the session's new entity tag. */
export interface Answered {
  sdp: string;
  etag: string;
}

/** Limit from the start of the call until a browser is connected. */
const JOIN_DEADLINE_MS = 60_000;
/** The second form is the one in the examples of RFC 9725. */
const anyTag: readonly string[] = ["*", '"*"'];

/** Signaling of a web call: the session of a WHIP resource (RFC 9725). */
export class WebCall implements CallSignaling {
  readonly #openMedia: WebCallOptions["openMedia"];
  readonly #isPublic: boolean;
  readonly #opened = Promise.withResolvers<WebMediaLeg>();
  #call: ActiveCall | undefined;
  #leg: WebMediaLeg | undefined;
  /** `undefined` until a browser joins. */
  #etag: string | undefined;
  #isJoining = false;

  constructor({ openMedia, isPublic = false }: WebCallOptions) {
    this.#openMedia = openMedia;
    this.#isPublic = isPublic;
    // Joining browsers receive the rejection. If none joins, it must not count as unhandled.
    this.#opened.promise.catch(() => {});
  }

  async establish(call: ActiveCall): Promise<void> {
    this.#call = call;
    const deadline = setTimeout(() => {
      const seconds = JOIN_DEADLINE_MS / 1000;
      call.hangUp({
        status: "canceled",
        endReason: "canceled",
        endDetail: `no browser joined within ${seconds} s`,
      });
    }, JOIN_DEADLINE_MS);
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    try {
      const leg = await this.#openMedia({
        ...call.mediaHandlers,
        onConnected: resolve,
        onMediaTimeout: (absentMs) => {
          const endDetail = `the browser was disconnected for ${Math.round(absentMs / 1000)} s`;
          call.hangUp({ status: "completed", endReason: "user_hangup", endDetail });
        },
      });
      call.takeMedia(leg);
      this.#leg = leg;
      this.#opened.resolve(leg);
      await Promise.race([connected, call.decided]);
      if (!call.signal.aborted) call.answered();
    } catch (error) {
      this.#opened.reject(new AppError("not_found", { cause: error }));
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  async end({ endReason, endDetail }: CallOutcome): Promise<void> {
    this.#opened.reject(new AppError("not_found"));
    await this.#leg?.finish();
    this.sendEvent({ type: "ended", endReason, endDetail: endDetail ?? null });
  }

  sendEvent(event: LiveCallEvent): void {
    const shown = this.#isPublic ? toPublicEvent(event) : event;
    if (shown !== undefined) this.#leg?.sendEvent(shown);
  }

  /**
   * Answers a browser's first offer. Throws `invalid_body`, `call_already_joined`, `offer_not_acceptable`,
   * `not_found`.
   */
  async join(sdp: string): Promise<Answered> {
    if (this.#isJoining || this.#etag !== undefined) throw new AppError("call_already_joined");
    this.#isJoining = true;
    try {
      return await this.#answer(sdp);
    } finally {
      this.#isJoining = false;
    }
  }

  /**
   * Answers an offer for a new connection. Throws as `join` does, and `precondition_required`,
   * `session_changed`.
   */
  async rejoin(sdp: string, ifMatch: string | undefined): Promise<Answered> {
    this.#requireMatch(ifMatch);
    return await this.#answer(sdp);
  }

  /**
   * Takes a fragment of trickle ICE, or answers an ICE restart with our fragment. Throws as `rejoin` does, in
   * particular `offer_not_acceptable` if ICE cannot be restarted.
   */
  async trickle(text: string, ifMatch: string | undefined): Promise<Answered | undefined> {
    const fragment = readFragment(text);
    if (fragment === undefined) throw invalidBody("", "must be a trickle ICE SDP fragment (RFC 8840)");
    this.#requireMatch(ifMatch);
    const leg = await this.#opened.promise;
    const result = await leg.takeFragment(fragment);
    if (result.kind === "taken") return undefined;
    if (result.kind === "restarted") return { sdp: result.fragment, etag: this.#changeTag() };
    const message = `${result.reason} To continue the call on a new connection, PATCH its offer as application/sdp.`;
    throw new AppError("offer_not_acceptable", { message });
  }

  /** Ends the call on the browser's request. */
  hangUp(): void {
    const isAnswered = this.#call?.isAnswered === true;
    this.#call?.hangUp(
      isAnswered
        ? { status: "completed", endReason: "user_hangup" }
        : { status: "canceled", endReason: "canceled" },
    );
  }

  async #answer(sdp: string): Promise<Answered> {
    const leg = await this.#opened.promise;
    const result = await leg.join(sdp);
    if (!result.ok) throw refusalOf(result);
    return { sdp: result.sdp, etag: this.#changeTag() };
  }

  /**
   * Invalidates the tag, because earlier candidates do not belong to the session any more (RFC 9725 §4.3.1).
   */
  #changeTag(): string {
    this.#etag = `"${randomBytes(9).toString("base64url")}"`;
    return this.#etag;
  }

  #requireMatch(ifMatch: string | undefined): void {
    // The session exists only after a browser has joined.
    if (this.#etag === undefined) throw new AppError("not_found");
    if (ifMatch === undefined) throw new AppError("precondition_required");
    if (!anyTag.includes(ifMatch) && ifMatch !== this.#etag) throw new AppError("session_changed");
  }
}

function refusalOf({ refusal, reason }: Extract<WebJoinResult, { ok: false }>): AppError {
  return refusal === "malformed"
    ? invalidBody("", reason)
    : new AppError("offer_not_acceptable", { message: reason });
}

/** What a visitor may see of an event; `undefined` for nothing. */
export function toPublicEvent(event: LiveCallEvent): LiveCallEvent | undefined {
  switch (event.type) {
    case "state":
    case "itemStarted":
      return event;
    case "item":
      return event.item.type === "message" ? event : undefined;
    case "turn":
      return undefined;
    case "ended":
      return { ...event, endDetail: null };
  }
}
