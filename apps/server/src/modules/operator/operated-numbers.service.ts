import type { OperatedPhoneNumber, PageQuery } from "@parley/contract";
import type { Logger } from "pino";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";

interface OperatedNumbersDependencies {
  phoneNumbers: Pick<PhoneNumbersService, "listClaims" | "release">;
  organizations: Pick<OrganizationsService, "find">;
  logger: Logger;
}

/** Phone numbers of all organizations, which only the operator sees. */
export class OperatedNumbersService {
  readonly #phoneNumbers: OperatedNumbersDependencies["phoneNumbers"];
  readonly #organizations: OperatedNumbersDependencies["organizations"];
  readonly #logger: Logger;

  constructor({ phoneNumbers, organizations, logger }: OperatedNumbersDependencies) {
    this.#phoneNumbers = phoneNumbers;
    this.#organizations = organizations;
    this.#logger = logger;
  }

  async list(query: PageQuery & { e164?: string; organizationId?: string }) {
    const page = await this.#phoneNumbers.listClaims(query);
    const names = new Map<string, string>();
    for (const id of new Set(page.data.map(({ organizationId }) => organizationId)))
      names.set(id, (await this.#organizations.find(id))?.name ?? "");
    const data = page.data.map((number): OperatedPhoneNumber => ({
      ...number,
      organizationName: names.get(number.organizationId) ?? "",
    }));
    return { ...page, data };
  }

  /** Takes a number from its organization, and returns the organization's id. Throws `not_found`. */
  async release(id: string): Promise<string> {
    const released = await this.#phoneNumbers.release(id);
    this.#logger.warn(released, "the operator released a phone number");
    return released.organizationId;
  }
}
