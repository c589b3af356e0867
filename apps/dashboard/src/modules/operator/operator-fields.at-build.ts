import { limitsUpdateSchema, organizationLimits, updateOperatedOrganizationRoute } from "@parley/contract";
import type { FieldSchema } from "../../ui/schema-field.rules.ts";

const { properties } = updateOperatedOrganizationRoute.body;

/** Fields of an organization that only the operator changes. */
export const organizationFields = properties as unknown as Readonly<
  Record<keyof typeof properties, FieldSchema>
>;

const { properties: limits } = limitsUpdateSchema;

/** Limits with their explanations. */
export const limitFields = limits as unknown as Readonly<Record<keyof typeof limits, FieldSchema>>;

export const limitDefaults = Object.fromEntries(
  Object.entries(organizationLimits).map(([name, { default: value }]) => [name, value]),
) as unknown as Readonly<Record<keyof typeof limits, number>>;
