import { type Static, Type } from "typebox";
import {
  channelSchema,
  conversationSchema,
  ranSchemas,
  transcriptItemSchema,
} from "../conversations/conversations.ts";
import { idSchema, nullable, nullableEnum, timestampSchema, variablesSchema } from "../schemas.ts";
import { callLatencySchema, turnSchema } from "./call-latency.ts";
import { MAX_RECORDED_PROVIDER_FAILURES, providerFailureSchema } from "./provider-failures.ts";
import { callQualitySchema } from "./call-quality.ts";
import { callEvaluationSchema, callExtractionSchema, callResultStatuses } from "./call-results.ts";

export const callStatuses = [
  "queued",
  "ringing",
  "in_progress",
  "completed",
  "failed",
  "no_answer",
  "busy",
  "canceled",
] as const;
export type CallStatus = (typeof callStatuses)[number];

export const callEndReasons = [
  "user_hangup",
  "agent_hangup",
  "transferred",
  "voicemail",
  "silence_timeout",
  "max_duration",
  "dial_no_answer",
  "dial_busy",
  "dial_failed",
  "dial_rejected",
  "canceled",
  "rejected_by_webhook",
  "api_hangup",
  "node_lost",
  "media_timeout",
  "error_llm",
  "error_stt",
  "error_tts",
  "error_internal",
] as const;
export type CallEndReason = (typeof callEndReasons)[number];

export const callSchema = Type.Object(
  {
    id: idSchema,
    conversationId: idSchema,
    agentId: { ...idSchema, description: "Id of the agent. Unchanged if the agent is deleted." },
    ...ranSchemas,
    channel: channelSchema,
    direction: Type.Enum(["inbound", "outbound"]),
    status: Type.Enum([...callStatuses], {
      description:
        "`ringing` and `in_progress` are active. `completed`, `failed`, `no_answer`, `busy` and `canceled` are final.",
    }),
    endReason: nullableEnum(callEndReasons, {
      description:
        "Reason of the end. Null: the call has not ended. `user_hangup`: the other side hung up. `media_timeout`: the other " +
        "side is gone without hanging up; no audio, acknowledgment or refresh of the session arrived from it in time. " +
        "`dial_failed`: the call could not be established, in either direction, for example without a common codec or " +
        "encryption. `error_internal`: a fault of the server.",
    }),
    endDetail: nullable(
      Type.String({
        description: "Detail of `endReason`, such as a SIP status or a provider's error. Null: none.",
      }),
    ),
    fromNumber: nullable(
      Type.String({
        description: "Caller's number, in E.164 if possible. Null: withheld, or a browser call.",
      }),
    ),
    toNumber: nullable(Type.String({ description: "Called number or extension. Null: a browser call." })),
    phoneNumberId: nullable({
      ...idSchema,
      description: "Id of the organization's phone number in this call. Null: a browser call.",
    }),
    sipTrunkId: nullable({ ...idSchema, description: "Id of the SIP trunk. Null: a browser call." }),
    campaignId: nullable({
      ...idSchema,
      description: "Id of the campaign that placed the call. Unchanged if it is deleted. Null: none.",
    }),
    createdAt: timestampSchema,
    startedAt: nullable({
      ...timestampSchema,
      description: "Time when the call began to ring. Null: it has not.",
    }),
    answeredAt: nullable({ ...timestampSchema, description: "Time of the answer. Null: not answered." }),
    endedAt: nullable({ ...timestampSchema, description: "Time of the end. Null: not ended." }),
    billableSeconds: Type.Integer({
      description: "Seconds from the answer to the end, rounded up. 0: not answered.",
    }),
    latency: Type.Union([callLatencySchema, Type.Null()]),
    quality: Type.Union([callQualitySchema, Type.Null()], {
      description:
        "Network quality of the call's audio. Null: the call has not ended, or no audio was exchanged.",
    }),
    postCallWebhookStatus: nullableEnum(["pending", "delivered", "failed"], {
      description:
        "Delivery status of the `call.post` webhook. Null: the agent had no `postCallWebhookUrl`, or the call has not ended.",
    }),
    postCallWebhookAttempts: Type.Integer({
      minimum: 0,
      maximum: 4,
      description: "Automatic attempts to deliver the `call.post` webhook.",
    }),
    isTest: Type.Boolean({ description: "Whether this is a test call." }),
    recordingStatus: nullableEnum(callResultStatuses, {
      description:
        "Status of the recording, `pending` from the answer on. `deleted`: by `DELETE /calls/{id}/recording`. Null: recording is " +
        "disabled, or the call was not answered.",
    }),
    analysisStatus: nullableEnum(callResultStatuses, {
      description:
        "Status of extraction and evaluation. `deleted`: with the transcript. Null: the agent has neither, or the call has not ended.",
    }),
    analysisDetail: nullable(
      Type.String({ description: "Reason why `analysisStatus` is `failed`. Null otherwise." }),
    ),
    extraction: Type.Union([callExtractionSchema, Type.Null()]),
    evaluation: Type.Union([callEvaluationSchema, Type.Null()]),
    llmName: nullable(
      Type.String({
        description: "Language model of the call. Null: no conversation was started.",
        examples: ["builtin-responder"],
      }),
    ),
    sttName: nullable(
      Type.String({
        description: "Speech recognition provider of the call.",
        examples: ["local/moonshine-base"],
      }),
    ),
    ttsName: nullable(
      Type.String({ description: "Speech synthesis provider of the call.", examples: ["local/kokoro"] }),
    ),
  },
  { title: "Call" },
);

export const callDetailSchema = Type.Object(
  {
    ...callSchema.properties,
    recordingUrl: nullable(
      Type.String({
        format: "uri",
        description:
          "Link to the recording, valid for one hour after this response. Null: there is no recording, or it is not ready.",
      }),
    ),
    variables: {
      ...variablesSchema,
      description: "Variables of the call, with those that the `call.pre` webhook set.",
    },
    transcript: Type.Array(transcriptItemSchema, { description: "Items in the order of `startMs`." }),
    transcriptDeletedAt: conversationSchema.properties.transcriptDeletedAt,
    turns: Type.Array(turnSchema, { description: "Agent turns in order." }),
    providerFailures: Type.Array(providerFailureSchema, {
      maxItems: MAX_RECORDED_PROVIDER_FAILURES,
      description: "Failures of providers during the call, in order, with what took over.",
    }),
  },
  { title: "CallDetail" },
);

export type Call = Static<typeof callSchema>;
export type CallDetail = Static<typeof callDetailSchema>;
