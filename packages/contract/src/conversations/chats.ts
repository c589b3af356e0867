/** Text conversations by API: test chats of the draft, messages, instructions, and their live events. */
import { type Static, Type } from "typebox";
import { MAX_INSTRUCTION_CHARACTERS } from "../calls/instructions.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  requestedEnvironmentSchema,
  streamedResponse,
  variablesSchema,
} from "../schemas.ts";
import { chatMessageTextSchema } from "../widget/widget-chat.ts";
import {
  activityEventSchema,
  chatEndedEventSchema,
  replyDiscardedEventSchema,
  replyFailedEventSchema,
  replyPartEventSchema,
} from "../widget/widget-events.ts";
import { conversationSchema, transcriptItemSchema } from "./conversations.ts";

const TEST_CHATS_PER_MINUTE = 20;
const tag = "Conversations";
const params = Type.Object({ id: { ...idSchema, description: "Id of the conversation." } });

const testChatSchema = closedObject(
  {
    environment: Type.Optional(
      requestedEnvironmentSchema(
        "Environment to test. Absent or null: the draft. `production`: the published revision.",
      ),
    ),
    variables: Type.Optional({
      ...variablesSchema,
      description:
        "Variables of this chat. They override those of the environment, which override the agent's `testVariables`.",
    }),
  },
  { title: "TestChatCreate" },
);

export type TestChatCreation = Static<typeof testChatSchema>;

export const startTestChatRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/test-chats",
  operationId: "startTestChat",
  tag,
  summary: "Start a test chat",
  description:
    "Runs the agent's draft or the named environment as web chat, with the test variables. The conversation has `isTest` `true`. " +
    "Write with `POST /conversations/{id}/messages`, and read the replies on `GET /conversations/{id}/events`.\n\n" +
    `Limit: ${TEST_CHATS_PER_MINUTE} starts per minute and organization.`,
  params: Type.Object({ id: { ...idSchema, description: "Id of the agent." } }),
  body: testChatSchema,
  status: 201,
  response: dataOf(conversationSchema),
  errors: ["environment_not_found"],
  rateLimit: { requests: TEST_CHATS_PER_MINUTE, windowSeconds: 60 },
});

const chatMessageSchema = closedObject(
  {
    id: Type.Optional({
      ...idSchema,
      description:
        "Id of the message, chosen by the client. A repeated id has no further effect. Default: a new id.",
    }),
    text: chatMessageTextSchema,
  },
  { title: "ChatMessageCreate" },
);

export type ChatMessageCreation = Static<typeof chatMessageSchema>;

export const sendChatMessageRoute = defineRoute({
  method: "POST",
  path: "/conversations/{id}/messages",
  operationId: "sendChatMessage",
  tag,
  summary: "Send a message in a test chat",
  description:
    "Stores the message of the tester and returns it; the reply follows on the stream of events and in the transcript. " +
    "`conversation_not_active`: the chat has ended, or the conversation is no test chat.",
  params,
  body: chatMessageSchema,
  status: 201,
  response: dataOf(transcriptItemSchema),
  errors: ["conversation_not_active"],
});

/** One event of a conversation's stream, as JSON in the `data` field of a server-sent event. Clients ignore unknown types. */
export const conversationEventSchema = Type.Union(
  [
    activityEventSchema,
    Type.Object(
      { type: Type.Literal("item"), item: transcriptItemSchema },
      {
        description:
          "New transcript item. After a reconnection items can be sent again: compare ids. Its server-sent event has an `id`, " +
          "which the client sends as `Last-Event-ID` when it reconnects.",
      },
    ),
    replyPartEventSchema,
    replyDiscardedEventSchema,
    replyFailedEventSchema,
    chatEndedEventSchema,
  ],
  { title: "ConversationEvent", description: "Event of the stream of a web chat." },
);

export type ConversationEvent = Static<typeof conversationEventSchema>;

export const streamConversationEventsRoute = defineRoute({
  method: "GET",
  path: "/conversations/{id}/events",
  operationId: "streamConversationEvents",
  tag,
  summary: "Stream the events of a web chat",
  description:
    "Server-sent events, each with one `ConversationEvent` as JSON in `data`. With the header `Last-Event-ID` the stream begins " +
    "with the items after that event, otherwise with the whole transcript; then `activity`, and the reply so far if one is " +
    "being written. A comment is sent every 15 seconds. The server ends the stream after `ended`, after at most 1 hour, and " +
    "when its node shuts down. `conversation_not_active`: the conversation is no web chat, or it has ended.",
  params,
  status: 200,
  response: streamedResponse,
  contentType: "text/event-stream",
  event: conversationEventSchema,
  errors: ["conversation_not_active"],
});

export const instructConversationRoute = defineRoute({
  method: "POST",
  path: "/conversations/{id}/instructions",
  operationId: "instructConversation",
  tag,
  summary: "Send an instruction to the agent of a text conversation",
  description:
    "The other side does not see the instruction. If `speak` is false, it applies to the agent's next reply. If `speak` is true, " +
    "the agent writes a message now, in its own words. It is added to the transcript as an item of type `instruction`. " +
    "`conversation_not_active`: the conversation has ended, or it is a call's, which `POST /calls/{id}/instructions` takes.",
  params,
  body: closedObject({
    instruction: Type.String({
      minLength: 1,
      description: `Instruction in plain language. 1 to ${MAX_INSTRUCTION_CHARACTERS} characters after leading and trailing spaces are removed.`,
      examples: ["Offer the visitor a discount of ten percent."],
    }),
    speak: Type.Optional(Type.Boolean({ description: "Whether the agent writes now. Default: `false`." })),
  }),
  status: 202,
  response: dataOf(
    Type.Object(
      { conversationId: idSchema, delivered: Type.Literal(true), speak: Type.Boolean() },
      { title: "ConversationInstruction" },
    ),
  ),
  errors: ["conversation_not_active"],
  isBillingRequired: false,
});

export const deleteConversationRoute = defineRoute({
  method: "DELETE",
  path: "/conversations/{id}",
  operationId: "deleteConversation",
  tag,
  summary: "Delete a text conversation",
  description:
    "Deletes the conversation, its transcript, its results and its text messages. A reply in progress is dropped; queued " +
    "messages are not sent. `in_use`: the conversation is a call's. Delete the call.",
  params,
  status: 200,
  response: deletedResponse,
  errors: ["in_use"],
});
