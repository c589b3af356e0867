import { DigestAuthenticator, type HeaderList, type InviteToScreen, type Rejection } from "@parley/sip";
import type { Logger } from "pino";
import type { CallQuota } from "../calls/call-quota.ts";
import type { InboundNumbers } from "../phone-numbers/inbound-numbers.ts";
import type { TrunkNumber } from "../phone-numbers/phone-numbers.service.ts";
import { SourceLimit } from "../sip-trunks/source-limit.ts";
import { type InboundTrunk, namesAddresses } from "../sip-trunks/sip-trunks.rules.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { notNow } from "./inbound-sip-call.ts";
import { numberIn } from "./sip-number.ts";

export interface InboundAdmissionOptions {
  inboundNumbers: Pick<InboundNumbers, "find">;
  sipTrunks: Pick<SipTrunksService, "mayCallFrom" | "findCredentials">;
  callQuota: Pick<CallQuota, "isExhausted">;
  logger: Logger;
}

/**
 * Screens INVITEs before they get a transaction: finds the trunk by which the call arrives, by the called number, the
 * source address and the credentials. UDP sources are easy to forge, so no source is locked out for packets from its
 * address. The limits suppress rejections, and password checks for an address that has received our
 * challenge.
 */
export class InboundAdmission {
  readonly #options: InboundAdmissionOptions;
  readonly #authenticator = new DigestAuthenticator({ realm: "parley" });
  /** Limits rejections: their target address may be forged, and must not be flooded by us. */
  readonly #refusals = new SourceLimit({ burst: 100, intervalMs: 50 });
  readonly #wrongAnswers = new SourceLimit({ burst: 30, intervalMs: 2_000 });

  /** By the headers of their INVITE. */
  readonly #admitted = new WeakMap<HeaderList, TrunkNumber>();

  constructor(options: InboundAdmissionOptions) {
    this.#options = options;
  }

  mayReject(address: string): boolean {
    return this.#refusals.take(address);
  }

  /** Number and trunk of an INVITE that was admitted. */
  findAdmitted({ headers }: Pick<InviteToScreen, "headers">): TrunkNumber | undefined {
    return this.#admitted.get(headers);
  }

  /** Returns the rejection, or `undefined` to admit the call. Rejects if the database does not answer. */
  async refusalOf(invite: InviteToScreen): Promise<Rejection | undefined> {
    // A registrar sends calls to the user name that we registered, and leaves the dialed number in To.
    const dialed = [numberIn(invite.requestUri), numberIn(invite.to.uri)];
    const numbers = await this.#options.inboundNumbers.find(dialed.filter((number) => number !== undefined));
    if (numbers.length === 0) return { status: 404 };
    for (const { e164, trunks } of numbers) {
      const admitting = await this.#findAdmitting(trunks, invite.source.address);
      if (admitting.length > 0) return await this.#decide(invite, e164, admitting);
    }
    this.#options.logger.debug(
      {
        sipTrunkIds: numbers.flatMap(({ trunks }) => trunks.map(({ id }) => id)),
        source: invite.source.address,
      },
      "rejected a call from an address that the trunk does not allow",
    );
    return { status: 403 };
  }

  async #findAdmitting(trunks: readonly InboundTrunk[], address: string): Promise<InboundTrunk[]> {
    const { sipTrunks } = this.#options;
    const admits = await Promise.all(
      trunks.map(async (trunk) => await sipTrunks.mayCallFrom(trunk, address)),
    );
    return trunks.filter((_, index) => admits[index]);
  }

  /** Several trunks admit the same source only if each authenticates its own users (`areDistinguishable`). */
  async #decide(
    invite: InviteToScreen,
    e164: string,
    trunks: readonly InboundTrunk[],
  ): Promise<Rejection | undefined> {
    const open = trunks.find(({ isInboundAuthenticated }) => !isInboundAuthenticated);
    if (open !== undefined && trunks.length > 1) return { status: 403 };
    const trunk = open ?? (await this.#authenticate(invite, trunks));
    if ("status" in trunk) return trunk;
    // Refused before the call is looked up further: a flood of one organization's calls does not delay others.
    if (this.#options.callQuota.isExhausted(trunk.organizationId)) return notNow();
    this.#admitted.set(invite.headers, { sipTrunkId: trunk.id, e164 });
    return undefined;
  }

  /** Returns the trunk of the call's user, or a challenge (RFC 3261 §22.1: a user agent server challenges with 401). */
  async #authenticate(
    invite: InviteToScreen,
    trunks: readonly InboundTrunk[],
  ): Promise<InboundTrunk | Rejection> {
    const { sipTrunks, logger } = this.#options;
    const { address } = invite.source;
    if (this.#wrongAnswers.isReached(address) && !trunks.every(namesAddresses)) return { status: 403 };
    const trunkOf = (username: string) => trunks.find((trunk) => trunk.username === username);
    const verdict = await this.#authenticator.verify(invite, async (username) => {
      const trunk = trunkOf(username);
      return trunk && (await sipTrunks.findCredentials(trunk.organizationId, trunk.id))?.password;
    });
    const trunk = verdict.ok ? trunkOf(verdict.username) : undefined;
    if (trunk !== undefined) return trunk;
    // The nonce was sent to this address, so the answer's source is not forged.
    if (!verdict.ok && verdict.reason === "refused") {
      this.#wrongAnswers.take(address);
      logger.warn(
        { sipTrunkIds: trunks.map(({ id }) => id), source: address },
        "rejected a call with a wrong password",
      );
    }
    const challenges = verdict.ok ? this.#authenticator.challenges(invite) : verdict.challenges;
    return { status: 401, content: { headers: { "WWW-Authenticate": challenges } } };
  }
}
