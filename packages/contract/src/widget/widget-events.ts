import { type Static, Type } from "typebox";
import { idSchema, timestampSchema } from "../schemas.ts";

export const widgetMessageSchema = Type.Object(
  {
    id: { ...idSchema, description: "Id of the message, unique in its conversation." },
    role: Type.Enum(["user", "agent"], { description: "`user`: the visitor. `agent`: the agent." }),
    text: Type.String({ description: "Plain text. Pages show it as text, never as HTML." }),
    createdAt: timestampSchema,
  },
  { title: "WidgetMessage" },
);

export type WidgetMessage = Static<typeof widgetMessageSchema>;

export const chatActivitySchema = Type.Enum(["idle", "writing", "working"], {
  description:
    "`writing`: the agent writes a reply. `working`: it waits for a tool. `idle`: it does neither.",
});

export type ChatActivity = Static<typeof chatActivitySchema>;

/** Reasons why a chat has ended. */
export const chatEndReasonSchema = Type.Enum(["idle", "user", "deleted"], {
  description:
    "`idle`: no message for 30 minutes. `user`: the visitor ended it. `deleted`: its transcript was deleted.",
});

export type ChatEndReason = Static<typeof chatEndReasonSchema>;

export const replyPartEventSchema = Type.Object(
  {
    type: Type.Literal("replyPart"),
    messageId: { ...idSchema, description: "Id of the `message` event that follows with the whole text." },
    offset: Type.Integer({
      minimum: 0,
      description:
        "UTF-16 code units of the reply before this part. A part replaces everything of the reply from here on.",
    }),
    text: Type.String({ description: "Part of the reply." }),
  },
  {
    description:
      "Part of a reply that is being written. Clients that reconnect drop unfinished replies, and get the reply so far as one part.",
  },
);

export const replyDiscardedEventSchema = Type.Object(
  { type: Type.Literal("replyDiscarded"), messageId: idSchema },
  {
    description:
      "The reply with these parts failed or is written again: remove its text. Another reply or `replyFailed` follows.",
  },
);

export const replyFailedEventSchema = Type.Object(
  { type: Type.Literal("replyFailed") },
  { description: "The agent does not answer the messages so far. A further message is answered again." },
);

export const activityEventSchema = Type.Object(
  { type: Type.Literal("activity"), activity: chatActivitySchema },
  {
    description:
      "Activity of the agent. Sent when it changes, and on every stream after the messages that it begins with.",
  },
);

export const chatEndedEventSchema = Type.Object(
  { type: Type.Literal("ended"), conversationId: idSchema, reason: chatEndReasonSchema },
  { description: "The chat has ended. The next message begins a new one on the same stream." },
);

/** One event of a widget's stream, as JSON in the `data` field of a server-sent event. Clients ignore unknown types. */
export const widgetEventSchema = Type.Union(
  [
    activityEventSchema,
    Type.Object(
      { type: Type.Literal("message"), conversationId: idSchema, message: widgetMessageSchema },
      {
        description:
          "A message was stored, of either side. After a reconnection messages can be sent again: compare ids. Its server-sent " +
          "event has an `id`, which the client sends as `Last-Event-ID` when it reconnects.",
      },
    ),
    replyPartEventSchema,
    replyDiscardedEventSchema,
    replyFailedEventSchema,
    chatEndedEventSchema,
  ],
  { title: "WidgetEvent", description: "Event of the stream of a widget's chat." },
);

export type WidgetEvent = Static<typeof widgetEventSchema>;
