import { type Static, Type } from "typebox";
import { closedObject, idSchema, timestampSchema } from "./schemas.ts";

const pairsSchema = (description: string) =>
  Type.Array(
    closedObject({
      key: Type.String({ minLength: 1, maxLength: 256 }),
      value: Type.String({ maxLength: 4_000 }),
    }),
    { maxItems: 50, description, examples: [[{ key: "X-Shop", value: "{{shop}}" }]] },
  );

const fields = {
  name: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    description: "What the language model calls the tool by; unique among the agent's tools.",
    examples: ["look_up_order"],
  }),
  webhookUrl: Type.String({
    maxLength: 2_048,
    pattern: "^https?://\\S+$",
    description:
      "Called when the agent uses the tool. Variables may stand in its path and query, not in its host.",
    examples: ["https://shop.example/tools/orders"],
  }),
  schema: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description:
      "What the tool does and takes, as language models are told of functions: `{ description, parameters }`, alone or " +
      'within `{ "type": "function", "function": { … } }`. `parameters` is the JSON Schema of an object. A `name` in ' +
      "it is not used.",
    examples: [
      {
        description: "Looks an order up by its number.",
        parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      },
    ],
  }),
  enabled: Type.Boolean({ description: "Whether the agent is given the tool." }),
  httpMethod: Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  headers: pairsSchema("Sent with the request. Kept encrypted, and masked in the version history."),
  queryParams: pairsSchema("Added to the URL. Kept encrypted, and masked in the version history."),
  sendRawRequestBody: Type.Boolean({
    description: "True: the arguments alone are the body, without what tells of the call.",
  }),
  responseMode: Type.Enum(["sync", "async"], {
    description: "`async`: the conversation goes on, and the answer enters it when it comes.",
  }),
};

/** What stands for the fields of a tool that are left out. */
export const customToolDefaults = {
  enabled: true,
  httpMethod: "POST",
  headers: [],
  queryParams: [],
  sendRawRequestBody: false,
  responseMode: "sync",
} as const satisfies Partial<CustomToolFields>;

const fieldsSchema = Type.Object(fields);
type CustomToolFields = Static<typeof fieldsSchema>;

export const customToolSchema = Type.Object(
  { id: idSchema, ...fields, createdAt: timestampSchema, updatedAt: timestampSchema },
  { title: "CustomTool", description: "A webhook that the agent calls when it sees fit." },
);

/** A tool as it stands in its agent's document. */
export type CustomTool = Static<typeof customToolSchema>;

/** A change of a tool: what is absent stays (on creation: gets its default), null becomes the default. */
type CustomToolChange = { [K in keyof CustomToolFields]?: CustomToolFields[K] | null };
