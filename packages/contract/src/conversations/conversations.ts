import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

export const transcriptItemSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(["message", "instruction", "tool_call", "tool_result", "dtmf", "transfer", "system"]),
    role: Type.Optional(Type.Enum(["user", "agent"], { description: "Of a `message`." })),
    text: Type.String({
      description:
        "Of an interrupted agent message only what was heard; of a `tool_call` its arguments as JSON.",
    }),
    direction: Type.Optional(
      Type.Enum(["received", "sent"], {
        description: "Of a `dtmf`: keys of the other side, or of the agent.",
      }),
    ),
    startMs: Type.Number({ description: "From the start of the call's media." }),
    endMs: Type.Number(),
    interrupted: Type.Optional(Type.Boolean({ description: "True: more was meant to be said." })),
    toolCallId: Type.Optional(Type.String()),
    toolName: Type.Optional(Type.String()),
    isError: Type.Optional(Type.Boolean({ description: "Of a `tool_result`: the tool failed." })),
  },
  { title: "TranscriptItem" },
);

export type TranscriptItem = Static<typeof transcriptItemSchema>;

export const channelSchema = Type.Enum(["phone", "web"]);

/** Which of an agent's versions a conversation ran on, from its beginning to its end. */
export const ranSchemas = {
  agentRevision: nullable(Type.Integer({ description: "Null for agents whose every save is live." })),
  configurationRevision: nullable(
    Type.Integer({ description: "The revision whose configuration ran, in every mode." }),
  ),
  environment: nullable(Type.String({ description: "Null for production." })),
};

export const conversationSchema = Type.Object(
  {
    id: idSchema,
    agentId: { ...idSchema, description: "Stays when the agent is deleted." },
    ...ranSchemas,
    channel: channelSchema,
    variables: { ...variablesSchema, description: "What the conversation ran with." },
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "Conversation", description: "What an agent and somebody said to each other." },
);

const conversationDetailSchema = Type.Object(
  { ...conversationSchema.properties, transcript: Type.Array(transcriptItemSchema) },
  { title: "ConversationDetail" },
);

export type Conversation = Static<typeof conversationSchema>;
export type ConversationDetail = Static<typeof conversationDetailSchema>;

export const listConversationsRoute = defineRoute({
  method: "GET",
  path: "/conversations",
  operationId: "listConversations",
  tag: "Conversations",
  summary: "List conversations",
  query: closedObject({
    ...pageQuery,
    agentId: Type.Optional(idSchema),
    channel: Type.Optional(channelSchema),
  }),
  status: 200,
  response: pageOf(conversationSchema),
});

export const getConversationRoute = defineRoute({
  method: "GET",
  path: "/conversations/{id}",
  operationId: "getConversation",
  tag: "Conversations",
  summary: "Get a conversation with its transcript",
  params: Type.Object({ id: { ...idSchema, description: "Id of the conversation." } }),
  status: 200,
  response: dataOf(conversationDetailSchema),
});
