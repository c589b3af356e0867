import { continueOrigin } from "./revise.ts";

/**
 * `idle`: nothing was ever agreed. `stable`: the last exchange is complete. `offer_sent`, `offer_received`: one is
 * open, and neither side may begin another (RFC 3264 §4, RFC 6337 §2.1).
 */
export type OfferAnswerState = "idle" | "offer_sent" | "offer_received" | "stable";

/** The offers and answers of one dialog, whatever messages carry them (RFC 3264, RFC 6337). */
export class OfferAnswer {
  /** The descriptions in force; empty before the first exchange is complete. */
  #local = "";
  #remote = "";
  /** Our last description on the wire, refused or not: its version is the one to count from. */
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

  /** The description to send: ours, in the session that our earlier ones began. */
  sendOffer(sdp: string): string {
    this.#open = { isOurs: true, sdp: this.#next(sdp) };
    return this.#lastSent;
  }

  receiveOffer(sdp: string): void {
    this.#open = { isOurs: false, sdp };
  }

  /** Answers the offer received; the description to send. */
  sendAnswer(sdp: string): string {
    if (this.state === "offer_received") this.#remote = this.#open?.sdp ?? "";
    this.#open = undefined;
    this.#local = this.#next(sdp);
    return this.#local;
  }

  /** The peer's answer. One to nothing, such as a repeat in a later response, is ignored (RFC 3261 §13.2.1). */
  receiveAnswer(sdp: string): boolean {
    if (this.state !== "offer_sent") return false;
    this.#local = this.#open?.sdp ?? "";
    this.#remote = sdp;
    this.#open = undefined;
    return true;
  }

  /** The open offer was refused: what was in force stays so (RFC 6337 §3.4). */
  withdraw(): void {
    this.#open = undefined;
  }

  #next(sdp: string): string {
    this.#lastSent = continueOrigin(sdp, this.#lastSent);
    return this.#lastSent;
  }
}
