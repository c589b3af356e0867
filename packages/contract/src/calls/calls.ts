import { type Static, Type } from "typebox";
import { channelSchema, ranSchemas, transcriptItemSchema } from "../conversations/conversations.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  environmentNameSchema,
  idSchema,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  requestedEnvironmentSchema,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

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

/**
 * Parts of an agent turn's latency in milliseconds. The first six add up to the total. A call reports p50 and p95 of each.
 */
const latencyParts = {
  endpointingMs: "Silence in milliseconds after which the caller's turn was over.",
  sttMs: "Time in milliseconds from the end of that silence to the final text. 0: the text arrived before.",
  llmFirstTokenMs:
    "Time in milliseconds from the decision to answer to the model's first token, including tool calls before it.",
  llmFirstClauseMs: "Time in milliseconds from the first token to the first clause that can be spoken.",
  ttsFirstByteMs: "Time in milliseconds from the first clause to its first audio.",
  overheadMs: "Parley's own share in milliseconds: the total without the other parts.",
  totalMs:
    "Time in milliseconds from the end of the caller's speech to the first audio packet of the answer.",
} as const;

function milliseconds(description: string) {
  return nullable(
    Type.Number({ minimum: 0, description: `${description} Null: not measured in this turn.` }),
  );
}

export const turnLatencySchema = Type.Object({
  endpointingMs: milliseconds(latencyParts.endpointingMs),
  sttMs: milliseconds(latencyParts.sttMs),
  llmFirstTokenMs: milliseconds(latencyParts.llmFirstTokenMs),
  llmFirstClauseMs: milliseconds(latencyParts.llmFirstClauseMs),
  ttsFirstByteMs: milliseconds(latencyParts.ttsFirstByteMs),
  overheadMs: milliseconds(latencyParts.overheadMs),
  totalMs: milliseconds(latencyParts.totalMs),
});

export const turnSchema = Type.Object(
  { id: Type.String({ description: "Id of the turn." }), ...turnLatencySchema.properties },
  { title: "Turn", description: "Latency of one agent turn. The parts add up to `totalMs`." },
);

export type Turn = Static<typeof turnSchema>;

const percentilesSchema = Type.Object({ p50: Type.Number(), p95: Type.Number() });
const partPercentiles = Type.Union([percentilesSchema, Type.Null()]);

const latencySchema = Type.Object(
  {
    endpointingMs: partPercentiles,
    sttMs: partPercentiles,
    llmFirstTokenMs: partPercentiles,
    llmFirstClauseMs: partPercentiles,
    ttsFirstByteMs: partPercentiles,
    overheadMs: partPercentiles,
    totalMs: partPercentiles,
  },
  {
    title: "CallLatency",
    description:
      "Percentiles of the latency over the call's agent turns, in milliseconds. Set when the call has ended.",
  },
);

export type CallLatency = Static<typeof latencySchema>;

const mosSchema = nullable(
  Type.Number({
    minimum: 1,
    maximum: 4.5,
    description:
      "Mean opinion score, estimated from delay and loss by the E-model (ITU-T G.107). Null: unknown.",
  }),
);

const qualitySchema = Type.Object(
  {
    codec: Type.Enum(["PCMU", "PCMA", "G722", "opus"]),
    srtpSuite: nullable(
      Type.String({
        description: "SRTP crypto suite. Null: the audio was not encrypted.",
        examples: ["AES_CM_128_HMAC_SHA1_80"],
      }),
    ),
    roundTripMs: nullable(
      Type.Number({
        minimum: 0,
        description: "Mean round-trip time in milliseconds. Null: the other side sent no RTCP reports.",
      }),
    ),
    received: Type.Object(
      {
        packets: Type.Integer({ minimum: 0, description: "Packets received." }),
        lost: Type.Integer({ minimum: 0, description: "Packets lost." }),
        late: Type.Integer({ minimum: 0, description: "Packets that arrived too late to be played." }),
        jitterMs: Type.Number({
          minimum: 0,
          description: "Mean interarrival jitter in milliseconds, as defined in RFC 3550 §6.4.1.",
        }),
        mos: mosSchema,
      },
      { description: "Audio received from the other side." },
    ),
    sent: Type.Object(
      {
        packets: Type.Integer({ minimum: 0, description: "Packets sent." }),
        lost: nullable(
          Type.Integer({ minimum: 0, description: "Packets lost, as reported by the other side." }),
        ),
        jitterMs: nullable(
          Type.Number({
            minimum: 0,
            description: "Mean interarrival jitter in milliseconds, as reported by the other side.",
          }),
        ),
        mos: mosSchema,
      },
      { description: "Audio sent to the other side. Null fields: the other side sent no RTCP reports." },
    ),
  },
  { title: "CallQuality", description: "Network quality of the call's audio." },
);

export type CallQuality = Static<typeof qualitySchema>;

const resultStatuses = ["pending", "ready", "failed"] as const;
/** Status of a recording or an analysis. */
export type CallResultStatus = (typeof resultStatuses)[number];

const extractionSchema = Type.Record(Type.String(), Type.Unknown(), {
  title: "CallExtraction",
  description:
    "Extracted values by the names in the agent's `postCallExtraction`. A value is null if the conversation does not contain it.",
});
export type CallExtraction = Static<typeof extractionSchema>;

const evaluationSchema = Type.Array(
  Type.Object({
    name: Type.String({ description: "Name of the criterion." }),
    result: Type.Enum(["pass", "fail", "unknown"]),
    reason: Type.String({ description: "Reason in one sentence." }),
  }),
  { title: "CallEvaluation", description: "Result for each criterion in the agent's `postCallEvaluation`." },
);
export type CallEvaluation = Static<typeof evaluationSchema>;

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
    latency: Type.Union([latencySchema, Type.Null()]),
    quality: Type.Union([qualitySchema, Type.Null()], {
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
    recordingStatus: nullableEnum(resultStatuses, {
      description:
        "Status of the recording, `pending` from the answer on. Null: recording is disabled, or the call was not answered.",
    }),
    analysisStatus: nullableEnum(resultStatuses, {
      description:
        "Status of extraction and evaluation. Null: the agent has neither, or the call has not ended.",
    }),
    analysisDetail: nullable(
      Type.String({ description: "Reason why `analysisStatus` is `failed`. Null otherwise." }),
    ),
    extraction: Type.Union([extractionSchema, Type.Null()]),
    evaluation: Type.Union([evaluationSchema, Type.Null()]),
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

const callDetailSchema = Type.Object(
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
    turns: Type.Array(turnSchema, { description: "Agent turns in order." }),
  },
  { title: "CallDetail" },
);

export type Call = Static<typeof callSchema>;
export type CallDetail = Static<typeof callDetailSchema>;

const callParams = Type.Object({ id: { ...idSchema, description: "Id of the call." } });

const callCreateSchema = closedObject(
  {
    agentId: { ...idSchema, description: "Id of the agent that speaks." },
    toNumber: Type.String({
      minLength: 1,
      maxLength: 32,
      pattern: "^(\\+[0-9 ().-]+|[0-9]{1,6}|[A-Za-z][A-Za-z0-9._-]*)$",
      description:
        "Phone number with its country code (`+…`), or an extension of the agent's trunk (1 to 6 digits, or a name).",
      examples: ["+14155550199"],
    }),
    fromNumber: Type.Optional({
      ...phoneNumberSchema,
      description: "Caller ID: any phone number on the agent's trunk. Default: the agent's first number.",
      examples: ["+14155550123"],
    }),
    environment: Type.Optional(
      requestedEnvironmentSchema("Environment of the agent. Absent or null: `production`."),
    ),
    variables: Type.Optional({
      ...variablesSchema,
      description: "Variables of this call. They override those of the agent and the environment.",
    }),
    ringTimeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 120,
        description: "Maximum ringing time in seconds. The call then ends as `no_answer`. Default: `60`.",
      }),
    ),
  },
  { title: "CallCreate" },
);

export type CallCreate = Static<typeof callCreateSchema>;

export const createCallRoute = defineRoute({
  method: "POST",
  path: "/calls",
  operationId: "createCall",
  tag: "Calls",
  summary: "Place a call",
  description:
    "Places a call through the agent's SIP trunk. Returns at once with the call in status `queued`; the result is in " +
    "`GET /calls/{id}` and in the `call.post` webhook. When the call is answered, the agent says `firstMessageOutbound`, or " +
    "`firstMessage` if that is null.\n\n" +
    "Emergency numbers, premium-rate numbers unless the operator allows them, and numbers outside the organization's " +
    "`allowedCountries` return `destination_not_allowed`.\n\n" +
    "An unanswered call ends with a status by its SIP response: 486 and 600 `busy`; 408, 480 and a ringing timeout " +
    "`no_answer`; 603, 607 and 608 `failed` with `dial_rejected`; others `failed` with `dial_failed`. `endDetail` contains " +
    "the SIP status and reason.",
  body: callCreateSchema,
  status: 201,
  response: dataOf(callSchema),
  errors: [
    "environment_not_found",
    "from_number_not_on_trunk",
    "destination_not_allowed",
    "agent_not_callable",
    "capacity_exceeded",
  ],
});

export const hangUpCallRoute = defineRoute({
  method: "POST",
  path: "/calls/{id}/hangup",
  operationId: "hangUpCall",
  tag: "Calls",
  summary: "Hang up a call",
  description:
    "Ends a call in progress (`completed` with `api_hangup`) or cancels one that is not answered (`canceled`). Waits up to " +
    "one second for the end, so the call in the response can still be active. If the call's node does not answer, returns " +
    "`call_not_addressable`.",
  params: callParams,
  status: 200,
  response: dataOf(callSchema),
  errors: ["call_not_active", "call_not_addressable"],
});

const numberFilter = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    "Exact match: a phone number with its country code, normalized as in `POST /calls`, or an extension.",
  examples: ["+14155550123"],
});

/** Filter that accepts one value or several, each as a parameter of its own: `status=busy&status=failed`. */
function severalOf<const T extends string>(values: readonly T[]) {
  return Type.Array(Type.Enum([...values]), {
    minItems: 1,
    maxItems: values.length,
    description: "Calls with any of these values. Repeat the parameter for several values.",
  });
}

export const listCallsRoute = defineRoute({
  method: "GET",
  path: "/calls",
  operationId: "listCalls",
  tag: "Calls",
  summary: "List calls",
  query: closedObject({
    ...pageQuery,
    agentId: Type.Optional(idSchema),
    conversationId: Type.Optional(idSchema),
    status: Type.Optional(severalOf(callStatuses)),
    endReason: Type.Optional(severalOf(callEndReasons)),
    sipTrunkId: Type.Optional({ ...idSchema, description: "Only calls by this SIP trunk." }),
    direction: Type.Optional(Type.Enum(["inbound", "outbound"])),
    channel: Type.Optional(channelSchema),
    environment: Type.Optional({
      ...environmentNameSchema,
      description: "Environment that ran. `production`: calls without a named environment.",
    }),
    fromNumber: Type.Optional(numberFilter),
    toNumber: Type.Optional(numberFilter),
    isTest: Type.Optional(Type.Boolean()),
    createdAfter: Type.Optional({ ...timestampSchema, description: "Calls created at or after this time." }),
    createdBefore: Type.Optional({ ...timestampSchema, description: "Calls created before this time." }),
  }),
  status: 200,
  response: pageOf(callSchema),
});

export const getCallRoute = defineRoute({
  method: "GET",
  path: "/calls/{id}",
  operationId: "getCall",
  tag: "Calls",
  summary: "Get a call with its transcript and turns",
  description: "While the call is in progress, the transcript contains the items up to now.",
  params: callParams,
  status: 200,
  response: dataOf(callDetailSchema),
});
