import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  nullable,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  timestampSchema,
} from "../schemas.ts";

/** Limit of the provider for the text of one message. */
export const MAX_MESSAGE_CHARACTERS = 1600;

const directionSchema = Type.Enum(["INBOUND", "OUTBOUND"], {
  description: "`INBOUND`: received from the other side. `OUTBOUND`: sent to it.",
});

const statusSchema = Type.Enum(["queued", "sent", "delivered", "failed", "received"], {
  description:
    "`queued`: waits here or at the provider. `sent`: handed to the carrier. `delivered`: the carrier has confirmed the delivery. " +
    "`failed`: not sent or not delivered, for the reason in `errorMessage`. `received`: an inbound message.",
});

export type MessageStatus = Static<typeof statusSchema>;
export type MessageDirection = Static<typeof directionSchema>;

export const mediaSchema = Type.Object(
  {
    url: Type.String({ description: "URL of the file at the provider, which requires its credentials." }),
    contentType: Type.String({ examples: ["image/jpeg"] }),
  },
  { title: "MessageMedia" },
);

export type MessageMedia = Static<typeof mediaSchema>;

export const messageSchema = Type.Object(
  {
    id: idSchema,
    agentId: nullable({ ...idSchema, description: "Id of the agent. Null: the number belongs to no agent." }),
    agentName: nullable(
      Type.String({ description: "Name of the agent. Null: no agent, or the agent was deleted." }),
    ),
    messagingConnectionId: {
      ...idSchema,
      description: "Id of the messaging connection. Unchanged if the connection is deleted.",
    },
    callId: nullable({
      ...idSchema,
      description: "Id of the call in which the agent sent it. Null: no call.",
    }),
    conversationId: nullable({
      ...idSchema,
      description: "Id of the conversation. Null: the number belongs to no agent.",
    }),
    direction: directionSchema,
    channel: Type.Literal("sms"),
    fromNumber: Type.String({ description: "Sender's number, in E.164, or the name that the carrier gave." }),
    toNumber: Type.String({ description: "Receiver's number, in E.164." }),
    body: Type.String({ description: "Text of the message. Can be empty if `media` is not." }),
    media: Type.Array(mediaSchema, { description: "Files of an inbound message." }),
    status: statusSchema,
    providerMessageId: nullable(
      Type.String({ description: "Id at the provider. Null: the provider has not accepted it." }),
    ),
    generatedByLlm: Type.Boolean({ description: "Whether the language model wrote the text." }),
    errorCode: nullable(Type.Integer({ description: "Error code of the provider. Null: none." })),
    errorMessage: nullable(Type.String({ description: "Reason of the failure. Null: no failure." })),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "Message", description: "Text message in the organization's log." },
);

export type Message = Static<typeof messageSchema>;

const sendSchema = closedObject(
  {
    agentId: {
      ...idSchema,
      description:
        "Id of the agent whose `messagingConnectionId` sends the message. Answers of the other side continue the conversation " +
        "with this agent.",
    },
    toNumber: phoneNumberSchema,
    fromNumber: Type.Optional(
      nullable({
        ...phoneNumberSchema,
        description:
          "Sender: the agent's `messagingConfig.fromNumber` or one of its phone numbers. Absent or null: the agent's " +
          "`messagingConfig.fromNumber`, else its first phone number.",
      }),
    ),
    body: Type.String({
      minLength: 1,
      maxLength: MAX_MESSAGE_CHARACTERS,
      pattern: "\\S",
      description: `Text of the message, 1 to ${MAX_MESSAGE_CHARACTERS} characters. The provider divides a long text into parts.`,
      examples: ["Your order is ready."],
    }),
  },
  { title: "MessageCreate" },
);

export type MessageCreate = Static<typeof sendSchema>;

const tag = "Messages";
const params = Type.Object({ id: { ...idSchema, description: "Id of the message." } });

export const sendMessageRoute = defineRoute({
  method: "POST",
  path: "/messages",
  operationId: "sendMessage",
  tag,
  summary: "Send a text message",
  description:
    "Queues the message and returns it; `status` follows the provider's reports. It is sent at most once: if the provider's " +
    "answer is lost, the message is looked up at the provider, and is `failed` if the provider does not have it. Failures " +
    "that the provider calls temporary are retried. Messages between two numbers are sent in order. " +
    "`destination_not_allowed`: the country is not allowed, or the other side has sent STOP. " +
    "Send an `Idempotency-Key`: a retry without it sends another message.",
  body: sendSchema,
  status: 201,
  response: dataOf(messageSchema),
  errors: ["destination_not_allowed"],
});

export const listMessagesRoute = defineRoute({
  method: "GET",
  path: "/messages",
  operationId: "listMessages",
  tag,
  summary: "List messages",
  query: closedObject({
    ...pageQuery,
    agentId: Type.Optional(idSchema),
    messagingConnectionId: Type.Optional(idSchema),
    conversationId: Type.Optional(idSchema),
    callId: Type.Optional(idSchema),
    number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description: "Only messages from or to this number.",
        examples: ["+14155550123"],
      }),
    ),
    direction: Type.Optional(directionSchema),
    status: Type.Optional(statusSchema),
    createdAfter: Type.Optional({
      ...timestampSchema,
      description: "Messages created at or after this time.",
    }),
    createdBefore: Type.Optional({ ...timestampSchema, description: "Messages created before this time." }),
  }),
  status: 200,
  response: pageOf(messageSchema),
});

export const getMessageRoute = defineRoute({
  method: "GET",
  path: "/messages/{id}",
  operationId: "getMessage",
  tag,
  summary: "Get a message",
  params,
  status: 200,
  response: dataOf(messageSchema),
});

export const deleteMessageRoute = defineRoute({
  method: "DELETE",
  path: "/messages/{id}",
  operationId: "deleteMessage",
  tag,
  summary: "Delete a message",
  description:
    "Deletes the message here, and its text in the transcript of its conversation. A queued message that was not yet handed " +
    "to the provider is not sent. The provider keeps its own copy.",
  params,
  status: 200,
  response: deletedResponse,
});
