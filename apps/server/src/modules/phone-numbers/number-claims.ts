import { invalidBody } from "../../platform/app-error.ts";
import type { Queries } from "../../platform/database/database.ts";
import { areDistinguishable, type InboundTrunk } from "../sip-trunks/sip-trunks.rules.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import * as store from "./phone-numbers.store.ts";

/**
 * Claims of organizations to numbers. Several may have the same number, if calls of their trunks can be told apart by
 * their source.
 */
export class NumberClaims {
  readonly #sipTrunks: SipTrunksService;

  constructor(sipTrunks: SipTrunksService) {
    this.#sipTrunks = sipTrunks;
  }

  /** Rejects a new number if its calls could be those of another organization's trunk with the same number. */
  async requireNumber(
    transaction: Queries,
    organizationId: string,
    sipTrunkId: string,
    e164: string,
  ): Promise<void> {
    await store.lockClaim(transaction, e164);
    const trunk = (await this.#sipTrunks.findInbound([sipTrunkId], transaction)).get(sipTrunkId);
    if (trunk?.organizationId !== organizationId) throw new Error("the trunk vanished while it was locked");
    // The error says only that the number is in use, not by which organization.
    if (!(await this.#areDistinct(transaction, trunk, [e164])))
      throw invalidBody("e164", "is already in use");
  }

  /**
   * Rejects a change of a trunk after which a call could no longer be told apart from one of another organization's
   * trunk with the same number.
   */
  async requireTrunk(transaction: Queries, trunk: InboundTrunk): Promise<void> {
    await store.lockAllClaims(transaction);
    const e164s = await store.listE164OfTrunk(transaction, trunk.id);
    if (!(await this.#areDistinct(transaction, trunk, e164s)))
      throw invalidBody(
        "allowedAddresses",
        "must not overlap with the addresses of another organization's trunk that has one of this trunk's numbers",
      );
  }

  async #areDistinct(transaction: Queries, trunk: InboundTrunk, e164s: readonly string[]): Promise<boolean> {
    const others = await store.findTrunkIdsOfOthers(transaction, trunk.organizationId, e164s);
    const trunks = await this.#sipTrunks.findInbound(others, transaction);
    return [...trunks.values()].every((other) => areDistinguishable(trunk, other));
  }
}
