import { MAX_JSON_VALUES } from "../route.ts";
/** Webhook events, their data and the answer to `call.pre`. */
import { type Static, Type } from "typebox";
import { callSchema } from "../calls/call.ts";
import { mediaSchema } from "../messaging/messages.ts";
import { channelSchema, transcriptItemSchema } from "../conversations/conversations.ts";
import { idSchema, nullable, timestampSchema, variablesSchema } from "../schemas.ts";

export const webhookTypes = ["call.pre", "call.post", "message.received"] as const;
export type WebhookType = (typeof webhookTypes)[number];

const { agentId, environment, direction, fromNumber, toNumber, campaignId, isTest, ...call } =
  callSchema.properties;

const ofEveryCall = {
  id: { ...idSchema, description: "Id of the call." },
  conversationId: idSchema,
  agentId,
  environment,
  channel: channelSchema,
  direction,
  fromNumber,
  toNumber,
  variables: { ...variablesSchema, description: "Variables of the conversation, without the built-in ones." },
  campaignId,
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
  analysisStatus: {
    ...call.analysisStatus,
    description:
      "Status of extraction and evaluation; `pending` if they were not complete 60 seconds after the end. Null: the agent has neither.",
  },
  extraction: call.extraction,
  evaluation: call.evaluation,
  recordingUrl: nullable(
    Type.String({
      format: "uri",
      description: "Link to the recording, valid for 24 hours. Null: there is no recording.",
    }),
  ),
});
export type CallPostData = Static<typeof callPostSchema>;

const messageReceivedSchema = Type.Object({
  id: { ...idSchema, description: "Id of the message." },
  agentId,
  conversationId: idSchema,
  messagingConnectionId: idSchema,
  direction: Type.Literal("INBOUND"),
  channel: Type.Literal("sms"),
  fromNumber: Type.String(),
  toNumber: Type.String(),
  body: Type.String({ description: "Text of the message. Can be empty if `media` is not." }),
  media: Type.Array(mediaSchema, { description: "Files of the message." }),
  createdAt: timestampSchema,
});
export type MessageReceivedData = Static<typeof messageReceivedSchema>;

export const preCallAnswerSchema = Type.Object(
  {
    variables: Type.Optional({
      ...variablesSchema,
      description:
        "Variables that override those of the agent, the environment, and the request or campaign.",
    }),
    firstMessage: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: "First words of the agent, instead of those in its configuration.",
      }),
    ),
    reject: Type.Optional(
      Type.Union(
        [
          Type.Boolean({
            description: "`true` rejects the call without a reason; `false` does not reject it.",
          }),
          Type.Object({
            reason: Type.Optional(
              Type.String({
                description: "Reason for `endDetail` of the call. Only the first 500 characters are stored.",
              }),
            ),
          }),
        ],
        {
          description:
            "`true` or an object rejects the call: an inbound call gets SIP 603, an outbound call is not placed.",
        },
      ),
    ),
  },
  {
    title: "PreCallAnswer",
    description: `All fields are optional. Invalid fields, and an answer with more than 1 MiB or ${MAX_JSON_VALUES} values, are ignored and noted in the call's transcript.`,
  },
);
export type PreCallAnswer = Static<typeof preCallAnswerSchema>;

export interface WebhookDefinition {
  type: WebhookType;
  title: string;
  summary: string;
  description: string;
  data: typeof callPreSchema | typeof callPostSchema | typeof messageReceivedSchema;
  /** Schema of the receiver's answer. */
  answer?: typeof preCallAnswerSchema;
}

/** Webhooks in the OpenAPI document. */
export const webhooks: readonly WebhookDefinition[] = [
  {
    type: "call.pre",
    title: "CallPreEvent",
    summary: "Sent before a call is answered or placed",
    description:
      "Sent to the agent's `preCallWebhookUrl` while an inbound call rings, or before an outbound call is dialed. The call waits " +
      "5 seconds for the answer. Without a 2xx answer in that time, the call continues unchanged. Not retried.",
    data: callPreSchema,
    answer: preCallAnswerSchema,
  },
  {
    type: "call.post",
    title: "CallPostEvent",
    summary: "Sent after a call has ended",
    description:
      "Sent to the agent's `postCallWebhookUrl` when analysis and recording are done, at the latest 60 seconds after the end. " +
      "Sent for every call, including unanswered ones. Without a 2xx answer within 10 seconds, the same body is sent again " +
      "1, 5 and 30 minutes after this first failure. It can arrive more than once: use `data.id` to detect duplicates.",
    data: callPostSchema,
  },
  {
    type: "message.received",
    title: "MessageReceivedEvent",
    summary: "Sent when a message is received",
    description:
      "Sent to the agent's `messagingConfig.inboundWebhookUrl`. Without a 2xx answer within 10 seconds, the same body is sent again " +
      "1, 5 and 30 minutes after this first failure. Sent in every `inboundMode`. It can arrive more than once: use `data.id` to " +
      "detect duplicates.",
    data: messageReceivedSchema,
  },
];

/** Request body of an event. */
export function webhookBodySchema({ type, title, data }: WebhookDefinition) {
  return Type.Object(
    {
      type: Type.Literal(type),
      id: {
        ...idSchema,
        description: "Id of the event, as in the `webhook-id` header. The same in every attempt.",
      },
      createdAt: timestampSchema,
      data,
    },
    { title },
  );
}
