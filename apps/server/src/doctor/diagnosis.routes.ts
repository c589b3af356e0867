import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { operatorKeyCheck, requireOperator } from "../platform/http/bind-operator-route.ts";
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
  const isOperator = operatorKeyCheck(operatorApiKey);
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    await requireOperator(isOperator, request, reply);
    running ??= diagnose().finally(() => (running = undefined));
    const results = await running;
    return { data: { isOk: results.every(({ verdict }) => verdict !== "failed"), results } };
  };
  app.route({ method: "GET", url: "/operator/v1/diagnosis", handler });
}
