import { DigestAuthenticator, type InviteToScreen, type Rejection } from "@parley/sip";
import type { Logger } from "pino";
import type { CallQuota } from "../calls/call-quota.ts";
import type { InboundNumbers } from "../phone-numbers/inbound-numbers.ts";
import { SourceLimit } from "../sip-trunks/source-limit.ts";
import type { InboundTrunk, SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { notNow } from "./inbound-sip-call.ts";
import { numberIn } from "./sip-number.ts";

export interface InboundAdmissionOptions {
  inboundNumbers: Pick<InboundNumbers, "findTrunk">;
  sipTrunks: Pick<SipTrunksService, "mayCallFrom" | "isNamed" | "findCredentials">;
  callQuota: Pick<CallQuota, "isExhausted">;
  logger: Logger;
}

/**
 * Screens INVITEs before they get a transaction: finds the called number's trunk, and checks the source
 * address and the credentials. UDP sources are easy to forge, so no source is locked out for packets from its
 * address. The limits suppress rejections, and password checks for an address that has received our
 * challenge.
 */
export class InboundAdmission {
  readonly #options: InboundAdmissionOptions;
  readonly #authenticator = new DigestAuthenticator({ realm: "parley" });
  /** Limits rejections: their target address may be forged, and must not be flooded by us. */
  readonly #refusals = new SourceLimit({ burst: 100, intervalMs: 50 });
  readonly #wrongAnswers = new SourceLimit({ burst: 30, intervalMs: 2_000 });

  constructor(options: InboundAdmissionOptions) {
    this.#options = options;
  }

  mayReject(address: string): boolean {
    return this.#refusals.take(address);
  }

  /** Returns the rejection, or `undefined` to admit the call. Rejects if the database does not answer. */
  async refusalOf(invite: InviteToScreen): Promise<Rejection | undefined> {
    const trunk = await this.#findTrunk(invite);
    if (trunk === undefined) return { status: 404 };
    const { address } = invite.source;
    if (!(await this.#options.sipTrunks.mayCallFrom(trunk, address))) {
      this.#options.logger.debug(
        { sipTrunkId: trunk.id, source: address },
        "rejected a call from an address that the trunk does not allow",
      );
      return { status: 403 };
    }
    const refusal = trunk.isInboundAuthenticated ? await this.#authenticate(invite, trunk) : undefined;
    if (refusal !== undefined) return refusal;
    // Refused before the call is looked up further: a flood of one organization's calls does not delay others.
    return this.#options.callQuota.isExhausted(trunk.organizationId) ? notNow() : undefined;
  }

  /**
   * Finds the trunk. A registrar sends calls to the user name that we registered, and leaves the dialed
   * number in To.
   */
  async #findTrunk({ requestUri, to }: InviteToScreen): Promise<InboundTrunk | undefined> {
    const dialed = [numberIn(requestUri), numberIn(to.uri)];
    return await this.#options.inboundNumbers.findTrunk(dialed.filter((number) => number !== undefined));
  }

  /** RFC 3261 §22.1: a user agent server challenges with 401. */
  async #authenticate(invite: InviteToScreen, trunk: InboundTrunk): Promise<Rejection | undefined> {
    const { sipTrunks, logger } = this.#options;
    const { address } = invite.source;
    const isLimited = this.#wrongAnswers.isReached(address) && !(await sipTrunks.isNamed(trunk, address));
    if (isLimited) return { status: 403 };
    const verdict = await this.#authenticator.verify(invite, async (username) => {
      const credentials = await sipTrunks.findCredentials(trunk.organizationId, trunk.id);
      return username === credentials?.username ? credentials.password : undefined;
    });
    if (verdict.ok) return undefined;
    // The nonce was sent to this address, so the answer's source is not forged.
    if (verdict.reason === "refused") {
      this.#wrongAnswers.take(address);
      logger.warn({ sipTrunkId: trunk.id, source: address }, "rejected a call with a wrong password");
    }
    return { status: 401, content: { headers: { "WWW-Authenticate": verdict.challenges } } };
  }
}
