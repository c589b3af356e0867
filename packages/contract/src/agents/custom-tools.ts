import { type Static, Type } from "typebox";
import {
  type ChangesOf,
  changeSchemas,
  type CreationOf,
  creationSchemas,
  required,
  value,
  type ValuesOf,
  valueSchemas,
} from "../field-table.ts";
import { conversationChannelSchema } from "../conversations/conversations.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

const pairsSchema = (description: string) =>
  Type.Array(
    closedObject({
      key: Type.String({ minLength: 1, maxLength: 256 }),
      value: Type.String({ maxLength: 4_000 }),
    }),
    { maxItems: 50, description, examples: [[{ key: "X-Shop", value: "{{shop}}" }]] },
  );

/** A tool's fields and their defaults. */
export const customToolFields = {
  name: required(
    Type.String({
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      description: "Name by which the language model calls the tool. Unique among the agent's tools.",
      examples: ["look_up_order"],
    }),
  ),
  webhookUrl: required(
    Type.String({
      maxLength: 2_048,
      pattern: "^https?://\\S+$",
      description:
        "URL that Parley requests when the agent uses the tool. Variables (`{{name}}`) are replaced in its path and query, not in " +
        "its host. Every request has the header `X-Parley-Tool-Call-Id`, in a call `X-Parley-Call-Id`, and in a test `X-Parley-Test: true`.",
      examples: ["https://shop.example/tools/orders"],
    }),
  ),
  schema: required(
    Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description:
        "Function-calling schema for the language model: `{ description, parameters }`, alone or in " +
        '`{ "type": "function", "function": { … } }`. `parameters` is the JSON Schema of an object, with valid patterns, and ' +
        "with each `$ref` to a part of itself. A `name` in it is ignored. At most 65,536 characters as JSON.",
      examples: [
        {
          description: "Looks an order up by its number.",
          parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
        },
      ],
    }),
  ),
  enabled: value(Type.Boolean({ description: "Whether the agent can use the tool." }), true),
  httpMethod: value(
    Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE"], {
      description:
        "HTTP method of the request. `GET` sends the arguments in the query, the other methods in the body.",
    }),
    "POST",
  ),
  headers: value(
    pairsSchema(
      "Headers of the request. Variables (`{{name}}`) are replaced in their values. Stored encrypted, and masked in the " +
        "version history. Parley sets `Host`, `Content-Length`, the hop-by-hop headers, the signature's headers and " +
        "`X-Parley-*` itself: they are rejected here.",
    ),
    [],
  ),
  queryParams: value(
    pairsSchema("Query parameters added to the URL. Stored encrypted, and masked in the version history."),
    [],
  ),
  sendRawRequestBody: value(
    Type.Boolean({
      description:
        "`true`: the body is the arguments object alone. `false`: the body is a `ToolRequest`, which contains the arguments and " +
        "the facts of the conversation: `tool` (`id`, `name`), `toolCallId`, `callId`, `conversationId`, `agentId`, " +
        "`environment`, `channel`, `fromNumber`, `toNumber`, `isTest`, `variables` and `arguments`. A `GET` request has no body.",
    }),
    false,
  ),
  responseMode: value(
    Type.Enum(["sync", "async"], {
      description:
        "`sync`: the agent waits for the response before it continues. `async`: the conversation continues, and the response is added to it when it arrives. The request times out after 20 seconds.",
    }),
    "sync",
  ),
};

/** Body of a tool's request, unless `sendRawRequestBody` is true or the method has no body. */
export const toolRequestSchema = Type.Object(
  {
    tool: Type.Object({ id: idSchema, name: Type.String() }),
    toolCallId: Type.String({ description: "Id of the tool call in the transcript.", examples: ["call_1"] }),
    callId: nullable({ ...idSchema, description: "Id of the call. Null: the conversation is not a call." }),
    conversationId: idSchema,
    agentId: idSchema,
    environment: nullable(
      Type.String({ description: "Environment that runs. Null: `production`, or the draft in a test." }),
    ),
    channel: conversationChannelSchema,
    fromNumber: nullable(Type.String({ description: "Caller's number. Null: withheld, or a browser call." })),
    toNumber: nullable(Type.String({ description: "Called number. Null: a browser call." })),
    isTest: Type.Boolean({
      description:
        "Whether the conversation is a test: a test call or chat, an attempt of a test run, or a test of the tool.",
    }),
    variables: {
      ...variablesSchema,
      description: "Variables of the conversation, without the built-in ones.",
    },
    arguments: Type.Record(Type.String(), Type.Unknown(), {
      description: "Arguments chosen by the language model, valid by the tool's `parameters`.",
    }),
  },
  {
    title: "ToolRequest",
    description: "Body of the request that Parley sends to a custom tool's `webhookUrl`.",
  },
);
export type ToolRequest = Static<typeof toolRequestSchema>;

/** A tool as stored in its agent's document. */
export interface CustomTool extends ValuesOf<typeof customToolFields> {
  id: string;
  createdAt: string;
  updatedAt: string;
}

export type CustomToolCreation = CreationOf<typeof customToolFields>;
export type CustomToolChange = ChangesOf<typeof customToolFields>;

const { responseMode: responseModeField, ...createdFields } = customToolFields;
const createdProperties = {
  id: idSchema,
  ...valueSchemas(createdFields),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};

export const customToolSchema = Type.Unsafe<CustomTool>(
  Type.Object(
    { ...createdProperties, ...valueSchemas({ responseMode: responseModeField }) },
    {
      title: "CustomTool",
      description: "HTTP endpoint that the language model can call during a conversation.",
    },
  ),
);

const createdToolSchema = Type.Unsafe<Omit<CustomTool, "responseMode">>(
  Type.Object(createdProperties, {
    title: "CustomToolCreated",
    description: "Custom tool without `responseMode`.",
  }),
);

/** Creation of a tool, on its own or with its agent. */
export const customToolCreationSchema = Type.Unsafe<CustomToolCreation>(
  closedObject(
    { ...creationSchemas(customToolFields), id: ignored, createdAt: ignored, updatedAt: ignored },
    { title: "CustomToolCreate" },
  ),
);

const updateSchema = Type.Unsafe<CustomToolChange>(
  closedObject(
    { ...changeSchemas(customToolFields), id: ignored, createdAt: ignored, updatedAt: ignored },
    {
      title: "CustomToolUpdate",
      description: "Absent fields are unchanged; null resets a field to its default.",
    },
  ),
);

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });
const toolParams = Type.Object({
  ...agentParams.properties,
  toolId: { ...idSchema, description: "Id of the tool." },
});

export const createCustomToolRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/custom-tools",
  operationId: "createCustomTool",
  tag: "Custom tools",
  summary: "Create a custom tool",
  description: "An agent has at most 100 tools. Creates a revision of the agent.",
  params: agentParams,
  body: customToolCreationSchema,
  status: 201,
  response: dataOf(createdToolSchema),
});

export const listCustomToolsRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/custom-tools",
  operationId: "listCustomTools",
  tag: "Custom tools",
  summary: "List an agent's custom tools",
  description: "Returns all tools in order of creation, not paged.",
  params: agentParams,
  status: 200,
  response: Type.Object({ data: Type.Array(customToolSchema) }),
});

export const getCustomToolRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/custom-tools/{toolId}",
  operationId: "getCustomTool",
  tag: "Custom tools",
  summary: "Get a custom tool",
  params: toolParams,
  status: 200,
  response: dataOf(customToolSchema),
});

export const updateCustomToolRoute = defineRoute({
  method: "PATCH",
  path: "/agents/{id}/custom-tools/{toolId}",
  operationId: "updateCustomTool",
  tag: "Custom tools",
  summary: "Change a custom tool",
  description:
    "`schema`, `headers` and `queryParams` are replaced completely. Creates a revision of the agent.",
  params: toolParams,
  body: updateSchema,
  status: 200,
  response: dataOf(customToolSchema),
});

export const deleteCustomToolRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}/custom-tools/{toolId}",
  operationId: "deleteCustomTool",
  tag: "Custom tools",
  summary: "Delete a custom tool",
  description: "Creates a revision of the agent. Restoring an earlier revision restores the tool.",
  params: toolParams,
  status: 200,
  response: deletedResponse,
});
