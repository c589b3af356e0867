import { MAX_JSON_VALUES } from "../route.ts";
/** What Parley tells and asks customers' servers. */
import { type Static, Type } from "typebox";
import { callSchema } from "../calls/calls.ts";
import { channelSchema, transcriptItemSchema } from "../conversations/conversations.ts";
import { idSchema, nullable, timestampSchema, variablesSchema } from "../schemas.ts";

export const webhookTypes = ["call.pre", "call.post", "message.received"] as const;
export type WebhookType = (typeof webhookTypes)[number];

const { agentId, environment, direction, fromNumber, toNumber, isTest, ...call } = callSchema.properties;

const ofEveryCall = {
  id: { ...idSchema, description: "Of the call." },
  conversationId: idSchema,
  agentId,
  environment,
  channel: channelSchema,
  direction,
  fromNumber,
  toNumber,
  variables: { ...variablesSchema, description: "What the conversation runs with." },
  campaignId: nullable({ ...idSchema, description: "Null: the call is of no campaign." }),
  isTest,
};

const callPreSchema = Type.Object(ofEveryCall);
export type CallPreData = Static<typeof callPreSchema>;

const callPostSchema = Type.Object({
  ...ofEveryCall,
  agentRevision: call.agentRevision,
  status: call.status,
  endReason: call.endReason,
  endDetail: call.endDetail,
  startedAt: call.startedAt,
  answeredAt: call.answeredAt,
  endedAt: call.endedAt,
  billableSeconds: call.billableSeconds,
  transcript: Type.Array(transcriptItemSchema),
  extraction: call.extraction,
  evaluation: call.evaluation,
  recordingUrl: nullable(
    Type.String({ format: "uri", description: "A link that expires. Null: there is no recording." }),
  ),
});
export type CallPostData = Static<typeof callPostSchema>;

const messageReceivedSchema = Type.Object({
  id: { ...idSchema, description: "Of the message." },
  agentId,
  conversationId: idSchema,
  messagingConnectionId: idSchema,
  direction: Type.Literal("INBOUND"),
  channel: Type.Literal("sms"),
  fromNumber: Type.String(),
  toNumber: Type.String(),
  body: Type.String({ description: "The message's text." }),
  createdAt: timestampSchema,
});
export type MessageReceivedData = Static<typeof messageReceivedSchema>;

export const preCallAnswerSchema = Type.Object(
  {
    variables: Type.Optional({
      ...variablesSchema,
      description: "Win over those of the agent, its environment, and the request or campaign.",
    }),
    firstMessage: Type.Optional(
      Type.String({ maxLength: 10_000, description: "What the agent says first, instead of what it would." }),
    ),
    reject: Type.Optional(
      Type.Object(
        {
          reason: Type.Optional(
            Type.String({
              description: "Stands on the call's record (`endDetail`), its first 500 characters.",
            }),
          ),
        },
        { description: "There is to be no such call: a caller hears 603, nobody is dialled." },
      ),
    ),
  },
  {
    title: "PreCallAnswer",
    description: `No field is required. What cannot be used is passed over, and noted in the call's transcript; so is an answer of more than 1 MiB or ${MAX_JSON_VALUES} values.`,
  },
);
export type PreCallAnswer = Static<typeof preCallAnswerSchema>;

export interface WebhookDefinition {
  type: WebhookType;
  title: string;
  summary: string;
  description: string;
  data: typeof callPreSchema | typeof callPostSchema | typeof messageReceivedSchema;
  /** What the receiver may answer, beyond a status. */
  answer?: typeof preCallAnswerSchema;
}

/** As the API's document describes them. */
export const webhooks: readonly WebhookDefinition[] = [
  {
    type: "call.pre",
    title: "CallPreEvent",
    summary: "A call is about to be answered or placed",
    description:
      "Goes to the agent's `preCallWebhookUrl` while the caller's phone rings, or before anybody is dialled. The call waits " +
      "5 s for the answer; without a good one it goes on as if nothing had been asked. Sent once.",
    data: callPreSchema,
    answer: preCallAnswerSchema,
  },
  {
    type: "call.post",
    title: "CallPostEvent",
    summary: "A call has ended",
    description:
      "Goes to the agent's `postCallWebhookUrl` once analysis and recording are done, or 60 s after the end; of every call, " +
      "those that nobody answered too. Any status but 2xx, or none within 10 s, has it sent again after 1, 5 and 30 minutes, " +
      "the same each time. It may come more than once: go by `data.id`.",
    data: callPostSchema,
  },
  {
    type: "message.received",
    title: "MessageReceivedEvent",
    summary: "A message has come in",
    description:
      "Goes to the agent's `messagingConfig.inboundWebhookUrl`. Sent again like `call.post` where it is not taken.",
    data: messageReceivedSchema,
  },
];

/** The body of an event's requests. */
export function webhookBodySchema({ type, title, data }: WebhookDefinition) {
  return Type.Object(
    {
      type: Type.Literal(type),
      id: {
        ...idSchema,
        description: "Of the event, as in the header `webhook-id`: the same however often it is sent.",
      },
      createdAt: timestampSchema,
      data,
    },
    { title },
  );
}
