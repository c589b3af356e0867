import type { LimitOverrides } from "@parley/contract";
import { boolean, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, primaryId } from "../../platform/database/columns.ts";

export const organizations = pgTable("organizations", {
  id: primaryId(),
  name: text("name").notNull(),
  slug: text("slug").notNull().unique(),
  logo: text("logo"),
  metadata: text("metadata"),
  /** Set by the operator. If `false`, most operations answer `billing_inactive` and calls are rejected. */
  isBillingActive: boolean("is_billing_active").notNull().default(true),
  /** Set by the operator: ISO 3166 codes of countries that may be called. `null`: the home country. */
  allowedCountries: text("allowed_countries").array(),
  /** ISO 3166 code; set by the operator, else at the first outbound call. */
  homeCountry: text("home_country"),
  /** Set by the operator. */
  isPremiumRateAllowed: boolean("is_premium_rate_allowed").notNull().default(false),
  /** Set by the operator: the limits that differ from the defaults. */
  limits: jsonb("limits").$type<LimitOverrides>().notNull().default({}),
  createdAt: createdAt(),
});
