import type { ApiKeysService } from "../api-keys/api-keys.service.ts";
import type { AuditLogService } from "../audit-log/audit-log.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { InvitationsService } from "../identity/members/invitations.service.ts";
import type { PasswordResetsService } from "../identity/password-resets.service.ts";
import type { UsersService } from "../identity/users.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import { InstallationService } from "./installation.service.ts";
import { OperatedNumbersService } from "./operated-numbers.service.ts";
import { bindOperatorRoutes } from "./operator.routes.ts";
import { bindUserRoutes } from "./operator-users.routes.ts";
import { OperatorService } from "./operator.service.ts";

interface Dependencies {
  auditLog: AuditLogService;
  apiKeys: ApiKeysService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
  phoneNumbers: PhoneNumbersService;
  invitations: InvitationsService;
  passwordResets: PasswordResetsService;
  users: UsersService;
}

/** The operator's API. */
export function createOperator(node: NodeResources, dependencies: Dependencies) {
  const { config, database, isEmbedded, logger } = node;
  const { operatorApiKey } = config;
  return {
    services: {},
    bindRoutes: (app) => {
      bindOperatorRoutes(app, operatorApiKey, {
        operator: new OperatorService(database, dependencies),
        numbers: new OperatedNumbersService({ ...dependencies, logger }),
        installation: new InstallationService(database, { isDatabaseEmbedded: isEmbedded }),
        auditLog: dependencies.auditLog,
      });
      bindUserRoutes(app, operatorApiKey, dependencies);
    },
  } satisfies Feature;
}
