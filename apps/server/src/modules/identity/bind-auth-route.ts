import type { RouteDefinition, RouteInput, RouteOutput } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { targetOf } from "../../platform/http/audit.ts";
import { schemaOf, urlOf } from "../../platform/http/bind-route.ts";
import { requireSameOrigin } from "../../platform/http/same-origin.ts";
import { compileParams } from "../../platform/http/validation.ts";
import { cookieHeaderOf, libraryHeaders } from "./auth-client.ts";
import type { SessionsService, SignedIn } from "./sessions.service.ts";

const AUTH_PREFIX = "/auth";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the routes under `/auth` that need a session. */
    signedIn: SignedIn | undefined;
  }
}

export type AuthRequest<R extends RouteDefinition> = RouteInput<R> & {
  /** Headers for the library. */
  headers: Headers;
  /** Address of the client. */
  address: string;
  /** Adds cookies to the answer. */
  setCookies: (cookies: readonly string[]) => void;
};

type SessionRequest<R extends RouteDefinition> = AuthRequest<R> & { signedIn: SignedIn };

/** Registers the routes under `/auth`. */
export class AuthRoutes {
  readonly #app: FastifyInstance;
  readonly #sessions: SessionsService;

  constructor(app: FastifyInstance, sessions: SessionsService) {
    this.#app = app;
    this.#sessions = sessions;
    app.decorateRequest("signedIn", undefined);
  }

  /** Registers a route that needs no session. If it begins one, it is added to the audit log. */
  bindPublic<const R extends RouteDefinition>(
    route: R,
    handle: (request: AuthRequest<R>) => Promise<RouteOutput<R>>,
  ): void {
    const check = async (request: FastifyRequest): Promise<void> => {
      const { origin, cookie } = request.headers;
      // A program has neither. A page of another server must not sign its visitors in, for example as its author.
      if (origin !== undefined || cookie !== undefined) requireSameOrigin(request, this.#app.publicUrl);
    };
    this.#bind(route, check, async (request, reply) => {
      const answer = await handle(readRequest<R>(request, reply));
      const setCookies = [reply.getHeader("set-cookie") ?? []].flat().map(String);
      const begun = await this.#sessions.find(cookieHeaderOf(setCookies));
      if (begun !== undefined) await this.record(begun, route.operationId, request);
      return answer;
    });
  }

  /** Registers a route that needs a session. */
  bind<const R extends RouteDefinition>(
    route: R,
    handle: (request: SessionRequest<R>) => Promise<RouteOutput<R>>,
  ): void {
    const check = async (request: FastifyRequest): Promise<void> => {
      request.signedIn = await this.#sessions.find(request.headers.cookie);
      if (request.signedIn === undefined) throw notSignedIn();
      requireSameOrigin(request, this.#app.publicUrl);
    };
    this.#bind(route, check, async (request, reply) => {
      const { signedIn } = request;
      if (signedIn === undefined) throw notSignedIn();
      const answer = await handle({ ...readRequest<R>(request, reply), signedIn });
      if (route.method !== "GET") await this.record(signedIn, route.operationId, request);
      return answer;
    });
  }

  /** Adds what a user did to the audit log of their active organization. */
  async record(
    { user, activeOrganizationId }: Pick<SignedIn, "user" | "activeOrganizationId">,
    action: string,
    { ip, params }: Pick<FastifyRequest, "ip"> & Partial<Pick<FastifyRequest, "params">>,
  ): Promise<void> {
    if (activeOrganizationId === null) return;
    await this.#app.recordAction({
      organizationId: activeOrganizationId,
      actor: { type: "user", name: user.name },
      actorId: user.id,
      action,
      targetId: targetOf(params, undefined),
      ipAddress: ip,
    });
  }

  #bind(
    route: RouteDefinition,
    check: (request: FastifyRequest) => Promise<void>,
    handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void {
    const isValidPath = route.params === undefined ? undefined : compileParams(route.params);
    this.#app.route({
      method: route.method,
      url: AUTH_PREFIX + urlOf(route),
      schema: schemaOf(route),
      ...(route.bodyLimitBytes !== undefined && { bodyLimit: route.bodyLimitBytes }),
      // Runs before the body is read.
      onRequest: async (request, reply) => {
        reply.header("cache-control", "no-store");
        await check(request);
      },
      handler: async (request, reply) => {
        if (isValidPath?.(request.params) === false) throw new AppError("not_found");
        reply.code(route.status);
        return await reply.send(await handle(request, reply));
      },
    });
  }
}

function readRequest<R extends RouteDefinition>(
  request: FastifyRequest,
  reply: FastifyReply,
): AuthRequest<R> {
  const { params, query, body, ip } = request;
  const headers = libraryHeaders(request.headers, ip);
  const setCookies = (cookies: readonly string[]): void => void reply.header("set-cookie", [...cookies]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has passed the schemas these types come from
  return { params, query, body, headers, address: ip, setCookies } as AuthRequest<R>;
}

function notSignedIn(): AppError {
  return new AppError("unauthorized", { message: "You are not signed in, or the session has ended." });
}
