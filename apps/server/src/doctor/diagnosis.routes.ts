import { type Diagnosis, getDiagnosisRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindOperatorRoute } from "../platform/http/bind-operator-route.ts";
import type { CheckResult } from "./finding.ts";

interface DiagnosisOptions {
  operatorApiKey: string | undefined;
  diagnose: () => Promise<CheckResult[]>;
}

/**
 * `GET /operator/v1/diagnosis`: what `npm run doctor` reports, from inside the node. Requests that come while the checks
 * run get the same answer.
 */
export function registerDiagnosis(
  app: FastifyInstance,
  { operatorApiKey, diagnose }: DiagnosisOptions,
): void {
  let running: Promise<CheckResult[]> | undefined;
  const examine = async (): Promise<Diagnosis> => {
    running ??= diagnose().finally(() => (running = undefined));
    const results = await running;
    return { isOk: results.every(({ verdict }) => verdict !== "failed"), results };
  };
  bindOperatorRoute(app, getDiagnosisRoute, operatorApiKey, async () => ({ data: await examine() }));
}
