import type { Dialog } from "../../dialogs/dialog.ts";
import type { OutgoingRequest, SipResponse } from "../../messages/message.ts";
import type { UserAgentCore } from "../core.ts";
import type { DialogSession } from "../session/dialog-session.ts";
import type { InviteOptions } from "./invite-options.ts";
import { ReliableReceipts } from "./reliable-provisionals.ts";
import { sdpOf } from "../request-rules.ts";

interface OutgoingForkOptions {
  core: UserAgentCore;
  dialog: Dialog;
  session: DialogSession;
  request: OutgoingRequest;
  offer: string;
  onOffer: InviteOptions["onOffer"];
}

/** One peer reached by our INVITE (RFC 3261 §12.1.2): early until its 2xx confirms it. */
export class OutgoingFork {
  readonly session: DialogSession;
  readonly #options: OutgoingForkOptions;
  readonly #receipts = new ReliableReceipts();
  /** A description in an unreliable response: a preview of the answer (§13.2.1), or the only one sent. */
  #preview = "";

  constructor(options: OutgoingForkOptions) {
    this.#options = options;
    this.session = options.session;
    const { media } = this.session;
    if (options.offer !== "") media.sendOffer(this.session.describe(options.offer));
  }

  /** Handles a provisional response; `false` if it is repeated or overtook another (RFC 3262 §4). */
  receiveProvisional(response: SipResponse): boolean {
    this.session.setAllowedMethods(response.headers);
    const sdp = sdpOf(response);
    const isReliable = response.headers.getList("require").some((tag) => tag.toLowerCase() === "100rel");
    if (!isReliable) {
      if (sdp !== "") this.#preview = sdp;
      return true;
    }
    const acknowledged = this.#receipts.take(response);
    if (acknowledged === undefined) return false;
    this.#sendPrack(acknowledged, sdp).catch(this.#options.core.reportError);
    return true;
  }

  /** RFC 3262 §5: a reliable response may contain the answer to our offer, or an offer that the PRACK answers. */
  async #sendPrack(acknowledged: string, sdp: string): Promise<void> {
    const { media, client } = this.session;
    let body: string | undefined = "";
    if (media.state === "idle" && sdp !== "") body = await this.#answer(sdp);
    else media.receiveAnswer(sdp);
    await client.request("PRACK", { headers: { RAck: acknowledged }, body: body ?? "" });
  }

  /** Confirms the dialog and acknowledges the 2xx; `isAgreed` if both sides have agreed on descriptions. */
  async confirm(response: SipResponse): Promise<{ isAgreed: boolean; repeatAck: () => void }> {
    const { session } = this;
    const { dialog, request } = this.#options;
    dialog.confirm(response);
    session.confirm();
    session.setAllowedMethods(response.headers);
    session.timer.receiveSuccess(response.headers);
    const { media, client } = session;
    const sdp = sdpOf(response);
    let body: string | undefined = "";
    if (media.state === "idle") body = sdp === "" ? undefined : await this.#answer(sdp);
    else if (media.state === "offer_sent") this.#receiveAnswer(sdp);
    const repeatAck = await client.acknowledge(request, response, body ?? "");
    return { isAgreed: body !== undefined, repeatAck };
  }

  /** Some peers omit the description from a 2xx if an unreliable response contained it. */
  #receiveAnswer(sdp: string): void {
    const answer = sdp === "" ? this.#preview : sdp;
    if (answer === "") this.session.media.withdraw();
    else this.session.media.receiveAnswer(answer);
  }

  /** Answers the peer's offer after an INVITE without one. */
  async #answer(offer: string): Promise<string | undefined> {
    const { media } = this.session;
    media.receiveOffer(offer);
    try {
      const answer = await this.#options.onOffer?.(offer);
      if (answer !== undefined) return media.sendAnswer(this.session.describe(answer));
    } catch (error) {
      this.#options.core.reportError(error);
    }
    media.withdraw();
    return undefined;
  }
}
