import type { RouteDefinition, RouteInput, RouteOutput } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import {
  disconnectionOf,
  readLastEventId,
  schemaOf,
  toPayload,
  urlOf,
} from "../../platform/http/bind-route.ts";
import { refuseCredential } from "../../platform/http/failed-attempts.ts";
import { isOwnOrigin } from "../../platform/http/same-origin.ts";
import { requireReadableQuery } from "../../platform/http/validation.ts";
import { inOrganization } from "../../platform/organization-scope.ts";
import type { LiveAgent } from "../agents/versions/agent-resolution.service.ts";
import type { WidgetSessionClaims } from "./session-tokens.ts";
import { isAllowedOrigin } from "./widget-origin.rules.ts";
import type { WidgetService } from "./widget.service.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the routes under `/widget`. */
    visit: Visit | undefined;
  }
}

/** A page's access to a widget. */
export interface Visit {
  agent: LiveAgent;
  /** Origin of the page; empty for pages of this server. */
  origin: string;
  /** `undefined` for operations without a session. */
  session: WidgetSessionClaims | undefined;
}

export type WidgetRequest<R extends RouteDefinition> = RouteInput<R> & {
  visit: Visit;
  /** The visitor. Throws `unauthorized` for operations without a session. */
  customerId: string;
  address: string;
  serverOrigin: string;
  lastEventId: string | undefined;
  disconnection: AbortSignal;
};

const PREFIX = "/widget";
const PREFLIGHT_SECONDS = "86400";
const bearerPattern = /^Bearer ([\w.-]+)$/i;

/** Lets pages of all origins send requests: access depends on the session's token, and no cookie is accepted. */
export function allowAllOrigins(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("access-control-allow-origin", "*");
    reply.header("access-control-expose-headers", "Retry-After, X-Request-Id");
  });
}

/** Registers an operation of widgets. The agent, the session, the page's origin and the billing are checked before the body is read. */
export function bindWidgetRoute<const R extends RouteDefinition>(
  app: FastifyInstance,
  widget: WidgetService,
  route: R,
  handle: (request: WidgetRequest<R>) => Promise<RouteOutput<R>>,
): void {
  app.route({
    method: route.method,
    url: PREFIX + urlOf(route),
    schema: schemaOf(route),
    onRequest: async (request, reply) => {
      reply.header("cache-control", "no-store");
      request.visit = await admit(widget, route, request, reply);
    },
    handler: async (request, reply) => {
      requireReadableQuery(request.url);
      const { visit, params, query, body, ip: address } = request;
      if (visit === undefined) throw new AppError("unauthorized");
      const given = {
        params,
        query,
        body,
        visit,
        customerId: visit.session?.customerId ?? "",
        address,
        serverOrigin: `${request.protocol}://${request.host}`,
        lastEventId: readLastEventId(request),
        disconnection: disconnectionOf(reply),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has passed the schemas these types come from
      } as unknown as WidgetRequest<R>;
      reply.code(route.status);
      if (route.contentType !== undefined) reply.type(route.contentType);
      return await inOrganization(visit.agent.organizationId, async () =>
        reply.send(await toPayload(await handle(given))),
      );
    },
  });
}

/** Answers the preflight requests of browsers. */
export function bindPreflight(app: FastifyInstance): void {
  app.options(`${PREFIX}/*`, async (_request, reply) => {
    await reply
      .header("access-control-allow-methods", "GET, POST, OPTIONS")
      .header("access-control-allow-headers", "Authorization, Content-Type, Last-Event-ID")
      .header("access-control-max-age", PREFLIGHT_SECONDS)
      .code(204)
      .send();
  });
}

async function admit(
  widget: WidgetService,
  route: RouteDefinition,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const { widgetKey } = request.params as { widgetKey: string };
  const origin = readOrigin(request);
  // Checked first, because it needs no query.
  const session =
    route.isPublic === true ? undefined : readSession(widget, request, reply, widgetKey, origin);
  const agent = await widget.find(widgetKey);
  if (agent === undefined) throw new AppError("not_found", { message: "There is no widget with this key." });
  if (origin !== "" && !isAllowedOrigin(origin, agent.document.widgetConfig.allowedDomains))
    throw new AppError("forbidden", {
      message: `The widget's allowedDomains do not contain the host of ${JSON.stringify(origin.slice(0, 128))}.`,
    });
  await widget.requireBilling(agent);
  return { agent, origin, session };
}

/** Returns the page's origin; empty if it is this server. Browsers send no `Origin` with reads of the same server. */
function readOrigin({ headers, host, server }: FastifyRequest): string {
  const { origin } = headers;
  if (origin === undefined || isOwnOrigin(origin, host, server.publicUrl)) return "";
  if (URL.canParse(origin))
    return new URL(origin).origin === "null" ? refuseOrigin(origin) : new URL(origin).origin;
  return refuseOrigin(origin);
}

/** Pages in sandboxed frames and files have no host. */
function refuseOrigin(origin: string): never {
  throw new AppError("forbidden", {
    message: `The widget works on pages with a host, not with the origin ${JSON.stringify(origin.slice(0, 128))}.`,
  });
}

function readSession(
  widget: WidgetService,
  request: FastifyRequest,
  reply: FastifyReply,
  widgetKey: string,
  origin: string,
): WidgetSessionClaims {
  reply.header("www-authenticate", "Bearer");
  const message = `A session's token for this widget and this page is required: start one with POST ${PREFIX}/{widgetKey}/sessions.`;
  const unauthorized = new AppError("unauthorized", { message });
  const token = bearerPattern.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined) throw unauthorized;
  const session = widget.readSession(token);
  if (session?.widgetKey !== widgetKey || session.origin !== origin)
    throw refuseCredential(request, reply, unauthorized);
  return session;
}
