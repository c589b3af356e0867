import {
  createOrganizationRoute,
  getInstallationRoute,
  getOperatedOrganizationRoute,
  listOperatorAuditLogRoute,
  listOperatedPhoneNumbersRoute,
  listOrganizationsRoute,
  releasePhoneNumberRoute,
  updateOperatedOrganizationRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindOperatorRoute } from "../../platform/http/bind-operator-route.ts";
import type { AuditLogService } from "../audit-log/audit-log.service.ts";
import type { InstallationService } from "./installation.service.ts";
import type { OperatedNumbersService } from "./operated-numbers.service.ts";
import type { OperatorService } from "./operator.service.ts";

interface OperatorServices {
  operator: OperatorService;
  numbers: OperatedNumbersService;
  installation: InstallationService;
  auditLog: AuditLogService;
}

export function bindOperatorRoutes(
  app: FastifyInstance,
  key: string | undefined,
  { operator, numbers, installation, auditLog }: OperatorServices,
): void {
  bindOperatorRoute(app, listOperatedPhoneNumbersRoute, key, async ({ query }) => await numbers.list(query));
  bindOperatorRoute(app, releasePhoneNumberRoute, key, async ({ params: { id }, note }) => {
    note({ organizationId: await numbers.release(id) });
    return { data: { id, deleted: true as const } };
  });
  bindOperatorRoute(app, createOrganizationRoute, key, async ({ body, note }) => {
    const data = await operator.create(body);
    note({ organizationId: data.id });
    return { data };
  });
  bindOperatorRoute(app, listOrganizationsRoute, key, async ({ query }) => await operator.list(query));
  bindOperatorRoute(app, getOperatedOrganizationRoute, key, async ({ params }) => ({
    data: await operator.get(params.id),
  }));
  bindOperatorRoute(app, updateOperatedOrganizationRoute, key, async ({ params, body, note }) => {
    note({ organizationId: params.id });
    return { data: await operator.update(params.id, body) };
  });
  bindOperatorRoute(app, getInstallationRoute, key, async () => ({ data: await installation.describe() }));
  bindOperatorRoute(
    app,
    listOperatorAuditLogRoute,
    key,
    async ({ query }) => await auditLog.listOfOperators(query),
  );
}
