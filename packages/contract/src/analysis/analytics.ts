/** Aggregates over an organization's calls. */
import { type Static, type TObject, Type } from "typebox";
import { callEndReasons, callSchema } from "../calls/call.ts";
import { turnLatencySchema } from "../calls/call-latency.ts";
import { channelSchema } from "../conversations/conversations.ts";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, timestampSchema } from "../schemas.ts";

/** Longest range of one query: a leap year. */
export const MAX_ANALYTICS_DAYS = 366;

const rangeQuery = {
  from: Type.Optional({
    ...timestampSchema,
    description: "Calls created at or after this time. Default: 30 days before `to`.",
    examples: ["2026-11-01T00:00:00.000Z"],
  }),
  to: Type.Optional({
    ...timestampSchema,
    description: `Calls created before this time. Default: now. At most ${MAX_ANALYTICS_DAYS} days after \`from\`.`,
  }),
  agentId: Type.Optional(idSchema),
  direction: Type.Optional(callSchema.properties.direction),
  channel: Type.Optional(channelSchema),
};

const timezoneQuery = {
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    default: "UTC",
    description: "IANA time zone in which the days begin.",
    examples: ["Europe/Berlin"],
  }),
};

const rangeQuerySchema = closedObject(rangeQuery);
/** Selection of calls. */
export type AnalyticsQuery = Static<typeof rangeQuerySchema>;

const countSchema = Type.Integer({ minimum: 0 });
const callCountSchema = Type.Integer({ minimum: 0, description: "Number of calls." });
const billableSchema = Type.Integer({ minimum: 0, description: "Sum of `billableSeconds`." });

const dayTallySchema = Type.Object(
  {
    date: Type.String({ format: "date", examples: ["2026-11-21"] }),
    calls: callCountSchema,
    answered: Type.Integer({ minimum: 0, description: "Number of answered calls." }),
    billableSeconds: billableSchema,
  },
  { title: "CallsOfDay" },
);

export type CallsOfDay = Static<typeof dayTallySchema>;

const seconds = nullable(
  Type.Number({ minimum: 0, description: "Duration in seconds. Null: no call matches." }),
);

const durationsSchema = Type.Object(
  {
    calls: callCountSchema,
    totalSeconds: Type.Number({ minimum: 0, description: "Sum of all durations in seconds." }),
    billableSeconds: billableSchema,
    averageSeconds: seconds,
    p50Seconds: seconds,
    p95Seconds: seconds,
    longestSeconds: seconds,
  },
  { title: "CallDurations" },
);

export type CallDurations = Static<typeof durationsSchema>;

const endReasonTallySchema = Type.Object(
  { endReason: Type.Enum([...callEndReasons]), calls: callCountSchema },
  { title: "CallsOfEndReason" },
);

export type CallsOfEndReason = Static<typeof endReasonTallySchema>;

const percentilesSchema = Type.Object({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number() });

function percentilesOf({ properties }: TObject) {
  const names = Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, Type.Union([percentilesSchema, Type.Null()])]));
}

type Percentiles = Static<typeof percentilesSchema>;

/** Percentiles of each part of the turns' latency, or null if it was measured in no turn. */
export type TurnPercentiles = { turns: number } & Record<
  keyof Static<typeof turnLatencySchema>,
  Percentiles | null
>;

const latencySchema = Type.Unsafe<TurnPercentiles>(
  Type.Object({ turns: countSchema, ...percentilesOf(turnLatencySchema) }, { title: "TurnPercentiles" }),
);

export const countActiveCallsRoute = defineRoute({
  method: "GET",
  path: "/analytics/active",
  operationId: "countActiveCalls",
  tag: "Analytics",
  summary: "Count active calls",
  description:
    "Number of calls in status `ringing` or `in_progress`, by phone and web, including tests, on all nodes. `agentId`, " +
    "`direction` and `channel` select calls. `from`, `to` and `timezone` are accepted and have no effect.",
  query: closedObject({ ...rangeQuery, ...timezoneQuery }),
  status: 200,
  response: dataOf(Type.Object({ activeCalls: countSchema }, { title: "ActiveCalls" })),
});

export const countCallsPerDayRoute = defineRoute({
  method: "GET",
  path: "/analytics/calls-per-day",
  operationId: "countCallsPerDay",
  tag: "Analytics",
  summary: "Count calls per day of creation",
  description:
    "Includes days without calls. The first and the last day are partial if `from` or `to` is within the day.",
  query: closedObject({ ...rangeQuery, ...timezoneQuery }),
  status: 200,
  response: dataOf(Type.Object({ timezone: Type.String(), days: Type.Array(dayTallySchema) })),
});

export const measureCallDurationsRoute = defineRoute({
  method: "GET",
  path: "/analytics/durations",
  operationId: "measureCallDurations",
  tag: "Analytics",
  summary: "Measure call durations",
  description: "Durations from the answer to the end, of calls that were answered and have ended.",
  query: rangeQuerySchema,
  status: 200,
  response: dataOf(durationsSchema),
});

export const countEndReasonsRoute = defineRoute({
  method: "GET",
  path: "/analytics/end-reasons",
  operationId: "countCallEndReasons",
  tag: "Analytics",
  summary: "Count calls per end reason",
  description: "Most frequent reason first. Reasons without calls are omitted.",
  query: rangeQuerySchema,
  status: 200,
  response: dataOf(Type.Array(endReasonTallySchema)),
});

export const measureLatencyRoute = defineRoute({
  method: "GET",
  path: "/analytics/latency",
  operationId: "measureTurnLatency",
  tag: "Analytics",
  summary: "Measure the latency of agent turns",
  description: "Percentiles in milliseconds over all agent turns of the calls, by the nearest-rank method.",
  query: rangeQuerySchema,
  status: 200,
  response: dataOf(latencySchema),
});
