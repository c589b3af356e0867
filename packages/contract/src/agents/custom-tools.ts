import { Type } from "typebox";
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
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, deletedSchema, idSchema, ignored, timestampSchema } from "../schemas.ts";

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
      description: "What the language model calls the tool by; unique among the agent's tools.",
      examples: ["look_up_order"],
    }),
  ),
  webhookUrl: required(
    Type.String({
      maxLength: 2_048,
      pattern: "^https?://\\S+$",
      description:
        "Called when the agent uses the tool. Variables may stand in its path and query, not in its host.",
      examples: ["https://shop.example/tools/orders"],
    }),
  ),
  schema: required(
    Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description:
        "What the tool does and takes, as language models are told of functions: `{ description, parameters }`, alone or " +
        'within `{ "type": "function", "function": { … } }`. `parameters` is the JSON Schema of an object. A `name` in ' +
        "it is not used. At most 65,536 characters as JSON.",
      examples: [
        {
          description: "Looks an order up by its number.",
          parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
        },
      ],
    }),
  ),
  enabled: value(Type.Boolean({ description: "Whether the agent is given the tool." }), true),
  httpMethod: value(Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE"]), "POST"),
  headers: value(
    pairsSchema("Sent with the request. Kept encrypted, and masked in the version history."),
    [],
  ),
  queryParams: value(pairsSchema("Added to the URL. Kept encrypted, and masked in the version history."), []),
  sendRawRequestBody: value(
    Type.Boolean({
      description: "True: the arguments alone are the body, without what tells of the call.",
    }),
    false,
  ),
  responseMode: value(
    Type.Enum(["sync", "async"], {
      description: "`async`: the conversation goes on, and the answer enters it when it comes.",
    }),
    "sync",
  ),
};

/** A tool as it stands in its agent's document. */
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
      description: "A webhook that the agent calls when it sees fit.",
    },
  ),
);

const createdToolSchema = Type.Unsafe<Omit<CustomTool, "responseMode">>(
  Type.Object(createdProperties, { title: "CustomToolCreated", description: "Without `responseMode`." }),
);

const creationSchema = Type.Unsafe<CustomToolCreation>(
  closedObject(creationSchemas(customToolFields), { title: "CustomToolCreate" }),
);

const updateSchema = Type.Unsafe<CustomToolChange>(
  closedObject(
    { ...changeSchemas(customToolFields), id: ignored, createdAt: ignored, updatedAt: ignored },
    {
      title: "CustomToolUpdate",
      description: "What is absent stays as it is; null resets a field to its default.",
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
  summary: "Give an agent a tool",
  description: "An agent has at most 100 tools. Makes a version of the agent.",
  params: agentParams,
  body: creationSchema,
  status: 201,
  response: dataOf(createdToolSchema),
});

export const listCustomToolsRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/custom-tools",
  operationId: "listCustomTools",
  tag: "Custom tools",
  summary: "List an agent's tools",
  description: "All of them, first created first.",
  params: agentParams,
  status: 200,
  response: Type.Object({ data: Type.Array(customToolSchema) }),
});

export const getCustomToolRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/custom-tools/{toolId}",
  operationId: "getCustomTool",
  tag: "Custom tools",
  summary: "Get a tool",
  params: toolParams,
  status: 200,
  response: dataOf(customToolSchema),
});

export const updateCustomToolRoute = defineRoute({
  method: "PATCH",
  path: "/agents/{id}/custom-tools/{toolId}",
  operationId: "updateCustomTool",
  tag: "Custom tools",
  summary: "Change a tool",
  description: "`schema`, `headers` and `queryParams` are replaced as a whole. Makes a version of the agent.",
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
  summary: "Delete a tool",
  description: "Makes a version of the agent; restoring an earlier one brings the tool back.",
  params: toolParams,
  status: 200,
  response: deletedSchema,
});
