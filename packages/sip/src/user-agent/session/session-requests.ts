import type { RequestContent } from "../../dialogs/dialog-client.ts";
import { type DtmfInfoOptions, writeDtmfInfo } from "./info-dtmf.ts";
import { isDialogGone } from "./outgoing-offers.ts";
import type { SessionContext } from "./session-context.ts";
import type { RequestResult } from "./session.ts";

const ended: RequestResult = {
  ok: false,
  cause: "ended",
  status: 481,
  reason: "Call/Transaction Does Not Exist",
};

/** Requests in a dialog that do not change its session: INFO and OPTIONS. */
export class SessionRequests {
  readonly #context: SessionContext;
  readonly #onLost: () => void;

  /** @param onLost §12.2.1.2: called if the peer no longer has the dialog, or is gone. */
  constructor(context: SessionContext, onLost: () => void) {
    this.#context = context;
    this.#onLost = onLost;
  }

  sendDtmf(digit: string, options?: DtmfInfoOptions): Promise<RequestResult> {
    return this.#request("INFO", writeDtmfInfo(digit, options));
  }

  options(): Promise<RequestResult> {
    return this.#request("OPTIONS", { headers: { Accept: "application/sdp" } });
  }

  async #request(method: string, content: RequestContent): Promise<RequestResult> {
    const { client, contact, isEnded } = this.#context;
    if (isEnded) return ended;
    const reply = await client.request(method, {
      ...content,
      headers: { Contact: contact, ...content.headers },
    });
    if (isDialogGone(reply)) this.#onLost();
    if ("failure" in reply) {
      if (reply.failure === "closed") return ended;
      return { ok: false, cause: "no_response", status: 408, reason: "Request Timeout" };
    }
    const { status, reason, headers } = reply.response;
    return status < 300 ? { ok: true, status, headers } : { ok: false, cause: "rejected", status, reason };
  }
}
