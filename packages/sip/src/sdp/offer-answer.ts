import { continueOrigin } from "./revise.ts";

/**
 * `idle`: no exchange yet. `stable`: the last exchange is complete. `offer_sent`, `offer_received`: an offer is
 * open, and neither side may send another (RFC 3264 §4, RFC 6337 §2.1).
 */
export type OfferAnswerState = "idle" | "offer_sent" | "offer_received" | "stable";

/** The offers and answers of one dialog, in any message (RFC 3264, RFC 6337). */
export class OfferAnswer {
  /** The descriptions in effect; empty before the first complete exchange. */
  #local = "";
  #remote = "";
  /** Our last sent description, accepted or not: the next version counts from it. */
  #lastSent = "";
  #open: { isOurs: boolean; sdp: string } | undefined;

  get state(): OfferAnswerState {
    if (this.#open !== undefined) return this.#open.isOurs ? "offer_sent" : "offer_received";
    return this.#local === "" ? "idle" : "stable";
  }

  get local(): string {
    return this.#local;
  }

  get remote(): string {
    return this.#remote;
  }

  /** Starts an offer; returns the description to send, with the origin of our session. */
  sendOffer(sdp: string): string {
    this.#open = { isOurs: true, sdp: this.#next(sdp) };
    return this.#lastSent;
  }

  receiveOffer(sdp: string): void {
    this.#open = { isOurs: false, sdp };
  }

  /** Answers the received offer; returns the description to send. */
  sendAnswer(sdp: string): string {
    if (this.state === "offer_received") this.#remote = this.#open?.sdp ?? "";
    this.#open = undefined;
    this.#local = this.#next(sdp);
    return this.#local;
  }

  /**
   * Applies the peer's answer. Ignores one without an offer, for example a repeated one (RFC 3261 §13.2.1). A missing
   * answer withdraws the offer.
   */
  receiveAnswer(sdp: string): boolean {
    if (this.state !== "offer_sent") return false;
    if (sdp === "" && this.#local !== "") {
      this.withdraw();
      return false;
    }
    this.#local = this.#open?.sdp ?? "";
    this.#remote = sdp;
    this.#open = undefined;
    return true;
  }

  /** Drops the open offer after a rejection; the descriptions in effect remain (RFC 6337 §3.4). */
  withdraw(): void {
    this.#open = undefined;
  }

  #next(sdp: string): string {
    this.#lastSent = continueOrigin(sdp, this.#lastSent);
    return this.#lastSent;
  }
}
