import { DigestAuthenticator, type InviteToScreen, type Rejection } from "@parley/sip";
import type { Logger } from "pino";
import type { InboundNumbers } from "../phone-numbers/inbound-numbers.ts";
import { SourceLimit } from "../sip-trunks/source-limit.ts";
import type { InboundTrunk, SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { numberIn } from "./sip-number.ts";

export interface InboundAdmissionOptions {
  inboundNumbers: Pick<InboundNumbers, "findTrunk">;
  sipTrunks: Pick<SipTrunksService, "mayCallFrom" | "isNamed" | "findCredentials">;
  logger: Logger;
}

/**
 * Decides on an INVITE before it gets a transaction: whose number it calls, whether it may come from there, and whether it
 * proves who it is. Sources of UDP are forged easily, so no source is ever locked out for what comes from its address: the
 * limits withhold refusals, and the check of passwords from an address that has received our challenge.
 */
export class InboundAdmission {
  readonly #options: InboundAdmissionOptions;
  readonly #authenticator = new DigestAuthenticator({ realm: "parley" });
  /** A refusal goes to an address that a stranger may have forged: he must not make us flood it. */
  readonly #refusals = new SourceLimit({ burst: 100, intervalMs: 50 });
  readonly #wrongAnswers = new SourceLimit({ burst: 30, intervalMs: 2_000 });

  constructor(options: InboundAdmissionOptions) {
    this.#options = options;
  }

  mayReject(address: string): boolean {
    return this.#refusals.take(address);
  }

  /** The refusal; `undefined` lets the call in. Rejects if the database does not answer. */
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
    return trunk.isInboundAuthenticated ? await this.#authenticate(invite, trunk) : undefined;
  }

  /** A registrar sends calls to the user name that we registered, and leaves the number that was dialed in To. */
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
    // The nonce was given to this address: whoever answers it is there.
    if (verdict.reason === "refused") {
      this.#wrongAnswers.take(address);
      logger.warn({ sipTrunkId: trunk.id, source: address }, "rejected a call with a wrong password");
    }
    return { status: 401, content: { headers: { "WWW-Authenticate": verdict.challenges } } };
  }
}
