import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../platform/app-error.ts";
import type { CheckResult } from "./finding.ts";

interface DiagnosisOptions {
  operatorApiKey: string;
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
  const expected = digest(operatorApiKey);
  const handler = async ({ headers }: FastifyRequest): Promise<object> => {
    const key = headers["x-api-key"];
    if (typeof key !== "string" || !timingSafeEqual(digest(key), expected))
      throw new AppError("unauthorized");
    running ??= diagnose().finally(() => (running = undefined));
    const results = await running;
    return { data: { isOk: results.every(({ verdict }) => verdict !== "failed"), results } };
  };
  app.route({ method: "GET", url: "/operator/v1/diagnosis", handler });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
