import type { OperatedPhoneNumber, PageQuery } from "@parley/contract";
import type { Logger } from "pino";
import type { PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";

interface OperatedNumbersDependencies {
  phoneNumbers: Pick<PhoneNumbersService, "listClaims" | "release">;
  logger: Logger;
}

/** Phone numbers of all organizations, which only the operator sees. */
export class OperatedNumbersService {
  readonly #phoneNumbers: OperatedNumbersDependencies["phoneNumbers"];
  readonly #logger: Logger;

  constructor({ phoneNumbers, logger }: OperatedNumbersDependencies) {
    this.#phoneNumbers = phoneNumbers;
    this.#logger = logger;
  }

  async list(query: PageQuery & { e164?: string; organizationId?: string }) {
    const page = await this.#phoneNumbers.listClaims(query);
    return { ...page, data: page.data satisfies OperatedPhoneNumber[] };
  }

  /** Takes a number from its organization. Throws `not_found`. */
  async release(id: string): Promise<void> {
    const released = await this.#phoneNumbers.release(id);
    this.#logger.warn(released, "the operator released a phone number");
  }
}
