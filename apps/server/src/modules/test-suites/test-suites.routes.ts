import {
  cancelTestRunRoute,
  compareTestRunsRoute,
  createTestCaseFromCallRoute,
  createTestCaseRoute,
  createTestSuiteRoute,
  deleteTestCaseRoute,
  deleteTestSuiteRoute,
  getTestCaseRoute,
  getTestRunRoute,
  getTestSuiteRoute,
  listTestCasesRoute,
  listTestRunsRoute,
  listTestSuitesRoute,
  startTestRunRoute,
  updateTestCaseRoute,
  updateTestSuiteRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { PastCalls } from "./past-calls.ts";
import type { TestCasesService } from "./test-cases.service.ts";
import type { TestRunsService } from "./test-runs.service.ts";
import type { TestSuitesService } from "./test-suites.service.ts";

export function bindTestSuiteRoutes(app: FastifyInstance, suites: TestSuitesService): void {
  bindRoute(app, createTestSuiteRoute, async ({ principal, body }) => ({
    data: await suites.create(principal, body),
  }));
  bindRoute(app, listTestSuitesRoute, async ({ principal, query }) => {
    return await suites.list(principal.organizationId, query);
  });
  bindRoute(app, getTestSuiteRoute, async ({ principal, params }) => ({
    data: await suites.get(principal.organizationId, params.id),
  }));
  bindRoute(app, updateTestSuiteRoute, async ({ principal, params, body }) => ({
    data: await suites.update(principal, params.id, body),
  }));
  bindRoute(app, deleteTestSuiteRoute, async ({ principal, params }) => {
    await suites.delete(principal, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}

export function bindTestCaseRoutes(app: FastifyInstance, cases: TestCasesService, past: PastCalls): void {
  bindRoute(app, createTestCaseFromCallRoute, async ({ principal: { organizationId }, params, body }) => {
    await cases.requireSuite(organizationId, params.id);
    const creation = await past.toCase(organizationId, body);
    return { data: await cases.create(organizationId, params.id, creation) };
  });
  bindRoute(app, createTestCaseRoute, async ({ principal, params, body }) => ({
    data: await cases.create(principal.organizationId, params.id, body),
  }));
  bindRoute(app, listTestCasesRoute, async ({ principal, params }) => ({
    data: await cases.list(principal.organizationId, params.id),
  }));
  bindRoute(app, getTestCaseRoute, async ({ principal, params }) => ({
    data: await cases.get(principal.organizationId, params.id, params.testId),
  }));
  bindRoute(app, updateTestCaseRoute, async ({ principal, params, body }) => ({
    data: await cases.update(principal.organizationId, params.id, params.testId, body),
  }));
  bindRoute(app, deleteTestCaseRoute, async ({ principal, params }) => {
    await cases.delete(principal.organizationId, params.id, params.testId);
    return { data: { id: params.testId, deleted: true as const } };
  });
}

export function bindTestRunRoutes(app: FastifyInstance, runs: TestRunsService): void {
  bindRoute(app, startTestRunRoute, async ({ principal, params, body }) => ({
    data: await runs.start(principal.organizationId, params.id, body),
  }));
  bindRoute(app, listTestRunsRoute, async ({ principal, params, query }) => {
    return await runs.list(principal.organizationId, params.id, query);
  });
  bindRoute(app, getTestRunRoute, async ({ principal, params }) => ({
    data: await runs.get(principal.organizationId, params.id, params.runId),
  }));
  bindRoute(app, compareTestRunsRoute, async ({ principal, params, query }) => ({
    data: await runs.compare(principal.organizationId, params.id, params.runId, query.base),
  }));
  bindRoute(app, cancelTestRunRoute, async ({ principal, params }) => ({
    data: await runs.cancel(principal.organizationId, params.id, params.runId),
  }));
}
