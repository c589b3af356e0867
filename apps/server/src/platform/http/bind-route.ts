import { Readable } from "node:stream";
import {
  type RateLimit,
  type RouteDefinition,
  type RouteInput,
  type RouteOutput,
  closedObject,
  errorSchema,
  requiredRoleOf,
  takesIdempotencyKey,
} from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, invalidBody } from "../app-error.ts";
import type { EffectOptions } from "../idempotency/idempotency.ts";
import type { RateLimitedUse } from "../rate-limit/rate-limiter.ts";
import { inOrganization } from "../organization-scope.ts";
import { type AuditedAction, recordWrite, targetOf } from "./audit.ts";
import { answerOnce, readIdempotencyKey, REPLAYED_HEADER } from "./answer-once.ts";
import { refuseCredential } from "./failed-attempts.ts";
import { requireRole } from "./require-role.ts";
import type { Principal } from "./principal.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { compileParams, requireReadableQuery } from "./validation.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** Use counted toward the route's limit; taken back if the request has no effect. */
    countedUse: CountedUse | undefined;
    /** Seconds until the route's limit allows another use; `undefined` if it allows this one. */
    retryAfterSeconds: string | undefined;
  }
}

interface CountedUse extends RateLimitedUse {
  at: Date;
  remaining: number;
}

const API_PREFIX = "/v1";

export type RouteRequest<R extends RouteDefinition> = RouteInput<R> & {
  principal: Principal;
  /** Origin of the request as the client sees it, e.g. `https://parley.example.com`. */
  origin: string;
  /** The header `Last-Event-ID` of a client that reconnects to a stream. */
  lastEventId: string | undefined;
  /** Aborts when the client disconnects before it has the whole answer. */
  disconnection: AbortSignal;
};

interface RouteOptions<R extends RouteDefinition> extends EffectOptions {
  /** What the audit log records beside the operation. Default: nothing. */
  auditDetail?: (request: RouteRequest<R>) => string | undefined;
}

const nothing = closedObject({});

/**
 * Registers a route of the contract: authorization, validation and serialization follow from its definition. Under an
 * `Idempotency-Key` the handler runs in a transaction, unless its `effect` is remote.
 */
export function bindRoute<const R extends RouteDefinition>(
  app: FastifyInstance,
  route: R,
  handle: (request: RouteRequest<R>) => Promise<RouteOutput<R>>,
  effect: RouteOptions<R> = {},
): void {
  const isValidPath = route.params === undefined ? undefined : compileParams(route.params);
  app.route({
    method: route.method,
    url: API_PREFIX + urlOf(route),
    schema: schemaOf(route),
    ...bodyOptionsOf(route),
    // Runs before the body is read, so that 401, 403, 402 and 429 precede 413, 415 and 400.
    onRequest: async (request, reply) => {
      await admit(app, route, { request, reply, effect });
    },
    ...(route.rateLimit !== undefined && { onSend: giveBackUnused }),
    handler: async (request, reply) => {
      requireReadableQuery(request.url);
      const key = takesIdempotencyKey(route) ? readIdempotencyKey(request) : undefined;
      // Replaces the framework's own check of the path, which would precede that of the body: 404 before 400.
      if (isValidPath?.(request.params) === false) throw new AppError("not_found");
      if (request.principal === undefined) throw new AppError("unauthorized");
      const { principal } = request;
      requireFile(route, request);
      const { organizationId } = principal;
      const { isRemote } = effect;
      const disconnection = disconnectionOf(reply);
      using _share = await app.requestShares.take({ organizationId, isRemote }, disconnection);
      const given = requestOf(route, request, { principal, disconnection });
      const isInTransaction = key !== undefined && effect.isRemote !== true;
      const run = async () => {
        const answer = await handle(given);
        if (route.method !== "GET") {
          const detail = effect.auditDetail?.(given) ?? null;
          const write = { ...writeOf(request, route, principal, answer), detail };
          await recordWrite(request, write, { isInTransaction });
        }
        return answer;
      };
      reply.code(route.status);
      if (route.contentType !== undefined) reply.type(route.contentType);
      return await inOrganization(organizationId, async () => {
        if (key === undefined) return await reply.send(await toPayload(await run()));
        const runWithinLimit = async () => {
          requireUse(request, reply);
          return await run();
        };
        return await answerOnce({ organizationId, key }, request, reply, runWithinLimit, effect);
      });
    },
  });
}

function bodyOptionsOf({ bodyLimitBytes, maxJsonValues, file }: RouteDefinition) {
  return {
    ...(bodyLimitBytes !== undefined && { bodyLimit: bodyLimitBytes }),
    config: {
      ...(maxJsonValues !== undefined && { maxJsonValues }),
      ...(file !== undefined && { filePart: file }),
    },
  };
}

/** Throws `invalid_body` if the route takes a file and the request has none. */
function requireFile({ file }: RouteDefinition, request: FastifyRequest): void {
  if (file !== undefined && request.file === undefined) throw invalidBody(file.part, "is required: a file");
}

function requestOf<const R extends RouteDefinition>(
  _route: R,
  request: FastifyRequest,
  about: { principal: Principal; disconnection: AbortSignal },
): RouteRequest<R> {
  const { params, query, body, file } = request;
  const origin = `${request.protocol}://${request.host}`;
  const lastEventId = readLastEventId(request);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has passed the schemas these types come from
  return { params, query, body, file, origin, lastEventId, ...about } as RouteRequest<R>;
}

export function readLastEventId({ headers }: FastifyRequest): string | undefined {
  const { "last-event-id": lastEventId } = headers;
  return typeof lastEventId === "string" ? lastEventId : undefined;
}

/** The framework sends streams, but no other iterables. Waits for the first part, so that its failure is still a refusal. */
export async function toPayload(answer: unknown): Promise<unknown> {
  const isIterable = typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
  if (!isIterable) return answer;
  const parts = (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const first = await parts.next();
  return Readable.from(startingWith(first, parts));
}

async function* startingWith(first: IteratorResult<unknown>, rest: AsyncIterator<unknown>): AsyncGenerator {
  if (first.done === true) return;
  yield first.value;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Aborts when the client disconnects before it has its answer: a request that waits for its turn then has no effect. */
export function disconnectionOf({ raw }: FastifyReply): AbortSignal {
  const disconnection = new AbortController();
  const abort = (): void =>
    disconnection.abort(new AppError("request_timeout", { message: "The client closed the connection." }));
  if (raw.destroyed) abort();
  else raw.once("close", () => !raw.writableFinished && abort());
  return disconnection.signal;
}

/** Checks the credential, the role and the limits, and sets the request's principal. */
async function admit(
  app: FastifyInstance,
  route: RouteDefinition,
  { request, reply, effect }: { request: FastifyRequest; reply: FastifyReply; effect: EffectOptions },
): Promise<void> {
  // Answers hold transcripts, keys and links: no cache on the way stores them.
  reply.header("cache-control", "no-store");
  const principal = await authorize(request, reply, route);
  request.principal = principal;
  const { organizationId } = principal;
  await app.requestShares.requireRoom({ organizationId, isRemote: effect.isRemote });
  const use = { organizationId, name: route.operationId };
  if (route.rateLimit === undefined) return;
  await limitRate(request, reply, use, route.rateLimit);
  // Under a key it may be a replay, which no limit applies to.
  const isKeyed = takesIdempotencyKey(route) && request.headers["idempotency-key"] !== undefined;
  if (!isKeyed) requireUse(request, reply);
}

/** The route's path in the router's notation. */
export function urlOf({ path }: RouteDefinition): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

export function schemaOf({ method, body, query, status, response, contentType }: RouteDefinition) {
  return {
    ...(method !== "GET" && { body: body ?? nothing }),
    querystring: query ?? nothing,
    response: {
      ...(contentType === undefined && { [status]: response }),
      "4xx": errorSchema,
      "5xx": errorSchema,
    },
  };
}

async function authorize(
  request: FastifyRequest,
  reply: FastifyReply,
  route: RouteDefinition,
): Promise<Principal> {
  const principal = await authenticate(request, reply);
  requireRole(principal, requiredRoleOf(route));
  if (route.isBillingRequired !== false && !principal.isBillingActive) throw new AppError("billing_inactive");
  return principal;
}

function writeOf(
  { params, ip }: FastifyRequest,
  { operationId }: RouteDefinition,
  { organizationId, actor, actorId }: Principal,
  answer: unknown,
): AuditedAction {
  const targetId = targetOf(params, answer);
  return { organizationId, actor, actorId, action: operationId, targetId, ipAddress: ip };
}

/** Resolves the API key or, if there is none, the session cookie. */
async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
  const { server, headers } = request;
  const apiKey = headers["x-api-key"];
  if (typeof apiKey === "string") {
    const principal = await server.authenticate(apiKey);
    if (principal === undefined) throw refuseCredential(request, reply);
    return principal;
  }
  const principal =
    headers.cookie === undefined ? undefined : await server.authenticateSession(headers.cookie);
  if (principal === undefined) throw new AppError("unauthorized");
  requireSameOrigin(request, server.publicUrl);
  return principal;
}

/** The only place that compares roles with routes. */
/**
 * Counts the use before the request is read, so that concurrent requests are counted too; `giveBackUnused` reverts it.
 * The header fields are those of draft-ietf-httpapi-ratelimit-headers-06, which most clients support.
 */
async function limitRate(
  request: FastifyRequest,
  reply: FastifyReply,
  use: RateLimitedUse,
  rate: RateLimit,
): Promise<void> {
  const { isAllowed, limit, at, remaining, resetMs } = await request.server.rateLimiter.take(use, rate);
  const resetSeconds = String(Math.ceil(resetMs / 1000));
  reply.header("ratelimit-limit", String(limit));
  reply.header("ratelimit-remaining", String(remaining));
  reply.header("ratelimit-reset", resetSeconds);
  if (isAllowed) request.countedUse = { ...use, at, remaining };
  else request.retryAfterSeconds = resetSeconds;
}

/** Throws `rate_limited` if the route's limit does not allow this use. */
function requireUse({ retryAfterSeconds }: FastifyRequest, reply: FastifyReply): void {
  if (retryAfterSeconds === undefined) return;
  reply.header("retry-after", retryAfterSeconds);
  throw new AppError("rate_limited");
}

/** Takes back the use of a rejected or replayed request. Runs before the answer is sent, so that the client may retry at once. */
async function giveBackUnused(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { countedUse, server } = request;
  const isUnused = reply.statusCode >= 400 || reply.hasHeader(REPLAYED_HEADER);
  if (countedUse === undefined || !isUnused) return;
  request.countedUse = undefined;
  try {
    await server.rateLimiter.giveBack(countedUse, countedUse.at);
    reply.header("ratelimit-remaining", String(countedUse.remaining + 1));
  } catch (error) {
    request.log.warn({ err: error }, "releasing a rate limit slot failed; the failed request counts");
  }
}
