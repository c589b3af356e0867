import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifySerializerCompiler,
  LogController,
  fastify,
} from "fastify";
import type { Logger } from "pino";
import { AppError, invalidBody } from "../app-error.ts";
import type { Idempotency } from "../idempotency/idempotency.ts";
import type { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { sendError, sendNotFound } from "./errors.ts";
import type { Authenticate } from "./principal.ts";
import { registerReference } from "./reference.ts";
import { compileValidator } from "./validation.ts";

declare module "fastify" {
  interface FastifyInstance {
    authenticate: Authenticate;
    idempotency: Idempotency;
    rateLimiter: RateLimiter;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** To receive a whole request, so that slow senders do not hold connections for ever. */
const REQUEST_DEADLINE_MS = 30_000;

const absoluteFormPattern = /^https?:\/\/([^/?#]*)/i;
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export interface HttpServerOptions {
  logger: Logger;
  authenticate: Authenticate;
  idempotency: Idempotency;
  rateLimiter: RateLimiter;
}

/**
 * The HTTP server without any route of a feature: bind those, then `listen`. `close()` lets running requests end.
 */
export async function createHttpServer({
  logger,
  authenticate,
  idempotency,
  rateLimiter,
}: HttpServerOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = logger;
  const app: FastifyInstance = fastify({
    loggerInstance,
    // One line for each request, at its end; see below.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_DEADLINE_MS,
    genReqId: ({ headers }) => acceptRequestId(headers["x-request-id"]) ?? randomUUID(),
    frameworkErrors: sendError,
    rewriteUrl: ({ url, headers }) => toOriginForm(url ?? "/", headers),
  });
  app.decorate("authenticate", authenticate);
  app.decorate("idempotency", idempotency);
  app.decorate("rateLimiter", rateLimiter);
  app.decorateRequest("principal", undefined);
  app.decorateRequest("countedUse", undefined);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(createSerializerCompiler());
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendNotFound);
  acceptOnlyJson(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    requireHost(request.headers.host);
  });
  app.addHook("onResponse", async (request, reply) => {
    // The pattern, not the address: that may hold names and numbers.
    const route = request.routeOptions.url ?? "(none)";
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    request.log.info({ method: request.method, route, status: reply.statusCode, durationMs }, "request");
  });
  registerReference(app);
  return app;
}

/** Compiles with the first answer: a start need not wait for every route's. */
function createSerializerCompiler(): FastifySerializerCompiler<unknown> {
  const compile = SerializerSelector()({}, {});
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (data) => (serialize ??= compile({ httpStatus: "", ...route }))(data);
  };
}

/**
 * Routes see `/path?query` alone. A client may send a whole URI (RFC 9112 §3.2.2): its authority replaces the Host header, and
 * decides nothing else.
 */
function toOriginForm(target: string, headers: IncomingHttpHeaders): string {
  const [scheme, authority] = absoluteFormPattern.exec(target) ?? [];
  if (scheme === undefined || authority === undefined) return target;
  headers.host = authority;
  const rest = target.slice(scheme.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Answers name this server by it: a join URL, for example. */
function requireHost(host: string | undefined): void {
  if (host === undefined || hostPattern.test(host)) return;
  throw new AppError("invalid_query", {
    message: "The Host header is not valid.",
    issues: [{ path: "Host", message: "must be a host name or an IP address, and may have a port" }],
  });
}

/** What a client sends as its request id is taken if it cannot disturb a log or a header. */
function acceptRequestId(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && /^[\w.:/+=-]{1,128}$/.test(value) ? value : undefined;
}

function acceptOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.trim();
    // Some clients announce JSON whenever they might send some.
    if (text === "") return done(null, {});
    // The framework takes null for no body.
    if (text === "null") return done(invalidBody("", "must be an object"));
    return parseJson(request, text, done);
  });
}
