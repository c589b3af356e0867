import { type Static, Type } from "typebox";
import { apiKeyRoles } from "../identity/roles.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

const apiKeySchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ description: "Name of the key, shown as actor in version histories." }),
    last4: Type.String({ description: "Last four characters of the key." }),
    role: Type.Enum([...apiKeyRoles], {
      description:
        "`admin`: everything; `member`: not keys, members and organization settings; `read`: no writes.",
    }),
    createdBy: nullable(
      Type.String({
        description: "Name of the user or key that created the key. Null: the server or its operator.",
      }),
    ),
    expiresAt: nullable({
      ...timestampSchema,
      description: "Time of expiry. Null: the key does not expire.",
    }),
    lastUsedAt: nullable({
      ...timestampSchema,
      description: "Time of the last use, accurate to about one minute. Null: never used.",
    }),
    createdAt: timestampSchema,
  },
  { title: "ApiKey" },
);

export type ApiKey = Static<typeof apiKeySchema>;

const createdSchema = Type.Object(
  {
    ...apiKeySchema.properties,
    key: Type.String({
      description:
        "The API key. Returned only in this response, and in its repetition under the same `Idempotency-Key`.",
      examples: ["parley_5T7c…"],
    }),
  },
  { title: "ApiKeyCreated" },
);

const nameSchema = Type.String({ minLength: 1, maxLength: 128, pattern: "\\S", examples: ["CRM"] });

export const createApiKeyRoute = defineRoute({
  method: "POST",
  path: "/api-keys",
  operationId: "createApiKey",
  tag: "API keys",
  role: "admin",
  summary: "Create an API key",
  description:
    "The key is returned only in this response: Parley stores its hash. Under an `Idempotency-Key` the response is kept, " +
    "encrypted, for 24 hours.",
  body: closedObject(
    {
      name: nameSchema,
      role: Type.Optional(
        Type.Enum([...apiKeyRoles], { description: "What the key may do. Default: `admin`." }),
      ),
      expiresAt: Type.Optional(
        nullable({
          ...timestampSchema,
          description: "Time of expiry, in the future. Default: the key does not expire.",
        }),
      ),
      id: ignored,
      last4: ignored,
      createdBy: ignored,
      lastUsedAt: ignored,
      createdAt: ignored,
    },
    { title: "ApiKeyCreate" },
  ),
  status: 201,
  response: dataOf(createdSchema),
});

export const listApiKeysRoute = defineRoute({
  method: "GET",
  path: "/api-keys",
  operationId: "listApiKeys",
  tag: "API keys",
  role: "admin",
  summary: "List API keys",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(apiKeySchema),
});

const params = Type.Object({ id: { ...idSchema, description: "Id of the key." } });

const updateSchema = closedObject(
  {
    name: Type.Optional(nameSchema),
    role: Type.Optional(
      Type.Enum([...apiKeyRoles], { description: "What the key may do. Absent: unchanged." }),
    ),
    expiresAt: Type.Optional(
      nullable({
        ...timestampSchema,
        description: "Time of expiry, in the future. Null: the key does not expire. Absent: unchanged.",
      }),
    ),
    id: ignored,
    last4: ignored,
    createdBy: ignored,
    lastUsedAt: ignored,
    createdAt: ignored,
  },
  { title: "ApiKeyUpdate", examples: [{ name: "CRM" }] },
);

export type ApiKeyUpdate = Static<typeof updateSchema>;

export const updateApiKeyRoute = defineRoute({
  method: "PATCH",
  path: "/api-keys/{id}",
  operationId: "updateApiKey",
  tag: "API keys",
  role: "admin",
  summary: "Change an API key",
  description:
    "The changes take effect at once on the node that handles this request, and within 30 seconds on other nodes. Versions " +
    "written from then on show the new name.",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(apiKeySchema),
});

export const revokeApiKeyRoute = defineRoute({
  method: "DELETE",
  path: "/api-keys/{id}",
  operationId: "revokeApiKey",
  tag: "API keys",
  role: "admin",
  summary: "Revoke an API key",
  description:
    "The key stops working at once on the node that handles this request, and within 30 seconds on other nodes.",
  params,
  status: 200,
  response: deletedResponse,
});
