import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import { refuseCredential } from "../../platform/http/failed-attempts.ts";
import type { Answered, WebCall } from "./web-call.ts";
import type { WebCallsService } from "./web-calls.service.ts";
import { RELAYED_HEADER, WhipRelay } from "./whip-relay.ts";

type WhipCalls = Pick<
  WebCallsService,
  "find" | "findRemoteAddress" | "isToken" | "linkHeader" | "relayProofs"
>;
type CallRequest = FastifyRequest<{ Params: { callId: string } }>;
type Handler = (call: WebCall, request: CallRequest, reply: FastifyReply) => Promise<void>;

/** A WHIP resource and its methods. */
interface Resource {
  /** Path after the call's id. */
  suffix: string;
  methods: Readonly<Partial<Record<string, Handler>>>;
}

const SDP = "application/sdp";
const SDP_FRAGMENT = "application/trickle-ice-sdpfrag";
/** An offer with many candidates has about 10 KiB. */
const BODY_LIMIT_BYTES = 64 * 1024;
const PREFLIGHT_SECONDS = "86400";
const CALLS_PATH = "/rtc/calls";
const SESSION_SUFFIX = "/session";
const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const bearerPattern = /^Bearer ([\w.~+/-]+=*)$/i;

/**
 * WHIP (RFC 9725): joins browsers to their calls, under `/rtc`. Access depends on the call's token alone, so
 * pages of any origin may send requests. The token is checked before the body is read, before any query, and
 * before the request is relayed to the call's node, which receives a proof of the check in place of the token.
 */
export function bindWhipRoutes(app: FastifyInstance, webCalls: WhipCalls): void {
  const relay = new WhipRelay(webCalls.relayProofs);
  app.addHook("onClose", async () => await relay.close());
  const endpoint: Resource = {
    suffix: "",
    methods: {
      POST: async (call, request, reply) => {
        const joined = await call.join(bodyOf(request, SDP));
        const { callId } = request.params;
        reply
          .header("location", `${CALLS_PATH}/${callId}${SESSION_SUFFIX}`)
          .header("accept-patch", `${SDP_FRAGMENT}, ${SDP}`);
        await sendAnswer(reply.code(201), joined, SDP);
      },
    },
  };
  const session: Resource = {
    suffix: SESSION_SUFFIX,
    methods: {
      PATCH: async (call, request, reply) => {
        const ifMatch = request.headers["if-match"];
        if (isOf(request, SDP)) {
          const rejoined = await call.rejoin(bodyOf(request, SDP), ifMatch);
          return await sendAnswer(reply.code(200), rejoined, SDP);
        }
        const restarted = await call.trickle(bodyOf(request, SDP_FRAGMENT), ifMatch);
        if (restarted === undefined) await reply.code(204).send();
        else await sendAnswer(reply.code(200), restarted, SDP_FRAGMENT);
      },
      DELETE: async (call, _request, reply) => {
        call.hangUp();
        await reply.code(200).send();
      },
    },
  };
  app.register(async (whip) => {
    for (const type of [SDP, SDP_FRAGMENT]) {
      const options = { parseAs: "string", bodyLimit: BODY_LIMIT_BYTES } as const;
      whip.addContentTypeParser<string>(type, options, (_request, body, done) => done(null, body));
    }
    whip.addHook("onRequest", async (_request, reply) => {
      reply.header("access-control-allow-origin", "*");
      reply.header("access-control-expose-headers", "Location, ETag, Link, Accept-Patch, Retry-After");
    });
    for (const resource of [endpoint, session]) bindResource(whip, resource, webCalls, relay);
  });
}

function bindResource(
  app: FastifyInstance,
  { suffix, methods }: Resource,
  webCalls: WhipCalls,
  relay: WhipRelay,
): void {
  const allowed = ["OPTIONS", ...Object.keys(methods)].join(", ");
  const handlers: Resource["methods"] = { ...methods, OPTIONS: describe(webCalls, allowed) };
  app.route<{ Params: { callId: string } }>({
    method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    url: `${CALLS_PATH}/:callId${suffix}`,
    onRequest: async (request, reply) => {
      reply.header("allow", allowed);
      const { method, headers } = request;
      const isPreflight =
        method === "OPTIONS" && headers.authorization === undefined && proofOf(request) === undefined;
      if (isPreflight) return await sendOptions(reply, allowed);
      if (!Object.hasOwn(handlers, method)) throw new AppError("method_not_allowed");
      requireAccess(webCalls, request, reply, suffix);
    },
    handler: async (request, reply) => {
      const { method, headers, body, params } = request;
      const { callId } = params;
      const proof = proofOf(request);
      if (proof !== undefined && !webCalls.relayProofs.isBody(proof, body)) throw unauthorized(reply);
      const call = webCalls.find(callId);
      if (call === undefined) {
        const path = pathOf(callId, suffix);
        const find = async () => await webCalls.findRemoteAddress(callId);
        const answer = await relay.pass({ method, path, headers, body }, find);
        return await reply
          .code(answer.status)
          .headers(answer.headers)
          .send(answer.body || undefined);
      }
      if (method === "POST") linkServers(webCalls, callId, reply);
      await handlers[method]?.(call, request, reply);
      return reply;
    },
  });
}

/** Answers OPTIONS with the STUN and TURN servers, which a client needs before its offer. */
function describe(webCalls: WhipCalls, allowed: string): Handler {
  return async (_call, request, reply) => {
    linkServers(webCalls, request.params.callId, reply);
    await sendOptions(reply, allowed);
  };
}

function linkServers(webCalls: WhipCalls, callId: string, reply: FastifyReply): void {
  const link = webCalls.linkHeader(callId);
  if (link !== undefined) reply.header("link", link);
}

async function sendOptions(reply: FastifyReply, allowed: string): Promise<FastifyReply> {
  return await reply
    .header("accept-post", SDP)
    .header("access-control-allow-methods", allowed)
    .header("access-control-allow-headers", "Authorization, Content-Type, If-Match")
    .header("access-control-max-age", PREFLIGHT_SECONDS)
    .code(204)
    .send();
}

async function sendAnswer(reply: FastifyReply, { sdp, etag }: Answered, type: string): Promise<void> {
  await reply.header("etag", etag).type(type).send(sdp);
}

function pathOf(callId: string, suffix: string): string {
  return `${CALLS_PATH}/${callId}${suffix}`;
}

/** Another node's proof that it has checked the token. */
function proofOf({ headers }: FastifyRequest): string | undefined {
  const proof = headers[RELAYED_HEADER];
  return typeof proof === "string" ? proof : undefined;
}

/** Requires the call's token or another node's proof. */
function requireAccess(webCalls: WhipCalls, request: CallRequest, reply: FastifyReply, suffix: string): void {
  const { callId } = request.params;
  if (!idPattern.test(callId)) throw new AppError("not_found");
  const proof = proofOf(request);
  if (proof !== undefined) {
    const { method, headers } = request;
    const isProven = webCalls.relayProofs.isValid(proof, { method, path: pathOf(callId, suffix), headers });
    if (!isProven) throw refuseCredential(request, reply, unauthorized(reply));
    return;
  }
  const token = bearerPattern.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined) throw unauthorized(reply);
  if (!webCalls.isToken(callId, token)) throw refuseCredential(request, reply, unauthorized(reply));
}

/** RFC 6750 §3. */
function unauthorized(reply: FastifyReply): AppError {
  reply.header("www-authenticate", "Bearer");
  return new AppError("unauthorized", {
    message: "The call's token is required in the Authorization header: Bearer <token>.",
  });
}

function isOf(request: FastifyRequest, type: string): boolean {
  return request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === type;
}

function bodyOf(request: FastifyRequest, type: string): string {
  const { body } = request;
  if (!isOf(request, type))
    throw new AppError("unsupported_media_type", { message: `The content type must be ${type}.` });
  if (typeof body !== "string" || body === "") throw invalidBody("", "must not be empty");
  return body;
}
