import { type Static, Type } from "typebox";
import { callEndReasons, turnSchema } from "./calls.ts";
import { transcriptItemSchema } from "../conversations/conversations.ts";
import { LIVE_CHANNEL_LABEL } from "./live-channel.ts";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, variablesSchema } from "../schemas.ts";

/** Starts that one organization has. */
const TEST_CALLS_PER_MINUTE = 20;

const testCallSchema = closedObject(
  {
    environment: Type.Optional(
      nullable(
        Type.String({
          description:
            "Name of the environment to test. Absent or null: the draft. `production`: what is live.",
        }),
      ),
    ),
    variables: Type.Optional({
      ...variablesSchema,
      description: "Over those of the environment, which go over the agent's `testVariables`.",
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
      description: "WHIP endpoint (RFC 9725) that the browser posts its SDP offer to.",
      examples: ["https://parley.example.com/rtc/calls/0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11"],
    }),
    token: Type.String({ description: "Bearer token for `url`. It joins the call once." }),
  },
  { title: "JoinableCall" },
);

export type JoinableCall = Static<typeof joinableCallSchema>;

export const startTestCallRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/test-call",
  operationId: "startTestCall",
  tag: "Calls",
  summary: "Start a call that a browser joins",
  description:
    "The agent runs its draft, or the named environment, with the test variables. Transfers and keypad tones are " +
    "simulated: no telephone rings. The call is kept, counted and billed like any other.\n\n" +
    "**Joining** follows WHIP (RFC 9725): `POST` the SDP offer (`application/sdp`, one audio line with Opus, sending and " +
    "receiving) to `url` with `Authorization: Bearer <token>`. 201 brings the answer, the session's URL in `Location`, an " +
    "`ETag`, and STUN and TURN servers in `Link` where the operator has some; `OPTIONS` on `url` with the token tells these " +
    "before. `PATCH` on the session takes candidates (`application/trickle-ice-sdpfrag`), or a whole new offer " +
    "(`application/sdp`) from a client that lost its connection; `DELETE` ends the call. A call that nobody joins ends " +
    "after 60 seconds, one whose connection is lost after 15.\n\n" +
    `**Live events** come on the data channel \`${LIVE_CHANNEL_LABEL}\`, which the client creates: each message is one ` +
    "`LiveCallEvent` as JSON.\n\n" +
    `An organization may start ${TEST_CALLS_PER_MINUTE} in a minute.`,
  params: Type.Object({ id: { ...idSchema, description: "Id of the agent." } }),
  body: testCallSchema,
  status: 201,
  response: dataOf(joinableCallSchema),
  errors: ["environment_not_found", "capacity_exceeded"],
  rateLimit: { requests: TEST_CALLS_PER_MINUTE, windowSeconds: 60 },
});

/** What a message on the data channel holds. Clients pass over types that they do not know. */
export const liveCallEventSchema = Type.Union(
  [
    Type.Object(
      { type: Type.Literal("state"), state: Type.Enum(["listening", "thinking", "speaking"]) },
      { description: "What the agent does. Also the first message on every connection." },
    ),
    Type.Object(
      {
        type: Type.Literal("itemStarted"),
        id: Type.String(),
        role: Type.Literal("agent"),
        text: Type.String({ description: "What it is about to say, as far as that is known." }),
        startMs: Type.Number(),
      },
      { description: "The agent begins to be heard; the `item` of this id follows when it has ended." },
    ),
    Type.Object(
      { type: Type.Literal("item"), item: transcriptItemSchema },
      {
        description:
          "Enters the transcript. Those before come again after a lost connection: go by their ids.",
      },
    ),
    Type.Object(
      { type: Type.Literal("turn"), turn: turnSchema },
      { description: "What the last answer took." },
    ),
    Type.Object(
      {
        type: Type.Literal("ended"),
        endReason: Type.Enum([...callEndReasons]),
        endDetail: nullable(Type.String()),
      },
      { description: "The last message." },
    ),
  ],
  { title: "LiveCallEvent", description: "A message on the data channel of a call in the browser." },
);

export type LiveCallEvent = Static<typeof liveCallEventSchema>;
