import type { RouteDefinition } from "../route.ts";
import {
  createOrganizationRoute,
  getOperatedOrganizationRoute,
  listOrganizationsRoute,
  updateOperatedOrganizationRoute,
} from "./organizations.ts";
import { listOperatedPhoneNumbersRoute, releasePhoneNumberRoute } from "./phone-numbers.ts";
import { createPasswordResetRoute, inviteToOrganizationRoute, setOperatorRoute } from "./users.ts";

/** Operations under `/operator/v1`, with the operator's key. */
export const operatorRoutes: readonly RouteDefinition[] = [
  createOrganizationRoute,
  listOrganizationsRoute,
  getOperatedOrganizationRoute,
  updateOperatedOrganizationRoute,
  listOperatedPhoneNumbersRoute,
  releasePhoneNumberRoute,
  inviteToOrganizationRoute,
  createPasswordResetRoute,
  setOperatorRoute,
];
