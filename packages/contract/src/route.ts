import type { Static, TObject, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";

/** How often an organization may be given something, over all nodes; a request that is refused does not count. */
export interface RateLimit {
  requests: number;
  windowSeconds: number;
}

/** In the body of a request: what lists and objects hold, all of them together. */
export const MAX_JSON_VALUES = 10_000;

export interface RouteDefinition {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below the base path, parameters in braces: `/agents/{id}`. */
  path: string;
  /** Name of the operation in OpenAPI and in generated clients. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /** Status of success. */
  status: 200 | 201 | 202;
  response: TSchema;
  /** Of the response to success; JSON unless stated. */
  contentType?: string;
  /** What it can be refused with, beyond what every route can (see `commonErrors`). */
  errors?: readonly ErrorCode[];
  /** False where the operation stays available while the organization's billing is inactive. */
  isBillingRequired?: boolean;
  /** Undefined: as often as it likes. */
  rateLimit?: RateLimit;
  /** Of the request's body; 1 MiB unless stated. */
  bodyLimitBytes?: number;
  /** False where a POST takes no `Idempotency-Key`, since its answer is not to be kept. */
  isAnswerKept?: false;
}

type StaticOr<T, Else> = T extends TSchema ? Static<T> : Else;
type Field<R extends RouteDefinition, K extends keyof RouteDefinition> =
  R extends Record<K, infer T> ? T : undefined;

/** What a route's handler is given of the request, checked and with defaults filled in. */
export interface RouteInput<R extends RouteDefinition> {
  params: StaticOr<Field<R, "params">, Record<string, never>>;
  query: StaticOr<Field<R, "query">, Record<string, never>>;
  body: StaticOr<Field<R, "body">, undefined>;
}

export type RouteOutput<R extends RouteDefinition> = Static<R["response"]>;

export function defineRoute<const R extends RouteDefinition>(route: R): R {
  return route;
}

/** Whether a request that is sent again under its `Idempotency-Key` is answered again and has no second effect. */
export function takesIdempotencyKey({ method, isAnswerKept }: RouteDefinition): boolean {
  return method === "POST" && isAnswerKept !== false;
}

/** Every code that a route can answer with, those that follow from its shape included. */
export function errorsOf(route: RouteDefinition): ErrorCode[] {
  const hasPayload = route.method !== "GET";
  const codes: ErrorCode[] = ["unauthorized", "rate_limited"];
  if (route.isBillingRequired !== false) codes.push("billing_inactive");
  if (hasPayload) codes.push("payload_too_large", "unsupported_media_type", "invalid_body");
  codes.push("invalid_query");
  if (route.params !== undefined) codes.push("not_found");
  if (takesIdempotencyKey(route)) codes.push("idempotency_conflict", "idempotency_in_progress");
  return [...new Set<ErrorCode>([...codes, ...(route.errors ?? []), "internal", "database_unavailable"])];
}
