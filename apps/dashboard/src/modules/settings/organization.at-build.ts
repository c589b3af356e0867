import { organizationLimits } from "@parley/contract";

/** Limits of an organization with their explanations, in the order of the API. */
export const limits = Object.entries(organizationLimits).map(([name, { default: initial, description }]) => ({
  name,
  initial,
  description,
}));
