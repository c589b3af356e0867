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

/** The parts of an agent turn's latency, in milliseconds; the names under which a call reports p50 and p95. */
const latencyParts = {
  endpointingMs: "From the end of the caller's speech until the turn counted as over.",
  sttMs: "Until its text was final.",
  llmFirstTokenMs: "From the request to the model's first token.",
  ttsFirstByteMs: "From the first clause to its first audio.",
  overheadMs:
    "From the decision to answer to the first packet, without the providers' time: Parley's own share.",
  totalMs: "From the end of the caller's speech to the first packet of the answer.",
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
  ttsFirstByteMs: milliseconds(latencyParts.ttsFirstByteMs),
  overheadMs: milliseconds(latencyParts.overheadMs),
  totalMs: milliseconds(latencyParts.totalMs),
});

export const turnSchema = Type.Object(
  { id: Type.String(), ...turnLatencySchema.properties },
  { title: "Turn", description: "One answer of the agent, and what each step of it took." },
);

export type Turn = Static<typeof turnSchema>;

const percentilesSchema = Type.Object({ p50: Type.Number(), p95: Type.Number() });
const partPercentiles = Type.Union([percentilesSchema, Type.Null()]);

const latencySchema = Type.Object(
  {
    endpointingMs: partPercentiles,
    sttMs: partPercentiles,
    llmFirstTokenMs: partPercentiles,
    ttsFirstByteMs: partPercentiles,
    overheadMs: partPercentiles,
    totalMs: partPercentiles,
  },
  { title: "CallLatency", description: "Over the call's agent turns, once it has ended." },
);

export type CallLatency = Static<typeof latencySchema>;

const mosSchema = nullable(
  Type.Number({
    minimum: 1,
    maximum: 4.5,
    description:
      "Mean opinion score as the E-model (ITU-T G.107) estimates it from delay and loss. Null: not known.",
  }),
);

const qualitySchema = Type.Object(
  {
    codec: Type.Enum(["PCMU", "PCMA", "G722", "opus"]),
    srtpSuite: nullable(
      Type.String({
        description: "Null: the audio was not encrypted.",
        examples: ["AES_CM_128_HMAC_SHA1_80"],
      }),
    ),
    roundTripMs: nullable(
      Type.Number({ minimum: 0, description: "Mean. Null: the other side sent no RTCP reports." }),
    ),
    received: Type.Object(
      {
        packets: Type.Integer({ minimum: 0 }),
        lost: Type.Integer({ minimum: 0 }),
        late: Type.Integer({ minimum: 0, description: "Came too late to be heard." }),
        jitterMs: Type.Number({ minimum: 0, description: "Mean, as RFC 3550 reckons it." }),
        mos: mosSchema,
      },
      { description: "What the agent heard." },
    ),
    sent: Type.Object(
      {
        packets: Type.Integer({ minimum: 0 }),
        lost: nullable(Type.Integer({ minimum: 0 })),
        jitterMs: nullable(Type.Number({ minimum: 0 })),
        mos: mosSchema,
      },
      { description: "What the other side heard, by its reports. Null: it sent none." },
    ),
  },
  { title: "CallQuality", description: "How the network treated the call's audio." },
);

export type CallQuality = Static<typeof qualitySchema>;

const resultStatuses = ["pending", "ready", "failed"] as const;
/** Of what is made of a call after its end. */
export type CallResultStatus = (typeof resultStatuses)[number];

const extractionSchema = Type.Record(Type.String(), Type.Unknown(), {
  title: "CallExtraction",
  description: "By the names in the agent's `postCallExtraction`; null where the conversation does not say.",
});
export type CallExtraction = Static<typeof extractionSchema>;

const evaluationSchema = Type.Array(
  Type.Object({
    name: Type.String(),
    result: Type.Enum(["pass", "fail", "unknown"]),
    reason: Type.String(),
  }),
  { title: "CallEvaluation", description: "One for each of the agent's `postCallEvaluation`." },
);
export type CallEvaluation = Static<typeof evaluationSchema>;

export const callSchema = Type.Object(
  {
    id: idSchema,
    conversationId: idSchema,
    agentId: { ...idSchema, description: "Stays when the agent is deleted." },
    ...ranSchemas,
    channel: channelSchema,
    direction: Type.Enum(["inbound", "outbound"]),
    status: Type.Enum([...callStatuses]),
    endReason: nullableEnum(callEndReasons),
    endDetail: nullable(
      Type.String({ description: "The SIP status or the provider's error behind `endReason`." }),
    ),
    fromNumber: nullable(
      Type.String({ description: "E.164 where the caller's number is one; null: withheld." }),
    ),
    toNumber: nullable(Type.String({ description: "Null: a call in the browser." })),
    phoneNumberId: nullable(idSchema),
    sipTrunkId: nullable(idSchema),
    createdAt: timestampSchema,
    startedAt: nullable({ ...timestampSchema, description: "When it began to ring." }),
    answeredAt: nullable(timestampSchema),
    endedAt: nullable(timestampSchema),
    billableSeconds: Type.Integer({ description: "Whole seconds from the answer to the end, rounded up." }),
    latency: Type.Union([latencySchema, Type.Null()]),
    quality: Type.Union([qualitySchema, Type.Null()], {
      description: "Once the call has ended; null where no audio flowed.",
    }),
    postCallWebhookStatus: nullableEnum(["pending", "delivered", "failed"], {
      description: "Null: the agent had no `postCallWebhookUrl`, or the call has not ended.",
    }),
    postCallWebhookAttempts: Type.Integer({ minimum: 0, maximum: 4 }),
    isTest: Type.Boolean({ description: "A browser test call, or one of a test run." }),
    recordingStatus: nullableEnum(resultStatuses, {
      description:
        "`pending` from the answer on. Null: the agent keeps no recording, or nobody has answered.",
    }),
    analysisStatus: nullableEnum(resultStatuses, {
      description: "Null: the agent asks for neither extraction nor evaluation, or the call has not ended.",
    }),
    analysisDetail: nullable(Type.String({ description: "Why `analysisStatus` is `failed`." })),
    extraction: Type.Union([extractionSchema, Type.Null()]),
    evaluation: Type.Union([evaluationSchema, Type.Null()]),
    llmName: nullable(
      Type.String({ description: "Language model that ran.", examples: ["builtin-responder"] }),
    ),
    sttName: nullable(Type.String({ examples: ["local/moonshine-base"] })),
    ttsName: nullable(Type.String({ examples: ["local/kokoro"] })),
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
          "Plays and downloads the recording, for an hour from this answer. Null: there is none, or none yet.",
      }),
    ),
    transcript: Type.Array(transcriptItemSchema),
    turns: Type.Array(turnSchema),
  },
  { title: "CallDetail" },
);

export type Call = Static<typeof callSchema>;
export type CallDetail = Static<typeof callDetailSchema>;

const callParams = Type.Object({ id: { ...idSchema, description: "Id of the call." } });

const callCreateSchema = closedObject(
  {
    agentId: { ...idSchema, description: "The agent that speaks." },
    toNumber: Type.String({
      minLength: 1,
      maxLength: 32,
      pattern: "^(\\+[0-9 ().-]+|[0-9]{1,6}|[A-Za-z][A-Za-z0-9._-]*)$",
      description:
        "A telephone number with its country code (`+…`), or an extension (digits or a name) that the agent's trunk knows.",
      examples: ["+14155550199"],
    }),
    fromNumber: Type.Optional({
      ...phoneNumberSchema,
      description: "The caller ID: any number of the agent's trunk. Default: the agent's first number.",
      examples: ["+14155550123"],
    }),
    environment: Type.Optional({
      ...environmentNameSchema,
      description: "The agent's environment that the call runs in. Default: `production`.",
    }),
    variables: Type.Optional({
      ...variablesSchema,
      description: "Of this call, over those of the agent and the environment.",
    }),
    ringTimeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 120,
        default: 60,
        description: "How long it may ring before it counts as `no_answer`.",
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
    "The agent calls a number by its SIP trunk. The answer comes at once, with the call `queued`; what becomes of it is " +
    "in `GET /calls/{id}` and in the post-call webhook. Emergency numbers are never dialled, and other numbers only in the " +
    "countries that the organization allows, which are those of its own numbers where it has named none " +
    "(`destination_not_allowed`). When it is answered the agent says `firstMessageOutbound`, or else `firstMessage`. " +
    "A callee who is busy (486, 600) makes it `busy`; one who does not answer (408, 480, or the time to ring is over) " +
    "`no_answer`; one who declines (603, 607, 608) `failed` with `dial_rejected`; whatever else goes wrong, `failed` with " +
    "`dial_failed`. `endDetail` then holds the SIP status and its reason.",
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
    "Ends a call in progress (`completed`, `api_hangup`), or one that is not answered yet (`canceled`). The answer shows " +
    "the call as it is then; its end may be written down a moment later.",
  params: callParams,
  status: 200,
  response: dataOf(callSchema),
  errors: ["call_not_active", "call_not_addressable"],
});

const numberFilter = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Exactly this number, in E.164, or name.",
  examples: ["+14155550123"],
});

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
    status: Type.Optional(Type.Enum([...callStatuses])),
    direction: Type.Optional(Type.Enum(["inbound", "outbound"])),
    channel: Type.Optional(channelSchema),
    environment: Type.Optional({
      ...environmentNameSchema,
      description: "`production` for those that ran in none other.",
    }),
    fromNumber: Type.Optional(numberFilter),
    toNumber: Type.Optional(numberFilter),
    isTest: Type.Optional(Type.Boolean()),
    createdAfter: Type.Optional({ ...timestampSchema, description: "At this time or later." }),
    createdBefore: Type.Optional({ ...timestampSchema, description: "Earlier than this time." }),
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
  description: "While the call is in progress the transcript holds what has been said so far.",
  params: callParams,
  status: 200,
  response: dataOf(callDetailSchema),
});
