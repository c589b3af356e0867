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
import { recordWrite, targetOf } from "./audit.ts";
import { schemaOf, urlOf } from "./bind-route.ts";
import { refuseCredential } from "./failed-attempts.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { compileParams, requireReadableQuery } from "./validation.ts";

const OPERATOR_PREFIX = "/operator/v1";
/** The operator's idempotency keys are stored under this id, which no organization has. */
const OPERATOR_SCOPE = "00000000-0000-0000-0000-000000000000";
/** Name in audit logs of requests with the key of `PARLEY_OPERATOR_API_KEY`. */
const KEY_NAME = "operator's key";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the routes under `/operator/v1`. */
    operator: Operator | undefined;
  }
}

interface Operator {
  name: string;
  /** Null: the operator's key. */
  id: string | null;
}

/** What the audit log says about an operation besides its name. */
interface Concerned {
  /** Organization in whose audit log the operation appears, too. Absent: only operators see the entry. */
  organizationId?: string;
  /** Default: the last part of the path that names something, else what was created. */
  targetId?: string;
}

type OperatorRequest<R extends RouteDefinition> = RouteInput<R> & { note: (concerned: Concerned) => void };

/** Registers a route of the contract that only the operator's key, or the session of an operator, opens. */
export function bindOperatorRoute<const R extends RouteDefinition>(
  app: FastifyInstance,
  route: R,
  operatorApiKey: string | undefined,
  handle: (request: OperatorRequest<R>) => Promise<RouteOutput<R>>,
): void {
  const isValidPath = route.params === undefined ? undefined : compileParams(route.params);
  const isOperatorKey = keyCheckOf(operatorApiKey);
  app.route({
    method: route.method,
    url: OPERATOR_PREFIX + urlOf(route),
    schema: schemaOf(route),
    // Runs before the body is read.
    onRequest: async (request, reply) => {
      reply.header("cache-control", "no-store");
      request.operator = await requireOperator(isOperatorKey, request, reply);
    },
    handler: async (request, reply) => {
      requireReadableQuery(request.url);
      const key = takesIdempotencyKey(route) ? readIdempotencyKey(request) : undefined;
      if (isValidPath?.(request.params) === false) throw new AppError("not_found");
      reply.code(route.status);
      const run = async () =>
        await runAudited(request, route, handle, { isInTransaction: key !== undefined });
      if (key === undefined) return await reply.send(await run());
      return await answerOnce({ organizationId: OPERATOR_SCOPE, key }, request, reply, run, {});
    },
  });
}

/** Runs the operation and, if it writes, adds it to the audit log. */
async function runAudited<R extends RouteDefinition>(
  request: FastifyRequest,
  route: R,
  handle: (request: OperatorRequest<R>) => Promise<RouteOutput<R>>,
  options: { isInTransaction: boolean },
): Promise<RouteOutput<R>> {
  const { params, query, body, operator, ip } = request;
  if (operator === undefined) throw new AppError("unauthorized");
  let concerned: Concerned = {};
  const note = (given: Concerned): void => void (concerned = given);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has passed the schemas these types come from
  const answer = await handle({ params, query, body, note } as OperatorRequest<R>);
  if (route.method === "GET") return answer;
  const action = {
    organizationId: concerned.organizationId ?? null,
    actor: { type: "operator" as const, name: operator.name },
    actorId: operator.id,
    action: route.operationId,
    targetId: concerned.targetId ?? targetOf(params, answer),
    ipAddress: ip,
  };
  await recordWrite(request, action, options);
  return answer;
}

type KeyCheck = (key: string) => boolean;

/** Compares in a time that does not depend on the key. Without an operator's key, no key passes. */
function keyCheckOf(operatorApiKey: string | undefined): KeyCheck {
  if (operatorApiKey === undefined) return () => false;
  const expected = digest(operatorApiKey);
  return (key) => timingSafeEqual(digest(key), expected);
}

/**
 * Throws `unauthorized`, `rate_limited` if the source has sent too many wrong keys, or `forbidden` if the session is that
 * of a user who is no operator.
 */
async function requireOperator(
  isOperatorKey: KeyCheck,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Operator> {
  const { server, headers } = request;
  const key = headers["x-api-key"];
  if (typeof key === "string") {
    if (!isOperatorKey(key)) throw refuseCredential(request, reply);
    return { name: KEY_NAME, id: null };
  }
  const user = headers.cookie === undefined ? undefined : await server.findSessionUser(headers.cookie);
  if (user === undefined) throw new AppError("unauthorized");
  if (!user.isOperator)
    throw new AppError("forbidden", { message: "This operation is for operators of the installation." });
  requireSameOrigin(request, server.publicUrl);
  return { name: user.name, id: user.id };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
