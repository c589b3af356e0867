import { randomUUID } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, type Server, maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySerializerCompiler,
  LogController,
  fastify,
} from "fastify";
import type { Logger } from "pino";
import { AppError } from "../app-error.ts";
import type { Idempotency } from "../idempotency/idempotency.ts";
import type { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { AllowedMethods } from "./allowed-methods.ts";
import type { RecordAction } from "./audit.ts";
import { ClientErrors } from "./client-errors.ts";
import { sendError, sendNotFound } from "./errors.ts";
import { FailedAttempts, sourceOf } from "./failed-attempts.ts";
import type { Authenticate, AuthenticateSession, FindSessionUser } from "./principal.ts";
import { acceptOnlyJson, requirePlainBody } from "./json-body.ts";
import { acceptFiles } from "./multipart-body.ts";
import { sendRefusalsLate } from "./late-refusals.ts";
import { type FindRequestLimits, RequestShares } from "./request-shares.ts";
import { registerReference } from "./pages/reference.ts";
import { compileValidator } from "./validation.ts";

declare module "fastify" {
  interface FastifyInstance {
    authenticate: Authenticate;
    authenticateSession: AuthenticateSession;
    findSessionUser: FindSessionUser;
    recordAction: RecordAction;
    /** `undefined` if none is configured. */
    publicUrl: string | undefined;
    idempotency: Idempotency;
    rateLimiter: RateLimiter;
    requestShares: RequestShares;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Limits of connections, so that slow or numerous ones do not use up the server's resources. */
const defaultLimits: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 60_000,
  connections: 2_048,
  connectionsOfSource: 512,
  closeMs: 10_000,
  refusalPauseMs: 1_000,
};
/** Interval at which the first two limits are checked. */
const CHECK_INTERVAL_MS = 1_000;

const absoluteFormPattern = /^https?:\/\/([^/?#]*)/i;
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export interface HttpServerOptions {
  logger: Logger;
  authenticate: Authenticate;
  /** Default: no cookie is a credential. */
  authenticateSession?: AuthenticateSession;
  /** Default: no cookie is a credential. */
  findSessionUser?: FindSessionUser;
  /** Default: no audit log. */
  recordAction?: RecordAction;
  publicUrl?: string | undefined;
  /** Addresses and networks whose `X-Forwarded-For` names the client. Default: none. */
  trustedProxies?: readonly string[];
  idempotency: Idempotency;
  rateLimiter: RateLimiter;
  findLimits: FindRequestLimits;
  limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  /** Time to receive a request's header. */
  headersMs: number;
  /** Time to receive a whole request. */
  requestMs: number;
  /** Time without a byte in either direction, for clients that do not read an answer. */
  silenceMs: number;
  connections: number;
  /** Connections from one IPv4 address or one /64 IPv6 network. */
  connectionsOfSource: number;
  /** Time for running requests to end when the server closes. */
  closeMs: number;
  /** Delay of answers with status 429. */
  refusalPauseMs: number;
}

/** HTTP server without routes of features: register those, then call `listen`. `close()` lets running requests end. */
export async function createHttpServer({
  logger,
  authenticate,
  authenticateSession = async () => undefined,
  findSessionUser = async () => undefined,
  recordAction = async () => {},
  publicUrl,
  trustedProxies = [],
  idempotency,
  rateLimiter,
  findLimits,
  limits: chosenLimits,
}: HttpServerOptions): Promise<FastifyInstance> {
  const limits = { ...defaultLimits, ...chosenLimits };
  const loggerInstance: FastifyBaseLogger = logger;
  const clientErrors = new ClientErrors();
  const app: FastifyInstance = fastify({
    loggerInstance,
    // Requests are logged once, at their end; see below.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.silenceMs,
    http: {
      // `requireHost` rejects it in the envelope.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headersMs),
    },
    genReqId: ({ headers }) => acceptRequestId(headers["x-request-id"]) ?? randomUUID(),
    frameworkErrors: sendError,
    clientErrorHandler: (error, socket) => clientErrors.answer(error, socket),
    // The schema of the path rejects ids that are too long, as it does other malformed ids.
    routerOptions: { maxParamLength: maxHeaderSize },
    trustProxy: [...trustedProxies],
    rewriteUrl: ({ url, headers }) => toOriginForm(url ?? "/", withoutForwardedHost(headers)),
  });
  clientErrors.watch(app.server);
  limitConnections(app.server, limits);
  endConnections(app, limits.closeMs);
  sendRefusalsLate(app, limits.refusalPauseMs);
  app.decorate("failedAttempts", new FailedAttempts());
  app.decorate("authenticate", authenticate);
  app.decorate("authenticateSession", authenticateSession);
  app.decorate("findSessionUser", findSessionUser);
  app.decorate("recordAction", recordAction);
  app.decorate("publicUrl", publicUrl);
  app.decorate("idempotency", idempotency);
  app.decorate("rateLimiter", rateLimiter);
  app.decorate("requestShares", new RequestShares(findLimits));
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(createSerializerCompiler());
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendNotFound);
  acceptOnlyJson(app);
  acceptFiles(app);
  addHooks(app);
  registerReference(app);
  return app;
}

/** Adds what holds for every request: its id, checks before the body is read, and a line of log. */
function addHooks(app: FastifyInstance): void {
  app.decorateRequest("principal", undefined);
  app.decorateRequest("operator", undefined);
  app.decorateRequest("countedUse", undefined);
  app.decorateRequest("retryAfterSeconds", undefined);
  const allowedMethods = new AllowedMethods();
  allowedMethods.watch(app);
  // A server may ignore expectations that it does not know (RFC 9110 §10.1.1). Node alone would answer 417 without a body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    requireHost(request.raw);
    // Runs before the body is read.
    if (request.is404) throw refusePath(request, reply, allowedMethods);
  });
  // After the hooks of routes, which check credentials: 401 precedes 415.
  app.addHook("preParsing", async (request) => requirePlainBody(request));
  app.addHook("onResponse", async (request, reply) => {
    // Logs the route's pattern, because the address may contain names and numbers.
    const route = request.routeOptions.url ?? "(none)";
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    request.log.info({ method: request.method, route, status: reply.statusCode, durationMs }, "request");
  });
}

/** Closes connections itself, because a closing server no longer enforces their deadlines. */
function endConnections(app: FastifyInstance, closeMs: number): void {
  const { server } = app;
  // Node closes idle connections, and regards these as busy.
  const unused = new Set<Socket>();
  let isClosing = false;
  server.on("connection", (socket) => {
    if (isClosing) return void socket.destroy();
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  app.addHook("preClose", async () => {
    isClosing = true;
    for (const socket of unused) socket.destroy();
    const deadline = setTimeout(() => server.closeAllConnections(), closeMs);
    server.once("close", () => clearTimeout(deadline));
  });
}

function limitConnections(server: Server, { connections, connectionsOfSource }: HttpLimits): void {
  server.maxConnections = connections;
  const counts = new Map<string, number>();
  server.on("connection", (socket) => {
    const source = sourceOf(socket.remoteAddress ?? "");
    const count = (counts.get(source) ?? 0) + 1;
    if (count > connectionsOfSource) return void socket.destroy();
    counts.set(source, count);
    socket.once("close", () => {
      const left = (counts.get(source) ?? 0) - 1;
      if (left > 0) counts.set(source, left);
      else counts.delete(source);
    });
  });
}

/** Compiles with the first answer, so that the start does not wait for all routes. */
function createSerializerCompiler(): FastifySerializerCompiler<unknown> {
  const compile = SerializerSelector()({}, {});
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (data) => (serialize ??= compile({ httpStatus: "", ...route }))(data);
  };
}

/**
 * Reduces the target to `/path?query`. A client may send a whole URI (RFC 9112 §3.2.2): its authority replaces the Host
 * header and has no other effect.
 */
function toOriginForm(target: string, headers: IncomingHttpHeaders): string {
  const [scheme, authority] = absoluteFormPattern.exec(target) ?? [];
  if (scheme === undefined || authority === undefined) return target;
  headers.host = authority;
  const rest = target.slice(scheme.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Of what a proxy forwards, only the client's address is used. */
function withoutForwardedHost(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-proto"];
  return headers;
}

/** Error for a path without a route for the request's method. */
function refusePath(request: FastifyRequest, reply: FastifyReply, allowedMethods: AllowedMethods): AppError {
  const [path = ""] = request.url.split("?");
  const allowed = allowedMethods.find(path);
  if (allowed.length === 0) return new AppError("not_found");
  reply.header("allow", allowed.join(", "));
  return new AppError("method_not_allowed");
}

/**
 * Rejects malformed hosts, because answers contain the host, for example in join URLs, and HTTP/1.1 without a host
 * (RFC 9112 §3.2).
 */
function requireHost({ headers: { host }, httpVersion }: IncomingMessage): void {
  if (host === undefined ? httpVersion === "1.0" : hostPattern.test(host)) return;
  throw new AppError("invalid_query", {
    message: "The Host header is invalid.",
    issues: [{ path: "Host", message: "must be a host name or an IP address, with an optional port" }],
  });
}

/** Accepts a client's request id if it is safe in logs and headers. */
function acceptRequestId(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && /^[\w.:/+=-]{1,128}$/.test(value) ? value : undefined;
}
