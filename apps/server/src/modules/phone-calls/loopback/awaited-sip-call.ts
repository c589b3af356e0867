import type { IncomingInvite } from "@parley/sip";
import type { ActiveCall, CallOutcome, CallSignaling } from "../../active-calls/active-call.ts";
import { InboundSipCall, type InboundSipCallOptions } from "../inbound-sip-call.ts";

interface AwaitedSipCallOptions extends Omit<InboundSipCallOptions, "invite"> {
  /** The call's INVITE. Pending if none arrives. */
  arrived: Promise<IncomingInvite>;
}

/** SIP signaling of an inbound call whose record precedes its INVITE. */
export class AwaitedSipCall implements CallSignaling {
  readonly #options: AwaitedSipCallOptions;
  #sip: InboundSipCall | undefined;

  constructor(options: AwaitedSipCallOptions) {
    this.#options = options;
  }

  /** Returns without an INVITE if the call ends before one arrives. */
  async establish(call: ActiveCall): Promise<void> {
    const { arrived, ...options } = this.#options;
    const invite = await Promise.race([arrived, call.decided.then(() => undefined)]);
    if (invite === undefined) return;
    this.#sip = new InboundSipCall({ ...options, invite });
    await this.#sip.establish(call);
  }

  end(outcome: CallOutcome): void {
    if (this.#sip !== undefined) return this.#sip.end(outcome);
    void this.#options.arrived.then((invite) => invite.reject(480));
  }
}
