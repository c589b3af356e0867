import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedSchema,
  idSchema,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

const apiKeySchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ description: "The actor in version histories." }),
    last4: Type.String({ description: "The key's last four characters." }),
    expiresAt: nullable(timestampSchema),
    lastUsedAt: nullable({ ...timestampSchema, description: "To about a minute." }),
    createdAt: timestampSchema,
  },
  { title: "ApiKey" },
);

export type ApiKey = Static<typeof apiKeySchema>;

const createdSchema = Type.Object(
  {
    ...apiKeySchema.properties,
    key: Type.String({ description: "The key itself, shown this once.", examples: ["parley_5T7c…"] }),
  },
  { title: "ApiKeyCreated" },
);

export const createApiKeyRoute = defineRoute({
  method: "POST",
  path: "/api-keys",
  operationId: "createApiKey",
  tag: "API keys",
  summary: "Create an API key",
  description: "The key is in the answer and nowhere else: only its hash is kept.",
  body: closedObject(
    {
      name: Type.String({ minLength: 1, maxLength: 128, pattern: "\\S", examples: ["CRM"] }),
      expiresAt: Type.Optional(
        nullable({ ...timestampSchema, description: "Must be ahead. Null: it does not expire." }),
      ),
    },
    { title: "ApiKeyCreate" },
  ),
  isAnswerKept: false,
  status: 201,
  response: dataOf(createdSchema),
});

export const listApiKeysRoute = defineRoute({
  method: "GET",
  path: "/api-keys",
  operationId: "listApiKeys",
  tag: "API keys",
  summary: "List API keys",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(apiKeySchema),
});

export const revokeApiKeyRoute = defineRoute({
  method: "DELETE",
  path: "/api-keys/{id}",
  operationId: "revokeApiKey",
  tag: "API keys",
  summary: "Revoke an API key",
  description: "Refused from the next request on; by other nodes within half a minute.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the key." } }),
  status: 200,
  response: deletedSchema,
});
