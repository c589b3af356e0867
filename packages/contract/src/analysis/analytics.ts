/** Counts over an organization's calls. */
import { type Static, type TObject, Type } from "typebox";
import { callEndReasons, callSchema, turnLatencySchema } from "../calls/calls.ts";
import { channelSchema } from "../conversations/conversations.ts";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, timestampSchema } from "../schemas.ts";

/** Longest range that is counted at once: a leap year. */
export const LONGEST_ANALYTICS_DAYS = 366;

const rangeQuery = {
  from: Type.Optional({
    ...timestampSchema,
    description: "Calls that were created then or later; unless given, 30 days before `to`.",
  }),
  to: Type.Optional({
    ...timestampSchema,
    description: `Calls that were created earlier; unless given, now. At most ${LONGEST_ANALYTICS_DAYS} days after \`from\`.`,
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
    description: "IANA name: where the days begin.",
    examples: ["Europe/Berlin"],
  }),
};

const rangeQuerySchema = closedObject(rangeQuery);
/** Which calls are counted. */
export type AnalyticsQuery = Static<typeof rangeQuerySchema>;

const countSchema = Type.Integer({ minimum: 0 });

const dayTallySchema = Type.Object(
  {
    date: Type.String({ format: "date", examples: ["2026-11-21"] }),
    calls: countSchema,
    answered: countSchema,
    billableSeconds: countSchema,
  },
  { title: "CallsOfDay" },
);

export type CallsOfDay = Static<typeof dayTallySchema>;

const seconds = nullable(Type.Number({ minimum: 0, description: "Null: no call counts." }));

const durationsSchema = Type.Object(
  {
    calls: countSchema,
    totalSeconds: Type.Number({ minimum: 0 }),
    billableSeconds: countSchema,
    averageSeconds: seconds,
    p50Seconds: seconds,
    p95Seconds: seconds,
    longestSeconds: seconds,
  },
  { title: "CallDurations" },
);

export type CallDurations = Static<typeof durationsSchema>;

const endReasonTallySchema = Type.Object(
  { endReason: Type.Enum([...callEndReasons]), calls: countSchema },
  { title: "CallsOfEndReason" },
);

export type CallsOfEndReason = Static<typeof endReasonTallySchema>;

const percentilesSchema = Type.Object({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number() });

function percentilesOf({ properties }: TObject) {
  const names = Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, Type.Union([percentilesSchema, Type.Null()])]));
}

type Percentiles = Static<typeof percentilesSchema>;

/** Percentiles of each part of the turns' latency; null where it was measured in no turn. */
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
  summary: "Count the calls that are going on",
  description:
    "Ringing and in progress, by phone and web, tests included, on all nodes, at this moment; the other parameters are " +
    "accepted and change nothing.",
  query: closedObject({ ...rangeQuery, ...timezoneQuery }),
  status: 200,
  response: dataOf(Type.Object({ activeCalls: countSchema }, { title: "ActiveCalls" })),
});

export const countCallsPerDayRoute = defineRoute({
  method: "GET",
  path: "/analytics/calls-per-day",
  operationId: "countCallsPerDay",
  tag: "Analytics",
  summary: "Count calls by the day of their creation",
  description:
    "Days without calls are there too. The first and the last may be counted in part: see `from` and `to`.",
  query: closedObject({ ...rangeQuery, ...timezoneQuery }),
  status: 200,
  response: dataOf(Type.Object({ timezone: Type.String(), days: Type.Array(dayTallySchema) })),
});

export const measureCallDurationsRoute = defineRoute({
  method: "GET",
  path: "/analytics/durations",
  operationId: "measureCallDurations",
  tag: "Analytics",
  summary: "Measure how long calls lasted",
  description: "From the answer to the end, of calls that were answered and have ended.",
  query: rangeQuerySchema,
  status: 200,
  response: dataOf(durationsSchema),
});

export const countEndReasonsRoute = defineRoute({
  method: "GET",
  path: "/analytics/end-reasons",
  operationId: "countCallEndReasons",
  tag: "Analytics",
  summary: "Count calls by why they ended",
  description: "The most frequent first; reasons for which no call ended are left out.",
  query: rangeQuerySchema,
  status: 200,
  response: dataOf(Type.Array(endReasonTallySchema)),
});

export const measureLatencyRoute = defineRoute({
  method: "GET",
  path: "/analytics/latency",
  operationId: "measureTurnLatency",
  tag: "Analytics",
  summary: "Measure how long the agents' answers took",
  description:
    "Over all agent turns of the calls; each percentile is a value that was measured (nearest rank).",
  query: rangeQuerySchema,
  status: 200,
  response: dataOf(latencySchema),
});
