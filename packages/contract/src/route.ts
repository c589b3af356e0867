import type { Static, TObject, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { RequiredRole } from "./identity/roles.ts";
import type { OrganizationLimit } from "./organizations/limits.ts";

/** Sliding-window limit per organization, over all nodes. A request that is answered with an error does not count. */
export interface RateLimit {
  /** A number, or the organization's limit of this name. */
  requests: number | OrganizationLimit;
  windowSeconds: number;
}

/** The part of a multipart body that is a file. It is required. */
export interface RouteFile {
  part: string;
  maxBytes: number;
  description: string;
}

/** Default of the most JSON values in one request body: the items of all its lists and objects together. */
export const MAX_JSON_VALUES = 10_000;

export interface RouteDefinition {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** True: an operation under `/operator/v1`, with the operator's key instead of an organization's. */
  isOperator?: true;
  /** True: an operation under `/auth`, with the session cookie. */
  isAuth?: true;
  /** True: an operation under `/widget`, with the token of a visitor's session. */
  isWidget?: true;
  /** True: an operation under `/auth` or `/widget` that needs no session. */
  isPublic?: true;
  /** Lowest role that may use the operation. Default: `viewer` to read, `member` to write. */
  role?: RequiredRole;
  /** Relative to the base path, with parameters in braces: `/agents/{id}`. */
  path: string;
  /** Name of the operation in OpenAPI and in generated clients. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /** A part with a file: the body is `multipart/form-data` then, whose other parts are the fields of `body`. */
  file?: RouteFile;
  /** HTTP status of a successful response. */
  status: 200 | 201 | 202;
  response: TSchema;
  /** Content type of a successful response. Default: JSON. */
  contentType?: string;
  /** Event of a response of type `text/event-stream`, as JSON in `data`. */
  event?: TSchema;
  /** Error codes of this route, beyond those that `errorsOf` adds to every route. */
  errors?: readonly ErrorCode[];
  /** False: the operation stays available while the organization's billing is inactive. Default: true. */
  isBillingRequired?: boolean;
  /** `undefined`: no limit. */
  rateLimit?: RateLimit;
  /** Maximum size of the request body. Default: 1 MiB. */
  bodyLimitBytes?: number;
  /** Most JSON values in the request body. Default: `MAX_JSON_VALUES`. */
  maxJsonValues?: number;
}

type StaticOr<T, Else> = T extends TSchema ? Static<T> : Else;
type Field<R extends RouteDefinition, K extends keyof RouteDefinition> =
  R extends Record<K, infer T> ? T : undefined;

/** Validated request of a route, with defaults filled in. */
export interface RouteInput<R extends RouteDefinition> {
  params: StaticOr<Field<R, "params">, Record<string, never>>;
  query: StaticOr<Field<R, "query">, Record<string, never>>;
  body: StaticOr<Field<R, "body">, undefined>;
  file: Field<R, "file"> extends RouteFile ? Uint8Array : undefined;
}

export type RouteOutput<R extends RouteDefinition> = Static<R["response"]>;

export function defineRoute<const R extends RouteDefinition>(route: R): R {
  return route;
}

/** Whether the route supports `Idempotency-Key`. */
export function takesIdempotencyKey({ method, isAuth, isWidget }: RouteDefinition): boolean {
  return method === "POST" && isAuth !== true && isWidget !== true;
}

/** All error codes of a route, including those that follow from its shape. */
export function errorsOf(route: RouteDefinition): ErrorCode[] {
  const hasPayload = route.method !== "GET";
  const codes: ErrorCode[] = ["unauthorized", "forbidden", "rate_limited"];
  if (route.isBillingRequired !== false) codes.push("billing_inactive");
  if (hasPayload) codes.push("payload_too_large", "unsupported_media_type", "invalid_body");
  codes.push("invalid_query");
  if (route.params !== undefined) codes.push("not_found");
  if (takesIdempotencyKey(route)) codes.push("idempotency_conflict", "idempotency_in_progress");
  return [...new Set<ErrorCode>([...codes, ...(route.errors ?? []), "internal", "database_unavailable"])];
}
