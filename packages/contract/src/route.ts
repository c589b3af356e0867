import type { Static, TObject, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";

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
  /** What it can be refused with, beyond what every route can (see `commonErrors`). */
  errors?: readonly ErrorCode[];
  /** False where the operation stays available while the organization's billing is inactive. */
  isBillingRequired?: boolean;
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

/** Every code that a route can answer with, those that follow from its shape included. */
export function errorsOf(route: RouteDefinition): ErrorCode[] {
  const hasPayload = route.method !== "GET";
  const codes: ErrorCode[] = ["unauthorized"];
  if (route.isBillingRequired !== false) codes.push("billing_inactive");
  if (hasPayload) codes.push("payload_too_large", "unsupported_media_type", "invalid_body");
  codes.push("invalid_query");
  if (route.params !== undefined) codes.push("not_found");
  return [...new Set<ErrorCode>([...codes, ...(route.errors ?? []), "internal"])];
}
