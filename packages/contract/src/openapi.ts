import type { TSchema } from "typebox";
import { type ErrorCode, errorCodes, errorSchema } from "./errors.ts";
import { MAX_JSON_VALUES, type RouteDefinition, errorsOf, takesIdempotencyKey } from "./route.ts";
import { requiredRoleOf } from "./identity/roles.ts";
import { authRoutes } from "./identity/auth-routes.ts";
import { operatorRoutes } from "./operator/routes.ts";
import { exampleOf } from "./request-example.ts";
import { routes, tags } from "./routes.ts";
import { widgetRoutes } from "./widget/widget-routes.ts";
import { builtInVariables } from "./schemas.ts";
import { toolRequestSchema } from "./agents/custom-tools.ts";
import { type WebhookDefinition, webhookBodySchema, webhooks } from "./webhooks/webhook-events.ts";
import { liveCallCommandSchema, liveCallEventSchema } from "./calls/test-calls.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = Record<string, Json>;

const description = `Parley runs AI voice agents on your own servers. Agents answer and place calls on the phone and in the browser.

**Authentication.** Send an API key in the \`x-api-key\` header of every request. Responses have \`Cache-Control: no-store\`. Pages of this server use the session cookie of \`/auth/sign-in\` instead; a write with it needs the header \`Origin\` of the same server.

**Roles.** API keys have the role \`admin\`, \`member\` or \`read\`, people \`owner\`, \`admin\`, \`member\` or \`viewer\`. Operations that read are open to all roles, unless they say otherwise. An operation that the role does not allow returns 403 \`forbidden\`.

**Responses.** \`data\` holds the object or the list. Lists add \`page\`, \`pageSize\`, \`total\` and \`hasNextPage\`. Every response has an \`x-request-id\` header. While the organization's agents have no language model, each response has an \`x-parley-warning\` header that says so and what to do: the built-in responder then reads answers out of the prompt, says what instructions order to say (“tell the caller that …”), answers from what they state, and calls no tools.

**Errors** have the body \`{ "error": code, "message": text }\`. \`invalid_body\` and \`invalid_query\` add \`details.issues\`. An id in the path that is unknown, malformed or belongs to another organization returns 404. If several errors apply, the first one in the order 401, 403, 402, 413/415, 400, 404, 409 is returned. 401 has a \`WWW-Authenticate\` header, and 405 \`method_not_allowed\` an \`Allow\` header. Requests that are not valid HTTP get 400 \`invalid_query\`, 408 \`request_timeout\` or 431 \`headers_too_large\`.

**Request bodies** are uncompressed JSON in UTF-8 with at most 1 MiB, unless the operation states another limit or form, and at most ${MAX_JSON_VALUES} values. Numbers that a double does not represent exactly are rejected: integers beyond ±9007199254740991, and anything beyond ±1.8e308. Unknown fields are rejected. In updates, read-only fields are ignored and null resets a field to its default.

**Idempotency.** A POST may have an \`Idempotency-Key\` header. A second request within 24 hours with the same key, path and body returns the first response with \`idempotent-replayed: true\` and has no further effect. A different body returns \`idempotency_conflict\`. If the first request failed, it had no effect, and the second request is processed normally.

**Variables.** \`{{name}}\` in an agent's prompts and messages, in the rules for its built-in tools, and in the URL, query and headers of its custom tools is replaced by the value of the variable. Later ones override earlier ones: the agent's \`defaultVariables\`, (in browser test calls) its \`testVariables\`, the environment's, the request's, those in the answer to \`call.pre\`, and the built-in ones:
${Object.entries(builtInVariables)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join("\n")}

**Rate limits.** Rate-limited operations return the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds). A request above the limit returns 429 \`rate_limited\` with \`Retry-After\` (seconds). A request that returns an error or a replayed response does not count. The organization's limits are in \`GET /organization\`: a create above a limit of trunks, agents or numbers returns 409 \`limit_reached\`, a call above a limit of calls returns 429 \`rate_limited\`. An organization's requests above \`concurrentRequests\` at once or \`requestsPerSecond\` wait for their turn; if too many wait, any operation returns \`rate_limited\`. An IP address that sends many invalid API keys also gets 429 for invalid keys; valid keys from that address still work.

**Temporary errors.** 503 with \`Retry-After\` (seconds) means that the same request can succeed later: \`database_unavailable\` if the database does not answer, \`capacity_exceeded\` if all nodes are at capacity.`;

const idempotencyKeyParameter: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Unique key chosen by the client, such as `order-4711`: 1 to 255 printable ASCII characters. Send the same key with every retry of the same request.",
  // Without an example: the reference page would send it with each test request, which the first answer would then be replayed to.
  schema: { type: "string", pattern: "^[!-~]{1,255}$" },
};

/** Moves every schema with a title to `components.schemas` and replaces it by a reference. */
class Components {
  readonly schemas: JsonObject = {};

  reference(schema: TSchema): Json {
    const plain: Json = JSON.parse(JSON.stringify(schema));
    return this.#walk(plain);
  }

  #walk(value: Json): Json {
    if (Array.isArray(value)) return value.map((each) => this.#walk(each));
    if (value === null || typeof value !== "object") return value;
    // Read-only fields are accepted in requests and ignored: a client has no reason to send them.
    const shown = Object.entries(value).filter(([, each]) => !isReadOnly(each));
    const walked = Object.fromEntries(shown.map(([name, each]) => [name, this.#walk(each)]));
    const { title, ...rest } = walked;
    if (typeof title !== "string") return walked;
    this.schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  }
}

function isReadOnly(value: Json): boolean {
  return value !== null && typeof value === "object" && !Array.isArray(value) && value["readOnly"] === true;
}

function parametersOf(route: RouteDefinition): Json[] {
  const parameters: Json[] = [];
  for (const [place, schema] of [
    ["path", route.params],
    ["query", route.query],
  ] as const) {
    if (schema === undefined) continue;
    for (const [name, property] of Object.entries<TSchema & { description?: string }>(schema.properties)) {
      const plain: JsonObject = JSON.parse(JSON.stringify(property));
      const { description, ...rest } = plain;
      parameters.push({
        name,
        in: place,
        required: place === "path",
        ...(description === undefined ? {} : { description }),
        schema: rest,
      });
    }
  }
  if (takesIdempotencyKey(route)) parameters.push({ $ref: "#/components/parameters/IdempotencyKey" });
  return parameters;
}

function refusalsOf(route: RouteDefinition): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]): [string, Json] => {
      const examples = Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      );
      return [
        String(status),
        {
          description: codes.map((code) => `\`${code}\``).join(", "),
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, examples } },
        },
      ];
    });
  return Object.fromEntries(entries);
}

function errorExamples(): JsonObject {
  const used = new Set(
    [...routes, ...widgetRoutes, ...authRoutes, ...operatorRoutes].flatMap((route) => errorsOf(route)),
  );
  return Object.fromEntries(
    [...used].map((code) => [code, { value: { error: code, message: errorCodes[code].message } }]),
  );
}

function operationOf(route: RouteDefinition, components: Components): JsonObject {
  const parameters = parametersOf(route);
  const texts = [route.description ?? [], describeRole(route)].flat();
  return {
    operationId: route.operationId,
    tags: [route.tag],
    ...(route.isOperator === true && { security: [{ operatorKey: [] }] }),
    ...(route.isAuth === true && { security: route.isPublic === true ? [] : [{ session: [] }] }),
    ...(route.isWidget === true && {
      security: route.isPublic === true ? [] : [{ widgetSession: [] }],
    }),
    summary: route.summary,
    ...(texts.length === 0 ? {} : { description: texts.join("\n\n") }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            // A body without required fields can be omitted.
            required: "required" in route.body,
            content: contentOf(route.body, route, components),
          },
        }),
    responses: {
      [route.status]: {
        description: "Success.",
        content: {
          [route.contentType ?? "application/json"]: {
            schema: components.reference(route.response),
            ...(route.event !== undefined && { "x-event-schema": components.reference(route.event) }),
          },
        },
      },
      ...refusalsOf(route),
    },
  };
}

function contentOf(body: TSchema, { file, method }: RouteDefinition, components: Components): JsonObject {
  if (file === undefined) {
    const example: Json = JSON.parse(JSON.stringify(exampleOf(body, method !== "POST")));
    return { "application/json": { schema: components.reference(body), example } };
  }
  const { properties, required }: { properties: JsonObject; required: string[] } = JSON.parse(
    JSON.stringify(body),
  );
  const part: JsonObject = { type: "string", format: "binary", description: file.description };
  const schema: JsonObject = {
    type: "object",
    properties: { ...properties, [file.part]: part },
    required: [...required, file.part],
    additionalProperties: false,
  };
  return { "multipart/form-data": { schema } };
}

/** Names the required role, unless every role has it. */
function describeRole(route: RouteDefinition): string[] {
  const role = requiredRoleOf(route);
  if (route.isOperator === true || route.isAuth === true || route.isWidget === true || role === "viewer")
    return [];
  return [`Requires the role \`${role}\`.`];
}

/** A webhook request, described from the receiver's side. */
function webhookOf(webhook: WebhookDefinition, components: Components): JsonObject {
  const { type, summary, description, answer } = webhook;
  const jsonOf = (schema: TSchema): JsonObject => ({
    content: { "application/json": { schema: components.reference(schema) } },
  });
  return {
    post: {
      operationId: `receive${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      tags: ["Webhook events"],
      summary,
      description,
      security: [],
      requestBody: { required: true, ...jsonOf(webhookBodySchema(webhook)) },
      responses: { "2XX": { description: "Delivered.", ...(answer !== undefined && jsonOf(answer)) } },
    },
  };
}

/** The operation's servers, if they are not the document's. */
function serversOf({ isOperator, isAuth, isWidget }: RouteDefinition): JsonObject {
  if (isWidget === true) return { servers: [{ url: "/widget" }] };
  if (isOperator === true) return { servers: [{ url: "/operator/v1" }] };
  return isAuth === true ? { servers: [{ url: "/auth" }] } : {};
}

/** The OpenAPI 3.1 document of the whole API, as committed in `openapi.json` and served at `/openapi.json`. */
export function buildOpenApi({ isOnlyV1 = false } = {}): JsonObject {
  const components = new Components();
  components.reference(errorSchema);
  // Not bodies of operations, but clients need them.
  components.reference(liveCallEventSchema);
  components.reference(liveCallCommandSchema);
  components.reference(toolRequestSchema);
  const paths: Record<string, JsonObject> = {};
  for (const route of isOnlyV1 ? routes : [...routes, ...widgetRoutes, ...authRoutes, ...operatorRoutes]) {
    const path = (paths[route.path] ??= serversOf(route));
    path[route.method.toLowerCase()] = operationOf(route, components);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley API",
      version: "1.0.0",
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
      description,
    },
    servers: [{ url: "/v1" }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks.map((each) => [each.type, webhookOf(each, components)])),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        ...(!isOnlyV1 && {
          operatorKey: { type: "apiKey", in: "header", name: "x-api-key" },
          widgetSession: { type: "http", scheme: "bearer" },
          session: { type: "apiKey", in: "cookie", name: "parley.session_token" },
        }),
      },
      parameters: { IdempotencyKey: idempotencyKeyParameter },
      schemas: components.schemas,
      examples: errorExamples(),
    },
  };
}
