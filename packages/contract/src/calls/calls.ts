import { type Static, Type } from "typebox";
import { channelSchema } from "../conversations/conversations.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  environmentNameSchema,
  idSchema,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  requestedEnvironmentSchema,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";
import { callDetailSchema, callEndReasons, callSchema, callStatuses } from "./call.ts";

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
    "Emergency numbers, premium-rate numbers unless the operator allows them, numbers on the do-not-call list and numbers " +
    "outside the organization's `allowedCountries` return `destination_not_allowed`.\n\n" +
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

const MAX_SEARCH_CHARACTERS = 200;
/** Calls whose transcripts one query searches. */
export const MAX_SEARCHED_CALLS = 10_000;

function durationFilter(bound: "at least" | "at most") {
  return Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description: `Calls of ${bound} this many \`billableSeconds\`. Calls in progress have 0.`,
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
    campaignId: Type.Optional({ ...idSchema, description: "Only calls of this campaign." }),
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
    minDurationSeconds: Type.Optional(durationFilter("at least")),
    maxDurationSeconds: Type.Optional(durationFilter("at most")),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_SEARCH_CHARACTERS,
        description:
          'Words that either side said in one message: whole words in any case. `"two words"` in quotation marks finds a ' +
          "phrase, `or` alternatives, and `-word` messages without a word. Searches the newest " +
          `${MAX_SEARCHED_CALLS.toLocaleString("en")} calls that the other parameters select.`,
        examples: ["refund"],
      }),
    ),
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
