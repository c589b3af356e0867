import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, nullableEnum, streamedResponse } from "../schemas.ts";
import {
  chatActivitySchema,
  chatEndReasonSchema,
  widgetEventSchema,
  widgetMessageSchema,
} from "./widget-events.ts";
import { widgetParams } from "./widget-sessions.ts";

export const MAX_CHAT_MESSAGE_CHARACTERS = 4000;
const tag = "Widget";

const chatSchema = Type.Object(
  {
    conversationId: nullable({
      ...idSchema,
      description: "Id of the visitor's latest conversation. Null: there is none.",
    }),
    endReason: nullableEnum(chatEndReasonSchema.enum, {
      description: "Why the conversation has ended. Null: it has not. The next message begins a new one.",
    }),
    activity: chatActivitySchema,
    messages: Type.Array(widgetMessageSchema, {
      description: "The latest 200 messages of the conversation, the oldest first.",
    }),
    lastEventId: nullable(
      Type.String({
        description:
          "`Last-Event-ID` with which the stream continues after these messages. Null: no message.",
      }),
    ),
  },
  { title: "WidgetChat", description: "Chat of a visitor." },
);

export type WidgetChat = Static<typeof chatSchema>;

export const getWidgetChatRoute = defineRoute({
  method: "GET",
  path: "/{widgetKey}/chat",
  operationId: "getWidgetChat",
  tag,
  isWidget: true,
  summary: "Get a visitor's chat",
  description: "For pages that were reloaded: its messages, and where the stream of events continues.",
  params: widgetParams,
  status: 200,
  response: dataOf(chatSchema),
});

export const chatMessageTextSchema = Type.String({
  minLength: 1,
  maxLength: MAX_CHAT_MESSAGE_CHARACTERS,
  pattern: "\\S",
  description: `Text of the message, 1 to ${MAX_CHAT_MESSAGE_CHARACTERS} characters.`,
  examples: ["When are you open?"],
});

const messageCreateSchema = closedObject(
  {
    id: {
      ...idSchema,
      description:
        "Id of the message, chosen by the client. A repeated id has no further effect, so that sending can be retried.",
    },
    text: chatMessageTextSchema,
  },
  { title: "WidgetMessageCreate" },
);

export type WidgetMessageCreation = Static<typeof messageCreateSchema>;

export const sendWidgetMessageRoute = defineRoute({
  method: "POST",
  path: "/{widgetKey}/chat/messages",
  operationId: "sendWidgetMessage",
  tag,
  isWidget: true,
  summary: "Send a visitor's message",
  description:
    "Stores the message and returns; the reply follows on the stream of events. Messages that arrive while the agent writes are " +
    "answered by one further reply. Begins a new conversation if there is none or the last one has ended; a conversation runs " +
    "on the version that was live at its beginning.\n\n" +
    "`forbidden`: the widget has no chat mode. `rate_limited`: `limits.messagesPerDay` of the visitor, or the limit of the " +
    "address (30 at once, then one a second), of the agent or of the organization is reached; `Retry-After` says how long.",
  params: widgetParams,
  body: messageCreateSchema,
  status: 201,
  response: dataOf(
    Type.Object({ conversationId: idSchema, message: widgetMessageSchema }, { title: "WidgetMessageSent" }),
  ),
});

export const endWidgetChatRoute = defineRoute({
  method: "POST",
  path: "/{widgetKey}/chat/end",
  operationId: "endWidgetChat",
  tag,
  isWidget: true,
  summary: "End a visitor's chat",
  description: "A reply in progress is dropped. Idempotent: without an open chat it has no effect.",
  params: widgetParams,
  status: 200,
  response: dataOf(
    Type.Object(
      {
        conversationId: nullable({
          ...idSchema,
          description: "Id of the ended conversation. Null: none was open.",
        }),
      },
      { title: "WidgetChatEnded" },
    ),
  ),
});

export const streamWidgetEventsRoute = defineRoute({
  method: "GET",
  path: "/{widgetKey}/chat/events",
  operationId: "streamWidgetEvents",
  tag,
  isWidget: true,
  summary: "Stream the events of a visitor's chat",
  description:
    "Server-sent events, each with one `WidgetEvent` as JSON in `data`. Use `fetch`, because `EventSource` sends no " +
    "`Authorization` header. A line with a comment is sent every 15 seconds: a client that has read nothing for 40 seconds " +
    "reconnects. With the header `Last-Event-ID` the stream begins with the messages after that event, otherwise with all of " +
    "the open conversation; then `activity`, and the reply so far if one is being written. The server ends a stream after at most " +
    "1 hour, when its node shuts down, and when the session expires: the client reconnects with the last id. At most 5 streams " +
    "per visitor; a further one ends the oldest.",
  params: widgetParams,
  status: 200,
  response: streamedResponse,
  contentType: "text/event-stream",
  event: widgetEventSchema,
});
