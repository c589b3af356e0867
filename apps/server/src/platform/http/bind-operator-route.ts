import { createHash, timingSafeEqual } from "node:crypto";
import {
  type RouteDefinition,
  type RouteInput,
  type RouteOutput,
  takesIdempotencyKey,
} from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";
import { answerOnce, readIdempotencyKey } from "./answer-once.ts";
import { schemaOf, urlOf } from "./bind-route.ts";
import { refuseCredential } from "./failed-attempts.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { compileParams, requireReadableQuery } from "./validation.ts";

const OPERATOR_PREFIX = "/operator/v1";
/** The operator's idempotency keys are stored under this id, which no organization has. */
const OPERATOR_SCOPE = "00000000-0000-0000-0000-000000000000";

/** Registers a route of the contract that only the operator's key, or the session of an operator, opens. */
export function bindOperatorRoute<const R extends RouteDefinition>(
  app: FastifyInstance,
  route: R,
  operatorApiKey: string | undefined,
  handle: (request: RouteInput<R>) => Promise<RouteOutput<R>>,
): void {
  const isValidPath = route.params === undefined ? undefined : compileParams(route.params);
  const isOperator = operatorKeyCheck(operatorApiKey);
  app.route({
    method: route.method,
    url: OPERATOR_PREFIX + urlOf(route),
    schema: schemaOf(route),
    // Runs before the body is read.
    onRequest: async (request, reply) => {
      reply.header("cache-control", "no-store");
      await requireOperator(isOperator, request, reply);
    },
    handler: async (request, reply) => {
      requireReadableQuery(request.url);
      const key = takesIdempotencyKey(route) ? readIdempotencyKey(request) : undefined;
      const { params, query, body } = request;
      if (isValidPath?.(params) === false) throw new AppError("not_found");
      reply.code(route.status);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has passed the schemas these types come from
      const run = async () => await handle({ params, query, body } as RouteInput<R>);
      if (key === undefined) return await reply.send(await run());
      return await answerOnce({ organizationId: OPERATOR_SCOPE, key }, request, reply, run, {});
    },
  });
}

type KeyCheck = (key: string) => boolean;

/** Compares in a time that does not depend on the key. Without an operator's key, no key passes. */
export function operatorKeyCheck(operatorApiKey: string | undefined): KeyCheck {
  if (operatorApiKey === undefined) return () => false;
  const expected = digest(operatorApiKey);
  return (key) => timingSafeEqual(digest(key), expected);
}

/**
 * Throws `unauthorized`, `rate_limited` if the source has sent too many wrong keys, or `forbidden` if the session is that
 * of a user who is no operator.
 */
export async function requireOperator(
  isOperator: KeyCheck,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { server, headers } = request;
  const key = headers["x-api-key"];
  if (typeof key === "string") {
    if (!isOperator(key)) throw refuseCredential(request, reply);
    return;
  }
  const isAllowed = headers.cookie === undefined ? undefined : await server.isOperatorSession(headers.cookie);
  if (isAllowed === undefined) throw new AppError("unauthorized");
  if (!isAllowed)
    throw new AppError("forbidden", { message: "This operation is for operators of the installation." });
  requireSameOrigin(request, server.publicUrl);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
