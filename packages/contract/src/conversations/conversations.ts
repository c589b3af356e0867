import { type Static, Type } from "typebox";
import { providerFailureSchema } from "../calls/provider-failures.ts";
import { callEvaluationSchema, callExtractionSchema, callResultStatuses } from "../calls/call-results.ts";
import { knowledgePassageSchema } from "../knowledge-bases/knowledge-passage.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

const flowStateSchema = Type.Object(
  {
    nodeId: Type.String({ description: "Node where the flow is after the step." }),
    phase: Type.Enum(["due", "asked", "led", "called", "ended"], {
      description:
        "`due`: the node has not begun. `asked`, `led`: it awaits the other side. `called`: it awaits a tool. `ended`: the flow is over.",
    }),
    attempts: Type.Integer({
      description: "Times that the question was put, or replies of a `subPrompt` node.",
    }),
    slots: Type.Record(
      Type.String(),
      Type.Unsafe<string | number | boolean>({ type: ["string", "number", "boolean"] }),
      {
        description: "Values of the slots.",
      },
    ),
    volunteered: Type.Unsafe<readonly string[]>({
      type: "array",
      items: { type: "string" },
      description: "Slots whose value was given before their question.",
    }),
    toolCallId: Type.Optional(Type.String({ description: "Call of the phase `called`." })),
  },
  { title: "FlowState", description: "State of the agent's flow after a `flow` item." },
);

export const transcriptItemSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the item, unique in the conversation." }),
    type: Type.Enum([
      "message",
      "instruction",
      "tool_call",
      "tool_result",
      "dtmf",
      "transfer",
      "flow",
      "system",
    ]),
    role: Type.Optional(
      Type.Enum(["user", "agent"], { description: "Speaker of a `message`. Absent for other types." }),
    ),
    text: Type.String({
      description:
        "Text of the item. An interrupted agent message contains only the words that were played. A `tool_call` contains its " +
        "arguments as JSON, a `flow` item what happened at its node.",
    }),
    direction: Type.Optional(
      Type.Enum(["received", "sent"], {
        description: "Direction of a `dtmf` item: `received` from the other side, or `sent` by the agent.",
      }),
    ),
    startMs: Type.Number({
      description:
        "Start in milliseconds after the start of the call's media, or of the conversation by text.",
    }),
    endMs: Type.Number({
      description: "End in milliseconds after the start of the call's media, or of the conversation by text.",
    }),
    interrupted: Type.Optional(
      Type.Boolean({
        description:
          "`true`: the caller interrupted the message before its end, by speaking, by a key or by hanging up.",
      }),
    ),
    toolCallId: Type.Optional(
      Type.String({ description: "Id that links a `tool_call` to its `tool_result`." }),
    ),
    toolName: Type.Optional(Type.String({ description: "Name of the tool." })),
    isError: Type.Optional(Type.Boolean({ description: "`true`: the tool of this `tool_result` failed." })),
    nodeId: Type.Optional(
      Type.String({
        description: "Node of the agent's flow (`flowDefinition`) that this `flow` item is a step of.",
      }),
    ),
    flowState: Type.Optional(flowStateSchema),
    knowledge: Type.Optional(
      Type.Array(knowledgePassageSchema, {
        description:
          "Passages of knowledge bases that the language model was given for this message of the agent. Absent: none.",
      }),
    ),
  },
  { title: "TranscriptItem" },
);

export type TranscriptItem = Static<typeof transcriptItemSchema>;

export const channelSchema = Type.Enum(["phone", "web"]);

/** Channels of calls, and those of text. */
export const conversationChannelSchema = Type.Enum(["phone", "web", "sms", "web_chat"], {
  description:
    "`phone` and `web`: a call. `sms`: text messages. `web_chat`: a chat on a web page, or a test chat.",
});
export type ConversationChannel = Static<typeof conversationChannelSchema>;

/** Revision and environment of an agent that a conversation runs on from its beginning to its end. */
export const ranSchemas = {
  agentRevision: nullable(
    Type.Integer({ description: "Revision that ran. Null if the agent's `publishMode` was `auto`." }),
  ),
  configurationRevision: nullable(
    Type.Integer({ description: "Revision whose configuration ran, in both publish modes." }),
  ),
  environment: nullable(
    Type.String({ description: "Environment that ran. Null: `production`, or the draft in a test call." }),
  ),
};

export const conversationSchema = Type.Object(
  {
    id: idSchema,
    agentId: { ...idSchema, description: "Id of the agent. Unchanged if the agent is deleted." },
    ...ranSchemas,
    channel: conversationChannelSchema,
    isTest: Type.Boolean({ description: "Whether it is a test chat. For tests by voice see the call." }),
    customerId: nullable({ ...idSchema, description: "Id of the customer. Null: not recognized." }),
    variables: {
      ...variablesSchema,
      description: "Variables of the conversation, without the built-in ones.",
    },
    transcriptDeletedAt: nullable({
      ...timestampSchema,
      description: "Time when the transcript was deleted. Null: it was not.",
    }),
    endedAt: nullable({
      ...timestampSchema,
      description:
        "End of a conversation by text: web chats end after 30 minutes without a message, SMS after `conversationIdleResetDays`. " +
        "Null: it has not ended, or it is a call's.",
    }),
    endReason: nullableEnum(["idle", "user"], {
      description: "`idle`: no message for that time. `user`: the visitor ended it. Null: see `endedAt`.",
    }),
    analysisStatus: nullableEnum(callResultStatuses, {
      description:
        "Status of extraction and evaluation of a conversation by text, which begin at its end. Null: the agent has neither, the " +
        "conversation has not ended, or it is a call's: see the call.",
    }),
    analysisDetail: nullable(
      Type.String({ description: "Reason why `analysisStatus` is `failed`. Null otherwise." }),
    ),
    extraction: Type.Union([callExtractionSchema, Type.Null()]),
    evaluation: Type.Union([callEvaluationSchema, Type.Null()]),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "Conversation", description: "Conversation of an agent with one caller." },
);

const conversationDetailSchema = Type.Object(
  {
    ...conversationSchema.properties,
    transcript: Type.Array(transcriptItemSchema),
    providerFailures: Type.Array(providerFailureSchema, {
      description:
        "Failures of language models while replies by text were written, in order, at most 100. Empty for calls: `GET /calls/{id}` has theirs.",
    }),
  },
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
    channel: Type.Optional(conversationChannelSchema),
    customerId: Type.Optional({ ...idSchema, description: "Only conversations of this customer." }),
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
