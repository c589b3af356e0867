import type { SipTrunkCheck } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { SipTrunksService } from "./sip-trunks.service.ts";
import { type CheckOptions, checkTrunk, type SipEndpoint } from "./trunk-check.ts";

/** Each check takes some seconds and hardly any processor time. */
const MAX_CHECKS = 16;
/** So that one organization's trunks that do not answer leave room for the checks of others. */
const MAX_CHECKS_OF_ORGANIZATION = 4;

interface RunningCheck {
  organizationId: string;
  result: Promise<SipTrunkCheck>;
}

/** Checks trunks on demand, one check per trunk at a time. */
export class TrunkChecksService {
  readonly #sipTrunks: SipTrunksService;
  readonly #running = new Map<string, RunningCheck>();
  readonly #sip: SipEndpoint;
  readonly #options: CheckOptions;

  constructor(sipTrunks: SipTrunksService, sip: SipEndpoint, options: CheckOptions) {
    this.#sipTrunks = sipTrunks;
    this.#sip = sip;
    this.#options = options;
  }

  /** Requests during a running check of the same trunk share its result. */
  async check(organizationId: string, id: string): Promise<SipTrunkCheck> {
    const trunk = await this.#sipTrunks.find(organizationId, id);
    if (trunk === undefined) throw new AppError("not_found");
    const credentials = await this.#sipTrunks.findCredentials(organizationId, id);
    const running = this.#running.get(id);
    if (running !== undefined) return await running.result;
    const own = [...this.#running.values()].filter((each) => each.organizationId === organizationId);
    if (this.#running.size >= MAX_CHECKS || own.length >= MAX_CHECKS_OF_ORGANIZATION) {
      const message = "Too many trunk checks are running. Retry in a few seconds.";
      throw new AppError("rate_limited", { message });
    }
    const result = checkTrunk(this.#sip, { trunk, credentials }, this.#options).finally(() =>
      this.#running.delete(id),
    );
    this.#running.set(id, { organizationId, result });
    return await result;
  }
}
