import { type Static, Type } from "typebox";
import { callEndReasons } from "./call.ts";
import { turnSchema } from "./call-latency.ts";
import { transcriptItemSchema } from "../conversations/conversations.ts";
import { LIVE_CHANNEL_LABEL } from "./live-channel.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  nullable,
  requestedEnvironmentSchema,
  variablesSchema,
} from "../schemas.ts";

const TEST_CALLS_PER_MINUTE = 20;

const testCallSchema = closedObject(
  {
    environment: Type.Optional(
      requestedEnvironmentSchema(
        "Environment to test. Absent or null: the draft. `production`: the published revision.",
      ),
    ),
    variables: Type.Optional({
      ...variablesSchema,
      description:
        "Variables of this call. They override those of the environment, which override the agent's `testVariables`.",
    }),
  },
  { title: "TestCallCreate" },
);

export type TestCallCreation = Static<typeof testCallSchema>;

const joinableCallSchema = Type.Object(
  {
    callId: idSchema,
    url: Type.String({
      format: "uri",
      description: "WHIP endpoint (RFC 9725) for the browser's SDP offer.",
      examples: ["https://parley.example.com/rtc/calls/0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11"],
    }),
    token: Type.String({ description: "Bearer token for `url`. Valid for one join." }),
  },
  { title: "JoinableCall" },
);

export type JoinableCall = Static<typeof joinableCallSchema>;

export const startTestCallRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/test-call",
  operationId: "startTestCall",
  tag: "Calls",
  summary: "Start a browser test call",
  description:
    "Runs the agent's draft or the named environment with the test variables. DTMF tones are simulated: no phone rings. " +
    "The call is recorded, counted and billed like any other.\n\n" +
    "**Joining** follows WHIP (RFC 9725). `POST` the SDP offer (`application/sdp`, one audio section with Opus, sending and " +
    "receiving) to `url` with `Authorization: Bearer <token>`. The 201 response contains the SDP answer, the session URL in " +
    "`Location`, an `ETag`, and the operator's STUN and TURN servers in `Link`. `OPTIONS` on `url` with the token returns " +
    "these servers before the offer. `PATCH` on the session accepts ICE candidates (`application/trickle-ice-sdpfrag`) or a " +
    "new offer (`application/sdp`) after a lost connection. `DELETE` ends the call. The call ends after 60 seconds if no " +
    "browser joins, and 15 seconds after its connection is lost.\n\n" +
    `**Live events** are sent on the data channel \`${LIVE_CHANNEL_LABEL}\`, which the client creates. Each message is one ` +
    "`LiveCallEvent` as JSON. The client presses keys by sending a `LiveCallCommand`.\n\n" +
    `Limit: ${TEST_CALLS_PER_MINUTE} starts per minute and organization.`,
  params: Type.Object({ id: { ...idSchema, description: "Id of the agent." } }),
  body: testCallSchema,
  status: 201,
  response: dataOf(joinableCallSchema),
  errors: ["environment_not_found", "capacity_exceeded"],
  rateLimit: { requests: TEST_CALLS_PER_MINUTE, windowSeconds: 60 },
});

/** Message on the data channel. Clients must ignore unknown types. */
export const liveCallEventSchema = Type.Union(
  [
    Type.Object(
      { type: Type.Literal("state"), state: Type.Enum(["listening", "thinking", "speaking"]) },
      { description: "Activity of the agent. Also the first message on every connection." },
    ),
    Type.Object(
      {
        type: Type.Literal("itemStarted"),
        id: Type.String({ description: "Id of the transcript item." }),
        role: Type.Literal("agent"),
        text: Type.String({ description: "Text that the agent is about to say, as far as it is known." }),
        startMs: Type.Number({ description: "Start in milliseconds after the start of the call's media." }),
      },
      { description: "The agent's speech starts. The `item` with this id follows when it has ended." },
    ),
    Type.Object(
      { type: Type.Literal("item"), item: transcriptItemSchema },
      {
        description: "New transcript item. After a reconnection earlier items are sent again: compare ids.",
      },
    ),
    Type.Object(
      { type: Type.Literal("turn"), turn: turnSchema },
      { description: "Latency of the last agent turn." },
    ),
    Type.Object(
      {
        type: Type.Literal("ended"),
        endReason: Type.Enum([...callEndReasons]),
        endDetail: nullable(Type.String()),
      },
      { description: "The call has ended. Last message." },
    ),
  ],
  { title: "LiveCallEvent", description: "Message on the data channel of a browser call." },
);

/** Message of a browser to its call. */
export const liveCallCommandSchema = Type.Object(
  {
    type: Type.Literal("key"),
    key: Type.String({ pattern: "^[0-9A-D*#]$", description: "Key of a telephone.", examples: ["5"] }),
  },
  {
    title: "LiveCallCommand",
    description:
      "Message from the browser on the data channel of its call: presses a key, at most 25 in a second. Other messages are ignored.",
  },
);

export type LiveCallEvent = Static<typeof liveCallEventSchema>;
