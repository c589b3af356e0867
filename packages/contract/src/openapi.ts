import type { TSchema } from "typebox";
import { type ErrorCode, errorCodes, errorSchema } from "./errors.ts";
import { MAX_JSON_VALUES, type RouteDefinition, errorsOf, takesIdempotencyKey } from "./route.ts";
import { routes, tags } from "./routes.ts";
import { type WebhookDefinition, webhookBodySchema, webhooks } from "./webhooks/webhook-events.ts";
import { liveCallEventSchema } from "./calls/test-calls.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = Record<string, Json>;

const description = `Parley runs AI voice agents on your own machines: they answer telephone calls, understand, speak and hang up.

**Authentication.** Every request carries an API key in the header \`x-api-key\`.

**Answers.** One object comes in \`data\`; a list in \`data\` with \`page\`, \`pageSize\`, \`total\` and \`hasNextPage\`. Every answer carries \`x-request-id\`.

**Errors** are \`{ "error": code, "message": text }\`; \`invalid_body\` and \`invalid_query\` add \`details.issues\`. An id that names nothing, is malformed or belongs to another organization answers 404. Refusals are decided in the order 401, 402, 413/415, 400, 404, 409.

**Bodies** are JSON of at most 1 MiB, unless the operation says otherwise, and of at most ${MAX_JSON_VALUES} values. Unknown fields are refused; in updates read-only fields are ignored, null resets a field to its default.

**Sending again.** A POST may carry an \`Idempotency-Key\`. Sent again within 24 hours with the same key, path and body it is given the first answer again (with \`idempotent-replayed: true\`) and has no second effect; with another body it is refused. A request that failed has had no effect, and is tried anew.

**Limits.** Of an operation that an organization may use only so often, every answer carries \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds); one too many is answered 429 \`rate_limited\` with \`Retry-After\`. A request that is answered with an error does not count. An address that sends many keys that are not valid is answered 429 for them as well; valid keys are still served.

**Not now.** 503 says with \`Retry-After\` (seconds) that the same request may succeed soon: \`database_unavailable\` while the database is away (valid API keys are not refused meanwhile), \`capacity_exceeded\` while no node has room for a call.`;

const idempotencyKeyParameter: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Made up by the client for one effect, and sent again with every further attempt at it.",
  schema: { type: "string", pattern: "^[!-~]{1,255}$" },
  example: "order-4711",
};

/** Lifts every schema that has a title into `components.schemas`, and leaves a reference in its place. */
class Components {
  readonly schemas: JsonObject = {};

  reference(schema: TSchema): Json {
    const plain: Json = JSON.parse(JSON.stringify(schema));
    return this.#walk(plain);
  }

  #walk(value: Json): Json {
    if (Array.isArray(value)) return value.map((each) => this.#walk(each));
    if (value === null || typeof value !== "object") return value;
    const walked = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#walk(each)]));
    const { title, ...rest } = walked;
    if (typeof title !== "string") return walked;
    this.schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  }
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
  const used = new Set(routes.flatMap((route) => errorsOf(route)));
  return Object.fromEntries(
    [...used].map((code) => [code, { value: { error: code, message: errorCodes[code].message } }]),
  );
}

function operationOf(route: RouteDefinition, components: Components): JsonObject {
  const parameters = parametersOf(route);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            // What has no required field may be left out altogether.
            required: "required" in route.body,
            content: { "application/json": { schema: components.reference(route.body) } },
          },
        }),
    responses: {
      [route.status]: {
        description: "Success.",
        content: {
          [route.contentType ?? "application/json"]: { schema: components.reference(route.response) },
        },
      },
      ...refusalsOf(route),
    },
  };
}

/** The request that we send, as the receiver sees it. */
function webhookOf(webhook: WebhookDefinition, components: Components): JsonObject {
  const { summary, description, answer } = webhook;
  const jsonOf = (schema: TSchema): JsonObject => ({
    content: { "application/json": { schema: components.reference(schema) } },
  });
  return {
    post: {
      tags: ["Webhooks"],
      summary,
      description,
      security: [],
      requestBody: { required: true, ...jsonOf(webhookBodySchema(webhook)) },
      responses: { "2XX": { description: "Taken.", ...(answer !== undefined && jsonOf(answer)) } },
    },
  };
}

/** The OpenAPI 3.1 document of the whole API, as committed in `openapi.json` and served at `/openapi.json`. */
export function buildOpenApi(): JsonObject {
  const components = new Components();
  components.reference(errorSchema);
  // No operation answers it, and clients still need it.
  components.reference(liveCallEventSchema);
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(route, components);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Parley API", version: "1.0.0", description },
    servers: [{ url: "/v1" }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks.map((each) => [each.type, webhookOf(each, components)])),
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } },
      parameters: { IdempotencyKey: idempotencyKeyParameter },
      schemas: components.schemas,
      examples: errorExamples(),
    },
  };
}
