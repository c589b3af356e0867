import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { sourceOf } from "../../platform/http/failed-attempts.ts";
import { AttemptLimiter } from "../../platform/rate-limit/attempt-limiter.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";

const MINUTE_MS = 60_000;

const sessionsOfAddress = { name: "widget-sessions", burst: 20, intervalMs: 10_000 };
const messagesOfAddress = { name: "widget-messages", burst: 30, intervalMs: 1_000 };
const callsOfAddress = { name: "widget-calls", burst: 5, intervalMs: 30_000 };

/** Limits of visitors beyond their agent's own, over all nodes. An address is an IPv4 address or a /64 IPv6 network. */
export class WidgetLimits {
  readonly #limiterOf: (options: ConstructorParameters<typeof AttemptLimiter>[2]) => AttemptLimiter;
  readonly #organizationLimits: Pick<OrganizationLimitsService, "find">;

  constructor(database: Database, clock: Clock, organizationLimits: Pick<OrganizationLimitsService, "find">) {
    this.#limiterOf = (options) => new AttemptLimiter(database, clock, options);
    this.#organizationLimits = organizationLimits;
  }

  async takeSession(address: string): Promise<void> {
    requireRoom(
      await this.#limiterOf(sessionsOfAddress).take(sourceOf(address)),
      "sessions from this address",
    );
  }

  async takeCall(address: string): Promise<void> {
    requireRoom(await this.#limiterOf(callsOfAddress).take(sourceOf(address)), "calls from this address");
  }

  async takeMessage(
    { id, organizationId }: { id: string; organizationId: string },
    address: string,
  ): Promise<void> {
    const { chatMessagesPerMinute } = await this.#organizationLimits.find(organizationId);
    const ofOrganization = {
      name: "widget-messages of an organization",
      burst: Math.max(1, chatMessagesPerMinute),
      intervalMs: MINUTE_MS / Math.max(1, chatMessagesPerMinute),
    };
    // An agent may use half of what its organization may.
    const ofAgent = {
      name: "widget-messages of an agent",
      burst: Math.max(1, Math.ceil(chatMessagesPerMinute / 2)),
      intervalMs: (2 * MINUTE_MS) / Math.max(1, chatMessagesPerMinute),
    };
    const [ofAddress, agent, organization] = await Promise.all([
      this.#limiterOf(messagesOfAddress).take(sourceOf(address)),
      this.#limiterOf(ofAgent).take(id),
      this.#limiterOf(ofOrganization).take(organizationId),
    ]);
    requireRoom(ofAddress, "messages from this address");
    requireRoom(agent, "messages to this agent");
    requireRoom(chatMessagesPerMinute === 0 ? MINUTE_MS : organization, "messages to this organization");
  }
}

/** Throws `rate_limited` if there is a time to wait. */
function requireRoom(waitMs: number, what: string): void {
  if (waitMs === 0) return;
  throw new AppError("rate_limited", {
    message: `Too many ${what}. Retry after the time in the Retry-After header.`,
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
