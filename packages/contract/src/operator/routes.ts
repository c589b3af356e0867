import type { RouteDefinition } from "../route.ts";
import { listOperatorAuditLogRoute } from "./audit-log.ts";
import { getDiagnosisRoute } from "./diagnosis.ts";
import { getInstallationRoute, listNodesRoute } from "./nodes.ts";
import {
  createOrganizationRoute,
  getOperatedOrganizationRoute,
  listOrganizationsRoute,
  updateOperatedOrganizationRoute,
} from "./organizations.ts";
import { listOperatedPhoneNumbersRoute, releasePhoneNumberRoute } from "./phone-numbers.ts";
import { createPasswordResetRoute, inviteToOrganizationRoute, setOperatorRoute } from "./users.ts";

/** Operations under `/operator/v1`, for operators. */
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
  listNodesRoute,
  getInstallationRoute,
  getDiagnosisRoute,
  listOperatorAuditLogRoute,
];
